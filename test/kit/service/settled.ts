import { readHeader } from '../../../src/chain/blocks.ts';
import type { Rpc } from '../../../src/chain/rpc.ts';
import { readCursor } from '../../../src/ledger/blocks.ts';
import type { Service } from '../../../src/service/service.ts';

/**
 * Whether no transfer is on its way and the ledger is at the chain's confirmed head. `rpc`: another way to the node.
 */
export async function isSettled(service: Service, rpc?: Rpc): Promise<boolean> {
  // Most looks find transfers on their way, which one query shows instead of three.
  return (await openWork(service)).length === 0 && (await unsettled(service, rpc)).length === 0;
}

/**
 * What is still on its way, in words. The ledger is checked first: before it has healed a reorganisation, transfers
 * that will be reverted look completed. So it must have all confirmed blocks, and the chain must have the ledger's
 * newest block, which a node restored to an older state lacks.
 */
export async function unsettled({ db, settings, ...service }: Service, rpc = service.rpc): Promise<string[]> {
  const left: string[] = [];
  const head = await readHeader(rpc, 'latest');
  const confirmed = head && head.number - BigInt(settings.completeAfter - 1);
  const cursor = await readCursor(db);
  const isThere = cursor !== null && (await readHeader(rpc, cursor.number))?.hash === cursor.hash;
  // It may be further by now: if blocks come by themselves, it is seldom at the newest.
  const first = cursor && (cursor.complete ? cursor.number + 1n : cursor.number);
  if (confirmed === null || first === null || first <= confirmed || !isThere) {
    left.push(`ledger at ${cursor?.number}${isThere ? '' : ', which the chain has not'}; chain at ${confirmed}`);
  }
  left.push(...(await openWork({ db })));
  return left;
}

async function openWork({ db }: Pick<Service, 'db'>): Promise<string[]> {
  const left: string[] = [];
  const [open] = await db.query<{ transfers: bigint; transactions: bigint }>(
    `SELECT (SELECT count(*) FROM open_transfers) AS transfers,
            (SELECT coalesce(sum(open), 0)::bigint FROM relayers CROSS JOIN LATERAL (
               SELECT count(*) AS open FROM transactions
                WHERE relayer = address AND attempt = 0 AND nonce >= coalesce((
                  SELECT below FROM consumed_nonces AS used WHERE used.relayer = address ORDER BY block_number DESC LIMIT 1), 0)
             ) AS of_relayer
            ) AS transactions`,
  );
  if (open!.transfers > 0n) left.push(`${open!.transfers} transfers on their way`);
  if (open!.transactions > 0n) left.push(`${open!.transactions} transactions open`);
  return left;
}
