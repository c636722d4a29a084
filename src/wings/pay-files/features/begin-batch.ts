import { Problem } from '../../../base/problems.ts';
import type { Tx } from '../../../db/database.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import {
  addBatchRows,
  findPayBatch,
  insertPayBatch,
  lockPayBatch,
  type PayBatch,
  readBatchRows,
} from '../store/pay-batches.ts';
import { batchIdOf, mustContinue } from './batch-rows.ts';
import { type BatchPlan, sumOfRows } from './pay-batch.ts';

/**
 * Stores the batch and its new rows before the first of them is paid, and records them in the operator's log. A concurrent command with the
 * same file may have done so. Throws `invalid-input` if one has added other rows, or has begun the batch for another payer.
 */
export async function beginBatch(service: Service, plan: BatchPlan): Promise<PayBatch> {
  const { name, file, app, added } = plan;
  if (plan.batch && added.length === 0) return plan.batch;
  const { batch, isBegun } = await service.db.transaction(async (tx) => {
    const terms = {
      fileHash: file.meaning,
      appId: app?.id ?? null,
      rowCount: file.rows.length,
      quarters: file.quarters,
    };
    const begun = plan.batch ?? (await insertPayBatch(tx, { id: batchIdOf(service, name), name, ...terms }));
    const batch = begun ?? (await findPayBatch(tx, name));
    if (!batch) throw new Error(`The batch "${name}" is gone`);
    mustContinue(batch, file, terms.appId);
    if (!batch.byLine) await addRows(tx, batch, plan);
    if (begun) {
      const after = { name, sha256: file.hash.toString('hex'), ...sumOfRows(added), from: app?.id ?? 'treasury' };
      await recordChange(tx, { action: 'batch-paid', subject: { kind: 'action', id: batch.id }, after });
    }
    return { batch, isBegun: begun !== null };
  });
  if (isBegun) service.security.note('quarters-issued', { what: `batch ${batch.id}` });
  return batch;
}

async function addRows(tx: Tx, batch: PayBatch, { added, rows, known }: BatchPlan): Promise<void> {
  await lockPayBatch(tx, batch);
  const expected = new Set([...known, ...rows.map(({ identity }) => identity.toString('hex'))]);
  if ((await readBatchRows(tx, batch)).some(({ identity }) => !expected.has(identity.toString('hex')))) {
    throw new Problem(
      'invalid-input',
      `Another file is being paid as the batch "${batch.name}" at this moment. Try again.`,
    );
  }
  await addBatchRows(
    tx,
    batch,
    // A refused row may be corrected. With an address it would look like one that another command is paying.
    added.map(({ identity, to, refusal, amount }) => ({
      ...{ identity, amount },
      address: refusal === null ? to!.address : null,
    })),
  );
}
