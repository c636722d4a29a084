import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import { listRelayers, raiseNextNonce } from '../../chain/relayers.ts';
import { readSeenNonce } from '../../chain/state.ts';
import { endSuspension, readSuspension, type Suspension } from '../../ledger/suspension.ts';
import type { Service } from '../service.ts';

export type Accepted = {
  readonly suspension: Suspension;
  /** From which nonce on each relayer goes on at the least. */
  readonly relayers: readonly { readonly relayer: Address; readonly nextNonce: number }[];
};

/**
 * The operator accepts that the database is older than the chain: what it lost stays lost, the relayers go on behind whatever the
 * chain knows of them, and payments are decided again, in every process within a second or so.
 *
 * Throws `not-found` where payments are not suspended, `chain-unavailable` where the node does not answer or is not in order.
 */
export async function acceptSuspension(service: Service): Promise<Accepted> {
  const { db, rpc, readiness, log, security } = service;
  const suspension = await readSuspension(db);
  if (!suspension) throw new Problem('not-found', 'Payments are not suspended: there is nothing to accept.');
  if (readiness.chain !== 'ok') {
    throw new Problem(
      'chain-unavailable',
      'The relayers go on from what the chain knows: the node must answer, with our contracts. `chain` in /readyz says what is wrong.',
    );
  }
  // What waits in the pool counts too: it may be mined yet.
  const relayers = await Promise.all(
    (await listRelayers(db)).map(async ({ address }) => {
      return { relayer: address, nextNonce: Number(await readSeenNonce(rpc, address)) };
    }),
  );
  await db.transaction(async (tx) => {
    for (const { relayer, nextNonce } of relayers.toSorted((a, b) => (a.relayer < b.relayer ? -1 : 1))) {
      await raiseNextNonce(tx, relayer, nextNonce);
    }
    if (!(await endSuspension(tx, suspension))) {
      throw new Problem('not-found', 'Somebody else has accepted it just now.');
    }
  });
  readiness.suspended = false;
  security.note('suspension-accepted');
  log.warn(
    { since: suspension.since, ...suspension.findings },
    'accepted: the database is older than the chain, and what it lost stays lost',
  );
  return { suspension, relayers };
}
