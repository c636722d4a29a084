import { LOWEST_ID, type TransferId } from '../base/ids.ts';
import { readUsedAuthorizations } from '../chain/balances.ts';
import type { TokenLog } from '../chain/block-replies.ts';
import { pinned } from '../chain/rpc.ts';
import { readShownAuthorizations } from '../chain/token-logs.ts';
import type { Queries, Tx } from '../db/database.ts';
import { nextKnownBlock, type PostedBlock, readCursor, waitForFollowing } from '../ledger/blocks.ts';
import { applyChanges, BalanceChanges, readPostingsOf } from '../ledger/postings.ts';
import { readKnownBlock } from '../ledger/suspension.ts';
import type { Engine } from './engine.ts';
import { placedAsPosted } from './log-places.ts';
import { countSettled, creditLogs } from './post.ts';
import { blocksBelow, type ProvenBlock } from './repair.ts';
import type { AuthorizationLog, SettledTransfer } from './tables/transfer-transitions.ts';
import { nonceOf, type Transfer } from './tables/transfers.ts';

/** Lists open transfers after an id, in the order of their ids. */
export type ListTransfers = (db: Queries, after: string, most: number) => Promise<Transfer[]>;

/** What was done with transfers that the chain had settled in blocks that were followed before. */
export type SettledUsed = {
  readonly completed: number;
  readonly failed: number;
  /** The node says that these are settled, but nobody shows where. */
  readonly notFound: readonly TransferId[];
};

/** As many as one request of a node names. */
const PAGE = 200;

/**
 * Settles open transfers whose authorization the chain has used, or cancelled, in a block that the ledger has followed already. After a
 * restored backup a repeated call signs what was paid before: its own transaction can never pay, and no block to come will show the log. So
 * the log is looked for in earlier blocks, from the last one that the backup knew. Its block is proven as when it is followed.
 *
 * Leaves alone what the ledger itself lacks: `audit --repair` is for that.
 */
export async function settleUsed(service: Engine, list: ListTransfers): Promise<SettledUsed> {
  const { db } = service;
  const cursor = await readCursor(db);
  let [completed, failed] = [0, 0];
  const notFound: TransferId[] = [];
  // While a block is half posted, a transfer may be open only because its log comes in the next chunk.
  if (!cursor?.complete) return { completed, failed, notFound };
  for (let after: string = LOWEST_ID; ; ) {
    // Listed after the cursor was read. So what is still open and used at that block has no log that is still to be posted.
    const page = await list(db, after, PAGE);
    if (page.length === 0) return { completed, failed, notFound };
    after = page.at(-1)!.id;
    const settled = await settlePage(service, cursor, page);
    completed += settled.completed;
    failed += settled.failed;
    notFound.push(...settled.notFound);
  }
}

async function settlePage(service: Engine, cursor: PostedBlock, page: readonly Transfer[]): Promise<SettledUsed> {
  const { chain, meters } = service;
  // The state, the logs and the headers come from one node.
  const rpc = pinned(service.rpc);
  const { token } = chain.contracts;
  const authorizations = page.map((transfer) => ({ from: transfer.from, nonce: nonceOf(transfer) }));
  const states = await readUsedAuthorizations(rpc, token, cursor.hash, authorizations);
  const used = new Map(page.flatMap((transfer, i) => (states[i] ? [[keyOf(transfer), transfer] as const] : [])));
  if (used.size === 0) return { completed: 0, failed: 0, notFound: [] };
  const known = (await readKnownBlock(service.db)) ?? 0n;
  const first = known > chain.startBlock ? known : chain.startBlock;
  const of = [...used.values()].map((transfer) => ({ authorizer: transfer.from, nonce: nonceOf(transfer) }));
  const blocks = new Map<bigint, Transfer[]>();
  const left = new Set(used.keys());
  for await (const shown of readShownAuthorizations(rpc, token, first, cursor.number, { of })) {
    for (const { authorizer, nonce, block } of shown) {
      const transfer = used.get(`${authorizer} ${nonce}`);
      if (transfer && left.delete(keyOf(transfer))) blocks.set(block, [...(blocks.get(block) ?? []), transfer]);
    }
    if (left.size === 0) break;
  }
  const settled: SettledTransfer[] = [];
  for (const [number, transfers] of blocks) settled.push(...(await settleIn(service, number, transfers)));
  countSettled(meters, settled);
  const done = new Set(settled.map(({ id }) => id));
  const count = (status: SettledTransfer['status']) => settled.filter((one) => one.status === status).length;
  const notFound = [...used.values()].filter(({ id }) => !done.has(id)).map(({ id }) => id);
  return { completed: count('completed'), failed: count('failed'), notFound };
}

