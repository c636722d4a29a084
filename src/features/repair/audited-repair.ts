import { type AuditReport, auditLedger } from '../../diagnostics/audit/audit-ledger.ts';
import { auditingAlone } from '../../ledger/audit-lock.ts';
import { storeAudit } from '../../ledger/last-audit.ts';
import type { Withdrawn } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { planRepair, type RepairPlan, repairLedger } from './repair-ledger.ts';

/** Compares the ledger with the chain. The result is kept as that of the last audit. */
export async function auditAndKeep(service: Service): Promise<AuditReport> {
  const report = await auditLedger(service);
  await storeAudit(service.db, { ...report, ...report.found });
  return report;
}

/** What whoever repairs sees and decides. */
export type RepairDialogue = {
  /** Runs one step, and may show how far it is. */
  during<T>(step: string, work: (report: (done: number, total: number) => void) => Promise<T>): Promise<T>;
  /** Whether to do what is planned. */
  agree(plan: RepairPlan): Promise<boolean>;
  noteWithdrawn(withdrawn: Withdrawn): void;
};

/**
 * Audits, repairs what {@link RepairDialogue.agree} allows, and audits again. `from`: as in {@link planRepair}; null: only if the first audit
 * finds a difference. Returns what the last audit found; null, with nothing done, while another process audits or repairs. Throws if another
 * one may have repaired meanwhile, because the connection broke that holds its lock.
 */
export async function auditAndRepair(
  service: Service,
  from: bigint | null,
  { during, agree, noteWithdrawn }: RepairDialogue,
): Promise<AuditReport | null> {
  const audit = () => during('Comparing the ledger with the chain', () => auditAndKeep(service));
  return auditingAlone(service.db, async (lock) => {
    const found = await audit();
    if (found.differences.length === 0 && from === null) return found;
    const plan = await during('Reading blocks', (report) => planRepair(service, found, from, report));
    if (!(await agree(plan))) return found;
    lock.requireUnbroken();
    const withdrawn = await repairLedger(service, plan);
    for (const one of withdrawn) noteWithdrawn(one);
    return audit();
  });
}
