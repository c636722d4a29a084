import { toChecksum } from '../base/address.ts';
import type { AuditReport } from '../features/audit/audit-ledger.ts';
import { storeAudit } from '../ledger/last-audit.ts';
import { recordAudit } from '../settlement/readiness.ts';
import type { Service } from '../settlement/service.ts';
import { type Loop, repeat } from './repeat.ts';
import { runAudit } from './run-audit.ts';

/** Pause between checks whether an audit is due. The first audit is due after one pause, when the start is over. */
const LOOK_EVERY_SECONDS = 60;
/** Limits the differences of a kind, and the accounts, in one log entry. `quarters audit` shows all. */
const NAMED = 20;

/** Runs the audit on its schedule (`AUDIT_EVERY_SECONDS`), in one process at a time. Returns no loop if it is off. */
export function auditLoop(service: Service): Loop[] {
  const every = service.settings.auditEverySeconds;
  if (every === 0) return [];
  const pauseMs = Math.min(every, LOOK_EVERY_SECONDS) * 1000;
  const stopping = new AbortController();
  let due = performance.now() + pauseMs;
  let failed: Error | null = null;
  const loop = repeat('audit', service.log, pauseMs, async () => {
    if (performance.now() < due || service.readiness.chain !== 'ok') {
      // Until the next try it has still failed, and is not logged again.
      if (failed) throw failed;
      return false;
    }
    try {
      const { report, memory } = await runAudit(service, NAMED, stopping.signal);
      if (report) await note(service, report, memory);
      failed = null;
      due = performance.now() + every * 1000;
    } catch (error) {
      if (stopping.signal.aborted) return false;
      failed = error as Error;
      due = performance.now() + pauseMs;
      throw error;
    }
    return false;
  });
  return [
    {
      wake: loop.wake,
      stop() {
        stopping.abort();
        return loop.stop();
      },
    },
  ];
}

async function note(service: Service, report: AuditReport, memory: number): Promise<void> {
  const { log } = service;
  const { differences, overdrawn, found, seconds } = report;
  recordAudit(service, { ...found, seconds });
  const megabytes = Math.round(memory / 1_000_000);
  const entry = { block: Number(report.block), accounts: report.accounts, seconds, megabytes };
  if (found.differences > 0) {
    log.error(
      { ...entry, count: found.differences, differences: differences.slice(0, NAMED).map(logged) },
      'the ledger differs from the chain',
    );
  }
  if (found.overdrawn > 0) {
    log.error({ ...entry, count: found.overdrawn, accounts: overdrawn.map(logged) }, 'accounts have less than is held');
  }
  if (found.differences + found.overdrawn === 0) log.info(entry, 'the ledger equals the chain');
  await storeAudit(service.db, { ...report, ...found });
}

/** Converts amounts to text, because the log is JSON, which has no bigint. */
function logged({ account, ...rest }: { account: AuditReport['overdrawn'][number]['account'] | null }) {
  const texts = Object.entries(rest).map(([name, value]) => [name, typeof value === 'bigint' ? `${value}` : value]);
  return { account: account && toChecksum(account), ...Object.fromEntries(texts) };
}
