import type { Address } from '../base/address.ts';
import { Unproven } from '../chain/block-proof.ts';
import { type TokenLog, textOfLogs } from '../chain/block-replies.ts';
import { type BlockHeader, saidTransactions } from '../chain/blocks.ts';
import type { Rpc } from '../chain/rpc.ts';
import { readLogsOfReceipts, readLogsOfTransaction } from '../chain/token-logs.ts';
import type { Service } from '../service/service.ts';
import { openTransactionsAmong } from './tables/transactions.ts';
import { findTransfers, nonceOf, type Transfer } from './tables/transfers.ts';

type Deps = Pick<Service, 'db' | 'chain'>;

/**
 * Compares the logs of a block, of which only one endpoint knows, with all else that it says: the receipts of all transactions in the block
 * have just these logs. Then with what we expect: each of our transactions in the block has paid its transfers. Where a transaction has
 * other logs than that, or is not ours, its own receipt has to say so too.
 *
 * Throws {@link Unproven} if it does not, or if a log names a transaction that is not in the block.
 */
export async function requireExpected(
  { db, chain }: Deps,
  rpc: Rpc,
  header: BlockHeader,
  logs: readonly TokenLog[],
): Promise<void> {
  if (textOfLogs(await readLogsOfReceipts(rpc, header, chain.contracts.token)) !== textOfLogs(logs))
    throw new Unproven(`the receipts of block ${header.number} have other logs than the node gives for it`);
  const inBlock = new Set(saidTransactions(header));
  const given = Map.groupBy(logs, ({ txHash }) => txHash);
  for (const hash of given.keys()) {
    if (!inBlock.has(hash))
      throw new Unproven(`a log of block ${header.number} is of transaction ${hash}, which is not in it`);
  }
  const ours = await openTransactionsAmong(db, [...inBlock]);
  const transfers = new Map(
    (
      await findTransfers(
        db,
        ours.flatMap(({ payload }) => payload),
      )
    ).map((transfer) => [transfer.id, transfer] as const),
  );
  const expected = new Map(
    ours.map(({ hash, payload }) => [hash, payload.flatMap((id) => transfers.get(id) ?? [])] as const),
  );
  for (const hash of new Set([...given.keys(), ...expected.keys()])) {
    const found = given.get(hash) ?? [];
    const paid = expected.get(hash);
    if (paid && isPaid(paid, found)) continue;
    const said = await readLogsOfTransaction(rpc, hash, chain.contracts.token);
    if (textOfLogs(said) !== textOfLogs(found))
      throw new Unproven(`the receipt of transaction ${hash} has other logs than block ${header.number}`);
  }
}

/** Whether the logs are just those of these payments: for each, its authorization was used and its quarters moved. */
function isPaid(transfers: readonly Transfer[], logs: readonly TokenLog[]): boolean {
  const found = logs.map((log) =>
    log.kind === 'transfer' ? moved(log.from, log.to, log.amount) : `${log.kind} ${log.authorizer} ${log.nonce}`,
  );
  const expected = transfers.flatMap((transfer) => [
    `used ${transfer.from} ${nonceOf(transfer)}`,
    moved(transfer.from, transfer.to, transfer.amount),
  ]);
  return found.length === expected.length && found.every((text, i) => text === expected[i]);
}

const moved = (from: Address, to: Address, amount: bigint): string => `transfer ${from} ${to} ${amount}`;
