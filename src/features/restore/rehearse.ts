import { Problem } from '../../base/problems.ts';
import { readHeader } from '../../chain/blocks.ts';
import { auditLedger } from '../../diagnostics/audit/audit-ledger.ts';
import { auditingAlone } from '../../ledger/audit-lock.ts';
import { readKnownBlock } from '../../ledger/suspension.ts';
import { listProcesses } from '../../membership/processes.ts';
import { nameProcesses } from '../../membership/take-in.ts';
import type { Service } from '../../service/service.ts';
import { compareDatabase, isChainInOrder } from '../../settlement/attach.ts';
import { type ReportStep, withoutService } from './chain-reading.ts';
import { addSearches, findOnce, listUnpayable, type RestoreReport } from './restore.ts';

export type Rehearsal = Omit<RestoreReport, 'resumed' | 'late'> & {
  /** The chain knows more than the copy does: a service would suspend payments. */
  readonly isOlder: boolean;
  /** How long the search took with reading the chain, and the audit. */
  readonly seconds: { readonly search: number; readonly audit: number };
};

/**
 * Does with a copy of the database what a restore does, and says what it found. No service runs on the copy, so this reads the chain itself.
 * It changes the copy, and leaves payments suspended there. Nothing is sent: no transaction, mail or webhook.
 *
 * Throws if a service runs on this database.
 */
export async function rehearseRestore(service: Service, since: Date | null, report: ReportStep): Promise<Rehearsal> {
  const { db } = service;
  await requireNobody(service);
  if (!(await isChainInOrder(service)))
    throw new Problem('chain-unavailable', 'The node must answer and have our contracts.');
  const rehearsal = await auditingAlone(db, async (lock) => {
    const began = performance.now();
    report('Comparing the database with the chain');
    await compareCopy(service);
    const isOlder = (await readKnownBlock(db)) !== null;
    const from = since ?? (isOlder ? null : new Date());
    const reading = withoutService(service, report);
    const search = () =>
      findOnce(service, from, reading, (...step) => {
        lock.requireHeld();
        report(...step);
      });
    // The second one is short. It brings the ledger to a block whose state every node still has.
    const found = addSearches(await search(), await search());
    const searched = performance.now();
    report('Comparing the ledger with the chain');
    const audit = await auditLedger(service);
    const seconds = { search: (searched - began) / 1000, audit: audit.seconds };
    return { ...found, audit, unpayable: await listUnpayable(service, audit), isOlder, seconds };
  });
  if (!rehearsal) throw new Error('Another process restores or audits this database at this moment.');
  return rehearsal;
}

/** A rehearsal on the real database by mistake would change it. */
async function requireNobody({ db }: Service): Promise<void> {
  const processes = await listProcesses(db);
  if (processes.length === 0) return;
  throw new Error(
    `A service works on this database: ${nameProcesses(processes)}. A rehearsal changes the database, so restore the backup into one of its own and name that in DATABASE_URL.`,
  );
}

const QUIET: Service['log'] = { info() {}, warn() {}, error() {} };

/** As a service compares its database at its start. This process itself goes on as before, and the report says what was found. */
async function compareCopy(service: Service): Promise<void> {
  const head = await readHeader(service.rpc, 'latest');
  if (!head) throw new Error('The chain node has no blocks');
  const readiness = { ...service.readiness, compared: 'not-yet' as const };
  await compareDatabase({ ...service, readiness, log: QUIET }, head.number);
}
