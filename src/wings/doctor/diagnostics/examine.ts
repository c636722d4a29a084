import type { Subject } from '../../../config/read-settings.ts';
import { sqlState } from '../../../db/database.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { type Check, type CheckReport, type PartChecks, runChecks } from '../../../diagnostics/findings/run-checks.ts';
import { checkClock } from './clock-checks.ts';
import { checkContracts, checkGas } from './contract-checks.ts';
import { checkDataFolder } from './data-folder-checks.ts';
import { checkDatabaseTraits, checkTables } from './database-checks.ts';
import { checkDurability } from './durability-checks.ts';
import { type Examination, type ExamineOptions, openExamination } from './examination.ts';
import { checkKeys } from './key-checks.ts';
import { checkMailServer } from './mail-checks.ts';
import { checkNodes } from './node-checks.ts';
import { checkProcesses } from './process-checks.ts';
import { checkPublicAddress } from './public-address-checks.ts';
import { checkReadReplica } from './replica-checks.ts';
import { checkSettings } from './settings-checks.ts';
import { checkWebhookNames } from './webhook-checks.ts';

const CHECKS: PartChecks<Examination> = [
  ['Settings', checkSettings],
  ['Data folder', checkDataFolder],
  ['Master key', checkKeys],
  ['Database', checkDatabaseTraits],
  ['Tables', checkTables],
  ['Durability', checkDurability],
  ['Read replica', checkReadReplica],
  ['Processes', checkProcesses],
  ['Chain', checkNodes],
  ['Contracts', checkContracts],
  ['Gas', checkGas],
  ['Clock', checkClock],
  ['Mail', checkMailServer],
  ['Public address', checkPublicAddress],
  ['Webhooks', checkWebhookNames],
  ['Backups', async () => good('Not visible from here. See docs/operate/backup.md.')],
];

/** How many parts are looked at. */
export const PARTS = CHECKS.length;

/** Several waits of five seconds, one after the other. */
const LIMIT_MS = 30_000;

/**
 * Looks at every part of a configuration at once. It changes nothing, never rejects, and takes half a minute at most. `onDone`: called
 * after each part.
 */
export async function examine(subject: Subject, options: ExamineOptions, onDone: () => void): Promise<CheckReport> {
  const examination = openExamination(subject, options);
  try {
    return await examineParts(examination, onDone);
  } finally {
    await examination.close();
  }
}

/** The same of an examination that its caller closes. */
export function examineParts(examination: Examination, onDone: () => void): Promise<CheckReport> {
  const checks = CHECKS.map(([part, check]) => [part, explained(check)] as const);
  return runChecks(checks, examination, LATE, onDone);
}

const REMEDY = { says: 'See to the other findings first, and run this again.', docs: 'docs/operate/doctor.md' };

const LATE: { ms: number; late: Finding } = {
  ms: LIMIT_MS,
  late: { state: 'unknown', says: 'This could not be checked within half a minute.', remedy: REMEDY },
};

/** No such table, or no such column. */
const LACKS = new Set<string | undefined>(['42P01', '42703']);

/** A check that fails says why: what it needs may be what is wrong. */
function explained(check: Check<Examination>): Check<Examination> {
  return async (examination) => {
    try {
      return await check(examination);
    } catch (error) {
      const reason = LACKS.has(sqlState(error))
        ? 'the tables are older than this version'
        : (error as Error).message.replace(/[.\s]*$/, '');
      return { state: 'unknown', says: `This could not be checked: ${reason}.`, remedy: REMEDY };
    }
  };
}
