import { readHeader } from '../../src/chain/blocks.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { readPostedBlocks } from '../../src/ledger/blocks.ts';
import type { Service } from '../../src/usecases/service.ts';

/** Whether no transfer is on its way and the ledger has the chain's newest confirmed block. `rpc`: another way to the node. */
export async function isSettled(service: Service, rpc?: Rpc): Promise<boolean> {
  return (await unsettled(service, rpc)).length === 0;
}

/**
 * What is still on its way, in words. The ledger is looked at first: before it has healed a reorganisation, transfers that are
 * to be taken back look completed.
 */
export async function unsettled({ db, settings, ...service }: Service, rpc = service.rpc): Promise<string[]> {
  const left: string[] = [];
  const head = await readHeader(rpc, 'latest');
  const depth = BigInt(settings.completeAfter - 1);
  const confirmed = head && depth > 0n ? await readHeader(rpc, head.number - depth) : head;
  // By now it may be further: where blocks come by themselves, it is seldom met at the newest.
  const [posted] = confirmed ? await readPostedBlocks(db, confirmed.number, 1) : [];
  if (!posted?.complete || posted.hash !== confirmed!.hash) {
    left.push(`ledger at ${posted?.number}, chain at ${confirmed?.number}`);
  }
  const [open] = await db.query<{ transfers: bigint; transactions: bigint }>(
    `SELECT (SELECT count(*) FROM transfers WHERE status IN ('approved', 'submitted')) AS transfers,
            (SELECT count(*) FROM transactions WHERE status IN ('signed', 'sent')) AS transactions`,
  );
  if (open!.transfers > 0n) left.push(`${open!.transfers} transfers on their way`);
  if (open!.transactions > 0n) left.push(`${open!.transactions} transactions open`);
  return left;
}
