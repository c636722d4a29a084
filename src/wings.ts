import type { Wing } from './service/house.ts';
import { archive } from './wings/archive/wing.ts';
import { callLog } from './wings/call-log/wing.ts';
import { developersConsole } from './wings/developers-console/wing.ts';
import { doctor } from './wings/doctor/wing.ts';
import { documents } from './wings/documents/wing.ts';
import { economy } from './wings/economy/wing.ts';
import { liabilities } from './wings/liabilities/wing.ts';
import { operatorsConsole } from './wings/operators-console/wing.ts';
import { operatorsLog } from './wings/operators-log/wing.ts';
import { payFiles } from './wings/pay-files/wing.ts';
import { rehearsal } from './wings/rehearsal/wing.ts';
import { workers } from './wings/workers/wing.ts';

/** All products that hang on the core. What they add stands in this order. */
export const WINGS: readonly Wing[] = [
  documents,
  developersConsole,
  callLog,
  economy,
  operatorsConsole,
  operatorsLog,
  liabilities,
  archive,
  payFiles,
  doctor,
  rehearsal,
  workers,
];
