import { toChecksum } from '../base/address.ts';
import type { AuditReport } from '../diagnostics/audit/audit-ledger.ts';
import { readStoredAudit, storeAudit } from '../ledger/last-audit.ts';
import type { Service } from '../service/service.ts';
import { type Loop, repeat } from './repeat.ts';
import { runAudit } from './run-audit.ts';

/** Pause between checks whether an audit is due. The first audit is due after one pause, when the start is over. */
const LOOK_EVERY_SECONDS = 60;
/** Limits the differences of a kind, and the accounts, in one log entry. `quarters audit` shows all. */
const NAMED = 20;

/**
 * Runs the audit on its schedule (`AUDIT_EVERY_SECONDS`), in one process at a time and once for all. An audit is due if none has ended
 * within that time, or since this process started. Returns no loop if it is off.
 */
export function auditLoop(service: Service): Loop[] {
  const every = service.settings.auditEverySeconds;
  if (every === 0) return [];
  const pauseMs = Math.min(every, LOOK_EVERY_SECONDS) * 1000;
  const stopping = new AbortController();
  const startedAt = performance.now();
  let notBefore = startedAt + pauseMs;
  let failed: Error | null = null;
  const loop = repeat('audit', service, pauseMs, async () => {
    if (performance.now() < notBefore || service.readiness.chain !== 'ok') {
      // Until the next try it has still failed, and is not logged again.
      if (failed) throw failed;
      return false;
    }
    try {
      const last = await readStoredAudit(service.db);
      const up = (performance.now() - startedAt) / 1000;
      if (!isAuditDue({ every, lastAge: last?.ageSeconds ?? null, up })) return false;
      const { report, memory } = await runAudit(service, NAMED, stopping.signal);
      if (report) await note(service, report, memory);
      failed = null;
    } catch (error) {
      if (stopping.signal.aborted) return false;
      failed = error as Error;
      notBefore = performance.now() + pauseMs;
      throw error;
    }
    return false;
  });
  return [
    {
      ...loop,
      stop() {
        stopping.abort();
        return loop.stop();
      },
    },
  ];
}

/**
 * Whether an audit is due. `lastAge`: seconds since the last one ended in any process; null if there was none. `up`: seconds since this
 * process started.
 */
export function isAuditDue({ every, lastAge, up }: { every: number; lastAge: number | null; up: number }): boolean {
  return lastAge === null || lastAge >= Math.min(every, up);
}

async function note(service: Service, report: AuditReport, memory: number): Promise<void> {
  const { log } = service;
  const { differences, overdrawn, found, seconds } = report;
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