const keyOf = (transfer: Transfer): string => `${transfer.from} ${nonceOf(transfer)}`;

/** Settles these transfers by the logs of one followed block. Returns those that it has. */
async function settleIn(
  service: Engine,
  number: bigint,
  transfers: readonly Transfer[],
): Promise<readonly SettledTransfer[]> {
  const { db, settings, log } = service;
  const anchor = await nextKnownBlock(db, number);
  if (!anchor) return [];
  let block: ProvenBlock | undefined;
  for await (const proven of blocksBelow(service, anchor, number)) block = proven;
  const settled = await db.transaction(async (tx) => {
    await waitForFollowing(tx);
    // A reorganisation may have taken the block back.
    const now = await nextKnownBlock(tx, number);
    if (now?.hash !== anchor.hash) return [];
    const logs = await decidingLogs(tx, block!, transfers);
    const changes = new BalanceChanges();
    const decided = await creditLogs(tx, settings, block!, logs, changes);
    await applyChanges(tx, changes);
    return decided;
  });
  const of = (status: SettledTransfer['status']) => settled.filter((one) => one.status === status).map(({ id }) => id);
  const entry = { block: Number(number), completed: of('completed'), failed: of('failed') };
  if (settled.length > 0) log.warn(entry, 'the chain had settled transfers in a block from before they were accepted');
  const moved = new Map(transfers.map((transfer) => [transfer.id, paidBy(block!, transfer)]));
  const others = settled.filter(({ id, status }) => status === 'failed' && moved.get(id));
  if (others.length > 0) {
    const named = others.map(({ id, txHash }) => ({ transfer: id, txId: txHash }));
    log.error({ transfers: named }, 'the authorization of a transfer has paid something else: it has failed');
  }
  return settled;
}

/**
 * The logs that decide these transfers. One that paid somebody else, or another amount, than the transfer says cannot pay it any more, so it
 * counts as cancelled. A payment that the ledger does not have decides nothing.
 */
async function decidingLogs(tx: Tx, block: ProvenBlock, transfers: readonly Transfer[]): Promise<TokenLog[]> {
  const postings = await readPostingsOf(tx, block.number);
  const posted = new Set(postings.map(({ logIndex }) => logIndex));
  const placed = { logs: placedAsPosted(postings, block.logs) };
  return transfers.flatMap((transfer): TokenLog[] => {
    const log = authorizationOf(placed, transfer);
    if (!log || log.kind === 'canceled') return log ? [log] : [];
    const moved = paidBy(placed, transfer);
    if (!moved || !posted.has(moved.logIndex)) return [];
    const isSame = moved.from === transfer.from && moved.to === transfer.to && moved.amount === transfer.amount;
    return [isSame ? log : { ...log, kind: 'canceled' }];
  });
}

type Logs = Pick<ProvenBlock, 'logs'>;

/** The log by which a block has used, or cancelled, a transfer's authorization. */
function authorizationOf({ logs }: Logs, transfer: Transfer): (TokenLog & AuthorizationLog) | undefined {
  return logs.find(
    (log): log is TokenLog & AuthorizationLog =>
      log.kind !== 'transfer' && log.authorizer === transfer.from && log.nonce === nonceOf(transfer),
  );
}

/** What a block has moved by a transfer's authorization: the token logs the use of it, and then that. */
function paidBy({ logs }: Logs, transfer: Transfer): (TokenLog & { kind: 'transfer' }) | null {
  const at = logs.findIndex(
    (log) => log.kind === 'used' && log.authorizer === transfer.from && log.nonce === nonceOf(transfer),
  );
  const moved = logs[at + 1];
  return at >= 0 && moved?.kind === 'transfer' ? moved : null;
}
