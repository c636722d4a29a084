import { toChecksum } from '../base/address.ts';
import { type AuditReport, auditLedgerAlone } from '../features/audit/audit-ledger.ts';
import { recordAudit } from '../settlement/readiness.ts';
import type { Service } from '../settlement/service.ts';
import { type Loop, repeat } from './repeat.ts';

/** Pause between checks whether an audit is due. The first audit is due after one pause, when the start is over. */
const LOOK_EVERY_SECONDS = 60;
/** Limits the differences and accounts in one log entry. `quarters audit` shows all. */
const NAMED = 20;

/** Runs the audit on its schedule (`AUDIT_EVERY_SECONDS`), in one process at a time. Returns no loop if it is off. */
export function auditLoop(service: Service): Loop[] {
  const every = service.settings.auditEverySeconds;
  if (every === 0) return [];
  const pauseMs = Math.min(every, LOOK_EVERY_SECONDS) * 1000;
  const stopping = new AbortController();
  let due = performance.now() + pauseMs;
  const loop = repeat('audit', service.log, pauseMs, async () => {
    if (performance.now() < due || service.readiness.chain !== 'ok') return false;
    try {
      const report = await auditLedgerAlone(service, stopping.signal);
      if (report) note(service, report);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
    due = performance.now() + every * 1000;
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

function note(service: Service, report: AuditReport): void {
  const { log } = service;
  const { differences, overdrawn, seconds } = report;
  recordAudit(service, { differences: differences.length, overdrawn: overdrawn.length, seconds });
  const entry = { block: Number(report.block), accounts: report.accounts, seconds };
  if (differences.length > 0) {
    log.error(
      { ...entry, count: differences.length, differences: differences.slice(0, NAMED).map(logged) },
      'the ledger differs from the chain',
    );
  }
  if (overdrawn.length > 0) {
    log.error(
      { ...entry, count: overdrawn.length, accounts: overdrawn.slice(0, NAMED).map(logged) },
      'accounts have less than is held',
    );
  }
  if (differences.length + overdrawn.length === 0) log.info(entry, 'the ledger equals the chain');
}

/** Converts amounts to text, because the log is JSON, which has no bigint. */
function logged({ account, ...rest }: { account: AuditReport['overdrawn'][number]['account'] | null }) {
  const texts = Object.entries(rest).map(([name, value]) => [name, typeof value === 'bigint' ? `${value}` : value]);
  return { account: account && toChecksum(account), ...Object.fromEntries(texts) };
}
