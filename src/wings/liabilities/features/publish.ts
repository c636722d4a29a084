import { randomBytes } from 'node:crypto';
import { asHash, bytesToHex, type Hash } from '../../../base/hex.ts';
import { Problem } from '../../../base/problems.ts';
import { withThousands } from '../../../base/quarters.ts';
import { readBalances, readTotalSupply } from '../../../chain/balances.ts';
import { readHeader } from '../../../chain/blocks.ts';
import type { Tx } from '../../../db/database.ts';
import { isUniqueViolation } from '../../../db/database.ts';
import { type ActingOperator, holdActing } from '../../../features/operators/operators.ts';
import { lockPosted, type PostedBlock, readCursor, readPostedBlocks } from '../../../ledger/blocks.ts';
import { readOwed, readTotalsAt } from '../../../ledger/liabilities.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import { finalBlock, learnFinality } from '../../../settlement/finality.ts';
import { unsettledAt } from '../../../settlement/tables/transfer-audit.ts';
import { type FinishedTree, openTree } from '../store/leaf-chunks.ts';
import {
  findPublication,
  forgetOldLeaves,
  insertPublication,
  lockPublishing,
  type Publication,
} from '../store/publications.ts';
import { type LiabilityStatement, rootOf } from '../store/statement.ts';

const SECRET_BYTES = 32;

export type Published = { readonly publication: Publication; readonly replayed: boolean };

/**
 * Publishes what all users and apps own at the newest block that no reorganisation should reach any more, or at an earlier one. Everything is read in one
 * snapshot, which locks no row. The supply and the treasury's balance are compared with the chain before anything is published. A block
 * is published once: a repeated call returns what there is (`replayed`).
 *
 * Throws `limit-reached` while somebody else publishes, and an Error that says what to do if the ledger differs from the chain or the treasury
 * does not cover the rewards.
 */
export async function publishLiabilities(
  service: Service,
  operator: ActingOperator,
  number?: bigint,
): Promise<Published> {
  const { db } = service;
  const secret = randomBytes(SECRET_BYTES);
  await learnFinality(service);
  const read = await db.snapshot(async (tx) => {
    const block = await blockToPublish(service, tx, number);
    const earlier = await validPublication(tx, block);
    if (earlier) return earlier;
    if (!(await lockPublishing(tx))) {
      throw new Problem('limit-reached', 'Another publication is being made. Try again when it is done.');
    }
    return readTree(service, tx, block, secret);
  });
  if ('root' in read) return { publication: read, replayed: true };

  const { said, tree } = read;
  await compareWithChain(service, said);
  const root = rootOf(said);
  try {
    await db.transaction(async (tx) => {
      await holdActing(tx, operator);
      await insertPublication(tx, { ...said, root }, secret, tree);
      await forgetOldLeaves(tx);
      const { block, balances, rewards, accounts } = said;
      const subject = { kind: 'liabilities', id: root } as const;
      await recordChange(tx, {
        action: 'liabilities-published',
        subject,
        after: { block, balances, rewards, accounts },
      });
      if (!(await lockPosted(tx, { number: said.block, hash: said.blockHash }))) throw removed(said);
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'one_publication_of_a_block')) throw error;
    return { publication: (await findPublication(db, said.block))!, replayed: true };
  }
  return { publication: (await findPublication(db, said.block))!, replayed: false };
}

export type NextPublication = {
  readonly block: bigint;
  readonly blockHash: Hash;
  /** The publication of this very block. */
  readonly earlier: Publication | null;
} & Awaited<ReturnType<typeof totalsAt>>;

/** What is known of the next publication before all accounts are read. `earlier`: its block is published already. */
export async function nextPublication(service: Service): Promise<NextPublication> {
  await learnFinality(service);
  return service.db.snapshot(async (tx) => {
    const block = await blockToPublish(service, tx);
    const earlier = await validPublication(tx, block);
    return { block: block.number, blockHash: block.hash, earlier, ...(await totalsAt(tx, block)) };
  });
}

async function validPublication(tx: Tx, { number }: PostedBlock): Promise<Publication | null> {
  const found = await findPublication(tx, number);
  return found && !found.withdrawnAt ? found : null;
}

async function totalsAt(tx: Tx, { number }: PostedBlock) {
  const totals = await readTotalsAt(tx, number);
  if (totals) return totals;
  throw new Problem('not-found', 'There is no supply yet: the contracts are not set up.');
}

/** The newest block that can be published, or the one of that number. Throws `not-found` if there is none. */
async function blockToPublish(
  service: Pick<Service, 'settings' | 'settlement' | 'development'>,
  tx: Tx,
  number?: bigint,
): Promise<PostedBlock> {
  const cursor = await readCursor(tx);
  // Development chains make few blocks, and nobody relies on them.
  const newest = !cursor ? -1n : service.development ? cursor.number : finalBlock(service, cursor.number);
  // The newest of all may be posted in part.
  const blocks = await readPostedBlocks(tx, number !== undefined && number < newest ? number : newest, 2);
  const block = blocks.find(({ complete }) => complete);
  if (block && (number === undefined || block.number === number)) return block;
  throw new Problem('not-found', 'There is no such block that is posted and final (FINAL_AFTER).');
}

async function readTree({ chain }: Service, tx: Tx, block: PostedBlock, secret: Buffer) {
  const totals = await totalsAt(tx, block);
  const tree = openTree(secret);
  let overdrawn = 0;
  const unsettled = await unsettledAt(tx, block.number, totals.treasury);
  for await (const rows of readOwed(tx, block.number, secret, unsettled)) {
    for (const row of rows) {
      if (row.balance < 0n) overdrawn++;
      tree.add(row.balance < 0n ? { ...row, balance: 0n } : row);
    }
  }
  const finished: FinishedTree = tree.finish();
  const said: LiabilityStatement = {
    chainId: chain.chainId,
    token: chain.contracts.token,
    ...totals,
    block: block.number,
    blockHash: block.hash,
    accounts: finished.accounts,
    overdrawn,
    depth: finished.depth,
    tree: asHash(bytesToHex(finished.top.hash)),
    balances: finished.top.balance,
    rewards: finished.top.rewards,
  };
  return { said, tree: finished };
}

/** Throws if somebody who checks the statement would find it wrong. */
async function compareWithChain({ rpc }: Service, said: LiabilityStatement): Promise<void> {
  const { token, treasury, block, blockHash } = said;
  const [header, supply, [inTreasury]] = await Promise.all([
    readHeader(rpc, block),
    readTotalSupply(rpc, token, blockHash),
    readBalances(rpc, token, blockHash, [treasury]),
  ]).catch((error: Error) => {
    throw new Problem('chain-unavailable', `The node cannot answer for block ${block}: ${error.message}`);
  });
  if (header?.hash !== blockHash) throw removed(said);
  if (supply !== said.supply || inTreasury !== said.inTreasury) {
    throw new Error(`The ledger differs from the chain at block ${block}. Nothing was published. Run the audit.`);
  }
  if (said.rewards > said.inTreasury) {
    throw new Error(
      `The treasury had ${withThousands(said.inTreasury)} quarters at block ${block}, and ${withThousands(said.rewards)} are ` +
        'granted as rewards. Nothing was published. If the treasury was filled since, try again when that is final.',
    );
  }
}

function removed({ block }: LiabilityStatement): Problem {
  return new Problem('chain-unavailable', `A reorganisation has removed block ${block}. Try again in a moment.`);
}
