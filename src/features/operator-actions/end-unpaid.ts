import { createHash } from 'node:crypto';
import { Problem } from '../../base/problems.ts';
import { type IdempotencyKey, keyId, storeAnswers, takeKeys } from '../../idempotency/keys.ts';
import type { ActionRow } from '../../operator-actions/operator-actions.ts';
import type { Accepted } from '../../service/instruction.ts';
import type { Service } from '../../service/service.ts';
import type { ActionEnd } from './action-deed.ts';

/**
 * Pays for an action, or makes sure that nothing will ever be paid for it. After a refusal the action's idempotency key is taken with another
 * body, in a transaction that waits for whoever holds it. So the action fails only if nobody has been paid, and whoever still tries is refused.
 */
export async function settleIssue(
  service: Pick<Service, 'db'>,
  action: ActionRow,
  key: IdempotencyKey,
  pay: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<ActionEnd> {
  try {
    return { state: 'done', result: await pay() };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const paid = await preventPayment(service, key);
    if (paid === 'never') return { state: 'failed', result: { code: error.code, message: error.message } };
    return {
      state: 'done',
      result: { transferId: paid.transferId, txId: paid.txHash, to: JSON.parse(action.params).to },
    };
  }
}

/** Ends an action that was started, if nothing has been paid for it. Returns the payment if there is one. */
async function preventPayment({ db }: Pick<Service, 'db'>, key: IdempotencyKey): Promise<Accepted | 'never'> {
  return db.transaction(async (tx) => {
    const stored = (await takeKeys(tx, [key])).get(keyId(key));
    if (stored) return 'never' in stored.answer ? 'never' : (stored.answer as Accepted);
    const bodyHash = createHash('sha256').update('nothing is paid').digest();
    await storeAnswers(tx, [[{ ...key, bodyHash }, { never: true }]]);
    return 'never' as const;
  });
}
