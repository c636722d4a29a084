import { Problem } from '../../base/problems.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { releasePay, reservePay } from '../../identity/key-caps.ts';
import type { Service } from '../service.ts';
import type { Decided, Order } from '../system/orders.ts';

/**
 * Decides a payment within what the caller's key may pay out today. Its part is set aside before, by one conditional statement,
 * and given back where nothing was paid: a crash in between only makes the key pay less. Throws `key-limit`.
 */
export async function payUnderKeyCap(service: Service, caller: AppCaller, order: Order): Promise<Decided> {
  if (caller.payPerDay === null) return service.decide(order);
  const reservation = await reservePay(service.db, caller.keyHash, order.amount);
  if (!reservation) {
    throw new Problem('key-limit', `This server API key may pay out ${caller.payPerDay} quarters a day (UTC).`);
  }
  // A database that is away must not turn an answer into a failure.
  const giveBack = () => releasePay(service.db, reservation).catch(() => {});
  try {
    const decided = await service.decide(order);
    if (decided.replayed) await giveBack();
    return decided;
  } catch (error) {
    // Anything but a refusal may have been decided after all.
    if (error instanceof Problem && error.code !== 'outcome-unknown') await giveBack();
    throw error;
  }
}
