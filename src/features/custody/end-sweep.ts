import { finishSweep } from '../../ledger/sweeps.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { markMoved } from '../../settlement/readiness.ts';

/** Lets payments continue once all quarters are at the new addresses. Call it when nothing is left to send. */
export async function endSweep(service: Service): Promise<void> {
  const { db, log } = service;
  const ended = await db.transaction(async (tx) => {
    const sweep = await finishSweep(tx);
    if (!sweep) return null;
    const after = { accounts: Number(sweep.accounts), quarters: sweep.quarters };
    await recordChange(tx, { action: 'sweep-finished', subject: { kind: 'service', id: 'seed' }, after });
    return sweep;
  });
  if (ended) {
    markMoved(service);
    log.info(
      { accounts: Number(ended.accounts) },
      'all quarters are at their new addresses: payments are accepted again',
    );
  }
}
