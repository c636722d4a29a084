import { setPriority } from 'node:os';
import { connectRpc } from '../chain/rpc.ts';
import { openDatabase } from '../db/database.ts';
import { auditLedger } from '../diagnostics/audit/audit-ledger.ts';
import { auditingAlone } from '../ledger/audit-lock.ts';
import type { AuditAnswer, AuditTask } from './run-audit.ts';

// The program of the process that audits for a service. It reads its task from its parent, answers once, and ends. It
// ends at once when the channel to the parent closes, which is what a kill -9 of the parent does too.

/** A tenth of the time of a busy core, next to a process of usual priority. The lowest would get next to none of it. */
const LOW_PRIORITY = 10;

process.title = 'quarters audit';
process.once('disconnect', () => process.exit());
try {
  setPriority(LOW_PRIORITY);
} catch {
  // A sandbox may forbid it. The audit rests most of the time anyway.
}

async function audit({ databaseUrl, rpcUrls, token, most }: AuditTask): Promise<AuditAnswer> {
  // One connection holds the lock, the other one reads.
  const db = openDatabase(databaseUrl, { maxConnections: 2, onError: () => {} });
  try {
    const deps = { db, rpc: connectRpc(rpcUrls), chain: { contracts: { token } } };
    const report = await auditingAlone(db, () => auditLedger(deps, { most }));
    // In bytes; the kernel counts in kilobytes.
    return { report, memory: process.resourceUsage().maxRSS * 1024 };
  } catch (error) {
    return { fault: (error as Error).message };
  } finally {
    await db.close();
  }
}

process.once('message', (task) => {
  void audit(task as AuditTask).then((answer) => process.send!(answer, () => process.disconnect!()));
});
