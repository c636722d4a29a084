import type { Service } from '../../settlement/service.ts';
import { checkFollower, checkNode } from './chain-checks.ts';
import { checkMails, checkWebhooks } from './delivery-checks.ts';
import { type Finding, type HealthCheck, type HealthState, worstState } from './health-check.ts';
import { inTime } from './in-time.ts';
import { checkRelayers } from './relayer-checks.ts';
import { checkBacklog, checkService, checkTransfers } from './settlement-checks.ts';
import { checkAudit, checkDatabase, checkDisk } from './storage-checks.ts';

const CHECKS: readonly (readonly [part: string, check: (service: Service) => Promise<Finding | null>])[] = [
  ['Service', checkService],
  ['Database', checkDatabase],
  ['Chain', checkNode],
  ['Follower', checkFollower],
  ['Relayers', checkRelayers],
  ['Backlog', checkBacklog],
  ['Transfers on their way', checkTransfers],
  ['Webhooks', checkWebhooks],
  ['Mails', checkMails],
  ['Audit', checkAudit],
  ['Disk', checkDisk],
];

/** The state of every part, in a fixed order. `state`: the worst of them. */
export type Health = { readonly state: HealthState; readonly checks: readonly HealthCheck[] };

/** Looks at every part at once. Never rejects, and takes about two seconds at most, whatever is down. */
export async function readHealth(service: Service): Promise<Health> {
  const found = await Promise.all(
    CHECKS.map(async ([part, check]): Promise<HealthCheck | null> => {
      const finding = await inTime(check(service).then((outcome) => ({ outcome })));
      if (!finding) return { part, ...NOT_READ };
      const { outcome } = finding;
      return (
        outcome && {
          part,
          state: outcome.state,
          says: outcome.says,
          facts: outcome.facts ?? [],
          remedy: outcome.remedy ?? null,
        }
      );
    }),
  );
  const checks = found.filter((check) => check !== null);
  return { checks, state: worstState(checks.map(({ state }) => state)) };
}

const NOT_READ: Omit<HealthCheck, 'part'> = {
  state: 'unknown',
  says: 'This could not be read within two seconds.',
  facts: [],
  remedy: {
    says: 'See what the log says, and whether the database and the node are slow.',
    docs: 'docs/operate/monitoring.md#health',
  },
};
