import type { Service } from '../../service/service.ts';
import { type CheckReport, type PartChecks, runChecks } from '../findings/run-checks.ts';
import { checkFollower, checkNode } from './chain-checks.ts';
import { checkBackup, checkKit } from './copy-checks.ts';
import { checkMails, checkWebhooks } from './delivery-checks.ts';
import { checkFees } from './fee-checks.ts';
import { checkRelayers } from './relayer-checks.ts';
import { checkBacklog, checkService, checkTransfers } from './settlement-checks.ts';
import { checkAudit, checkDatabase, checkDisk, checkReplica } from './storage-checks.ts';
import { checkWork } from './work-checks.ts';

const CHECKS: PartChecks<Service> = [
  ['Service', checkService],
  ['Database', checkDatabase],
  ['Read replica', checkReplica],
  ['Chain', checkNode],
  ['Follower', checkFollower],
  ['Background work', checkWork],
  ['Relayers', checkRelayers],
  ['Fees', checkFees],
  ['Backlog', checkBacklog],
  ['Transfers on their way', checkTransfers],
  ['Webhooks', checkWebhooks],
  ['Mails', checkMails],
  ['Audit', checkAudit],
  ['Recovery kit', checkKit],
  ['Backup', checkBackup],
  ['Disk', checkDisk],
];

/** Looks at every part at once. Never rejects, and takes about two seconds at most, whatever is down. */
export function readHealth(service: Service): Promise<CheckReport> {
  return runChecks(CHECKS, service, NOT_READ);
}

const NOT_READ = {
  ms: 2_000,
  late: {
    state: 'unknown',
    says: 'This could not be read within two seconds.',
    remedy: {
      says: 'See what the log says, and whether the database and the node are slow.',
      docs: 'docs/operate/monitoring.md#health',
    },
  },
} as const;
