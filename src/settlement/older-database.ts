import { readShownAuthorizations, type ShownAuthorization } from '../chain/authorization-logs.ts';
import { listRelayers, nextNonce } from '../chain/relayers.ts';
import { readSeenNonce } from '../chain/state.ts';
import { readCursor } from '../ledger/blocks.ts';
import { type Findings, suspend } from '../ledger/suspension.ts';
import { authorizationsOfOurs } from '../ledger/unknown-authorizations.ts';
import type { Service } from './service.ts';
import { noteSuspension } from './suspension.ts';
import { authorizationsWithoutTransfer } from './tables/transfers.ts';

/** How many payments are named; the total is reported besides. */
const NAMED = 100;

/**
 * Checks once per process whether the chain has seen more of our transactions than the database knows, as after a
 * restored backup. If so, payments are suspended in all processes until the operator accepts the loss. During the check
 * no instruction is accepted.
 *
 * The chain is read first and the database afterwards: a running process stores everything before it sends it.
 */
export async function compareDatabase(service: Service, head: bigint): Promise<void> {
  const { readiness } = service;
  if (readiness.compared !== 'not-yet') return;
  readiness.compared = 'under-way';
  try {
    const relayers = await relayersAhead(service);
    const { named, inAll } = await authorizationsAhead(service, head);
    if (relayers.length + inAll > 0) {
      const authorizations = named.map(({ authorizer, kind, nonce, txHash, block }) => {
        return { account: authorizer, kind, nonce, txId: txHash, block: Number(block) };
      });
      await suspend(service.db, { relayers, authorizations, authorizationsInAll: inAll });
    }
    await noteSuspension(service);
    readiness.compared = 'done';
  } finally {
    if (readiness.compared === 'under-way') readiness.compared = 'not-yet';
  }
}

async function relayersAhead({ db, rpc }: Service): Promise<Findings['relayers']> {
  const relayers = await listRelayers(db);
  // Transactions in the pool count: if a standby lacked the last commits, all that is lost may wait there.
  const onChain = await Promise.all(relayers.map(({ address }) => readSeenNonce(rpc, address)));
  const stored = await Promise.all(relayers.map(({ address }) => nextNonce(db, address)));
  return relayers.flatMap(({ address }, i) =>
    onChain[i]! > stored[i]! ? [{ relayer: address, chain: Number(onChain[i]), database: Number(stored[i]) }] : [],
  );
}

/** Looks at blocks that the follower has not reached; it has compared the earlier ones itself. */
async function authorizationsAhead({ db, rpc, chain }: Service, head: bigint) {
  const cursor = await readCursor(db);
  const first = !cursor ? chain.startBlock : cursor.complete ? cursor.number + 1n : cursor.number;
  const named: ShownAuthorization[] = [];
  let inAll = 0;
  for await (const shown of readShownAuthorizations(rpc, chain.contracts.token, first, head)) {
    const unknown = await authorizationsWithoutTransfer(db, await authorizationsOfOurs(db, shown));
    named.push(...unknown.slice(0, NAMED - named.length));
    inAll += unknown.length;
  }
  return { named, inAll };
}
