import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import { listActiveRelayers, raiseNextNonce } from '../../chain/relayers.ts';
import { readSeenNonce } from '../../chain/state.ts';
import { forgetWithdrawalAddresses } from '../../identity/withdrawal-addresses.ts';
import { endSuspension, readSuspension, type Suspension } from '../../ledger/suspension.ts';
import type { RunningProcess } from '../../membership/processes.ts';
import { untilTakenIn } from '../../membership/take-in.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { isChainInOrder } from '../../settlement/attach.ts';
import { markResumed } from '../../settlement/readiness.ts';

export type AcceptedSuspension = {
  readonly suspension: Suspension;
  /** The lowest nonce with which each relayer continues. */
  readonly relayers: readonly { readonly relayer: Address; readonly nextNonce: number }[];
  /** Processes that still refuse payments. They have not read in time that these are resumed. */
  readonly late: readonly RunningProcess[];
};

/**
 * The operator accepts that the database is older than the chain. What it lost stays lost, the relayers continue after
 * every nonce that the chain knows, and when this resolves, payments are accepted in every process but the late ones. Players add their
 * addresses for withdrawals anew.
 *
 * Throws `not-found` if payments are not suspended, `chain-unavailable` if the node does not answer or is not in order.
 */
export async function acceptSuspension(service: Service): Promise<AcceptedSuspension> {
  const { db, rpc, log, security } = service;
  const suspension = await readSuspension(db);
  if (!suspension) throw new Problem('not-found', 'Payments are not suspended: there is nothing to accept.');
  if (!(await isChainInOrder(service))) {
    throw new Problem(
      'chain-unavailable',
      'The node must answer and have our contracts, because the relayers continue from its nonces. `chain` in /readyz shows what is wrong.',
    );
  }
  // Transactions in the pool count too, because they may still be mined.
  const relayers = await Promise.all(
    (await listActiveRelayers(db)).map(async ({ address }) => {
      return { relayer: address, nextNonce: Number(await readSeenNonce(rpc, address)) };
    }),
  );
  await db.transaction(async (tx) => {
    for (const { relayer, nextNonce } of relayers.toSorted((a, b) => (a.relayer < b.relayer ? -1 : 1))) {
      await raiseNextNonce(tx, relayer, nextNonce);
    }
    if (!(await endSuspension(tx, suspension))) {
      throw new Problem('not-found', 'Somebody else has just accepted it.');
    }
    // One may have been stopped since the backup.
    await forgetWithdrawalAddresses(tx);
    const { since, findings } = suspension;
    const unknown = { relayers: findings.relayers.length, authorizations: findings.authorizationsInAll };
    const before = { suspendedSince: since, unknown };
    await recordChange(tx, { action: 'suspension-accepted', subject: { kind: 'service', id: 'payments' }, before });
  });
  await markResumed(service);
  security.note('suspension-accepted');
  log.warn(
    { since: suspension.since, ...suspension.findings },
    'payments are resumed, after the database was found older than the chain',
  );
  return { suspension, relayers, late: await untilTakenIn(db) };
}
