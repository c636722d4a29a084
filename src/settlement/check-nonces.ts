import type { Address } from '../base/address.ts';
import { readHeader } from '../chain/blocks.ts';
import { lockNextNonce, nextNonce, type Relayer } from '../chain/relayers.ts';
import { pinned, type Rpc } from '../chain/rpc.ts';
import { readInclusions, readNonce } from '../chain/state.ts';
import { signTransaction } from '../chain/transaction.ts';
import { openSigner } from '../custody/signer.ts';
import { readDetached } from '../ledger/archived-months.ts';
import { type PostedBlock, readCursor, readPostedBlocks, waitForFollowing } from '../ledger/blocks.ts';
import type { Service } from '../service/service.ts';
import { suspectNoEffect } from './attach.ts';
import { broadcastFrom } from './broadcast.ts';
import type { Engine } from './engine.ts';
import { learnFromReverted } from './gas-limits.ts';
import { reissueSuspected } from './reissue.ts';
import { readMarks, setConsumedNonces } from './tables/nonces.ts';
import { insertTransactions, lowestStoredNonce, recordMined, unsettledAttempts } from './tables/transactions.ts';

/** Nodes keep the state of only so many blocks. */
const STATES_KEPT = 32n;

/**
 * Compares the nonces that we believe used, of each relayer held here, with the chain, and corrects what logs do not show:
 *
 * | the chain's nonce | means | action |
 * |---|---|---|
 * | above the first open one | a transaction reverted, or another one used its nonce | the transfers it carries get a new one |
 * | below what another transaction used | a reorganisation dropped that one | ours at these nonces are open again |
 * | below what we believe mined | the node came back with an older state | the same bytes are sent again |
 *
 * Returns true if everything was in order.
 */
export async function checkNonces(service: Engine): Promise<boolean> {
  const { db, settings } = service;
  // A block and the nonces at it come from one node.
  const rpc = pinned(service.rpc);
  const cursor = await readCursor(db);
  const head = await readHeader(rpc, 'latest');
  if (!cursor?.complete || !head) return false;
  const behind = head.number - cursor.number;
  // While the follower (or the node) is far behind, the comparison waits.
  const canLookBack = behind >= 0n && behind < BigInt(settings.completeAfter) + STATES_KEPT;
  const looks = await Promise.allSettled(
    service.settlement.leases.map(async (relayer) => {
      const changed = canLookBack && (await compareNonces({ ...service, rpc }, relayer, cursor));
      const remembered = !(await resendForgotten(service, relayer, rpc));
      return canLookBack && remembered && !changed;
    }),
  );
  await reissueSuspected(service);
  // One relayer's failure does not delay the others or the stranded transfers.
  const failed = looks.find((look) => look.status === 'rejected');
  if (failed) throw failed.reason;
  return looks.every((look) => look.status === 'fulfilled' && look.value);
}

/** Returns true if anything was wrong. */
async function compareNonces(service: Engine, { address }: Relayer, cursor: PostedBlock): Promise<boolean> {
  const { db, rpc, settlement } = service;
  // At the followed block, not at the head: all its logs are posted, so an open transaction with a lower nonce left
  // none.
  const used = await readNonce(rpc, address, cursor.number);
  const { consumed, sent } = (await readMarks(db, [address])).get(address)!;
  if (used === consumed) {
    // Transactions that were signed after another one had used their nonces are never sent.
    const isTooLate = sent < consumed && ((await lowestStoredNonce(db, address, sent)) ?? consumed) < consumed;
    if (isTooLate) settlement.strandedSuspected = true;
    return isTooLate;
  }
  const overtaken = await unsettledAttempts(db, address, { from: consumed, below: used });
  const inclusions = await readInclusions(
    rpc,
    overtaken.map(({ hash }) => hash),
  );
  if (!(await hadUsed(rpc, address, cursor, used))) return true;
  const isRecorded = await db.transaction(async (tx) => {
    await waitForFollowing(tx);
    const now = await readCursor(tx);
    const isSame = now?.hash === cursor.hash;
    // What one block shows as used stays used while it is posted. What it shows as open is known of that block only.
    const isStillUsed =
      isSame || (used > consumed && (await readPostedBlocks(tx, cursor.number, 1))[0]?.hash === cursor.hash);
    if (!now || !isStillUsed) return false;
    await setConsumedNonces(tx, address, now.number, used, isSame);
    await recordMined(
      tx,
      overtaken.flatMap((transaction, i) => {
        const block = inclusions[i]?.block ?? null;
        return block === null || block > cursor.number ? [] : [{ ...transaction, block }];
      }),
    );
    if (used < consumed) tx.announce('transactions');
    return true;
  });
  if (!isRecorded) return true;
  if (overtaken.length > 0) settlement.strandedSuspected = true;
  await learnFromReverted(
    service,
    overtaken.map((transaction, i) => [transaction, inclusions[i]] as const),
  );
  const empty = overtaken.filter((_, i) => inclusions[i]?.isEmpty && isRecent(service, inclusions[i].block, cursor));
  await suspectNoEffect(service, empty);
  return true;
}

/**
 * Whether the relayer's nonce was really `used` at this block. A node that is mining the next block may answer for the newest one with the
 * state of the next, whose logs nobody has posted yet: its transfers would look as if they had lost their transaction.
 * One on another fork answers for a block that is not ours.
 */
async function hadUsed(
  rpc: Service['rpc'],
  relayer: Address,
  { number, hash }: PostedBlock,
  used: bigint,
): Promise<boolean> {
  const head = await readHeader(rpc, 'latest');
  if (head?.hash === hash) return true;
  if ((await readHeader(rpc, number))?.hash !== hash) return false;
  return (await readNonce(rpc, relayer, number)) === used;
}

/** Whether the block is posted, so that its effects are known, and was mined while the chain was in order. */
function isRecent({ readiness }: Service, block: bigint | null, cursor: PostedBlock): boolean {
  return block !== null && block > readiness.chainSince && block <= cursor.number;
}

/** Returns true if the node had forgotten any. */
async function resendForgotten(service: Service, relayer: Relayer, rpc: Rpc): Promise<boolean> {
  const { address } = relayer;
  const { consumed } = (await readMarks(service.db, [address])).get(address)!;
  const believed = (await lowestStoredNonce(service.db, address, consumed)) ?? (await nextNonce(service.db, address));
  const onChain = await readNonce(rpc, address, 'latest');
  if (onChain >= believed) return false;
  await fillMissingNonces(service, relayer, onChain);
  await broadcastFrom(service, address, onChain);
  return true;
}

/**
 * Whether the transaction of a nonce may be in a file. The newest one of a relayer is never archived, so a database that has none below has
 * sent nothing as old: the chain has lost blocks that were final. Nothing may be made of these nonces before the file is attached.
 */
async function isInFiles({ db, log }: Service, relayer: Address, nonce: bigint): Promise<boolean> {
  const detached = await readDetached(db);
  if (!detached || ((await lowestStoredNonce(db, relayer, 0n)) ?? nonce) < nonce) return false;
  log.error(
    { relayer, nonce: Number(nonce), month: detached.month },
    'the chain has lost transactions that may be in a file: attach it (npx quarters archive attach)',
  );
  return true;
}

/** The most nonces filled at once. */
const MOST_FILLED = 100n;
/** The gas of a transaction that does nothing (the intrinsic gas without data, EIP-2028). */
const INTRINSIC_GAS = 21_000n;

/**
 * Fills nonces from the chain's next one on for which the database has no transaction. After a restored backup, the
 * transactions that used them may have left the pool, or been orphaned with their block, and no later nonce can be
 * mined before them. Each gets a transaction of the relayer to itself that does nothing. Nonces for which the node
 * still has a transaction are left alone.
 *
 * `onChain`: the chain's next nonce.
 */
async function fillMissingNonces(service: Service, relayer: Relayer, onChain: bigint): Promise<void> {
  const { db, rpc, chain, vault, settlement, log } = service;
  const { address } = relayer;
  const known = (await lowestStoredNonce(db, address, onChain)) ?? (await nextNonce(db, address));
  if (known <= onChain || (await readNonce(rpc, address, 'pending')) > onChain) return;
  if (await isInFiles(service, address, onChain)) return;
  const count = known - onChain < MOST_FILLED ? known - onChain : MOST_FILLED;
  const { sign } = openSigner(vault, address, relayer.storedKey);
  const fillers = Array.from({ length: Number(count) }, (_, i) => {
    const nonce = onChain + BigInt(i);
    const nothing = { chainId: chain.chainId, nonce, to: address, data: Buffer.alloc(0), gas: INTRINSIC_GAS };
    return { ...signTransaction({ ...nothing, fees: settlement.fees }, sign), relayer: address, nonce, payload: [] };
  });
  const filled = await db.transaction(async (tx) => {
    await lockNextNonce(tx, address);
    // Another process may have filled them by now.
    const below = (await lowestStoredNonce(tx, address, onChain)) ?? known;
    const missing = fillers.filter(({ nonce }) => nonce < below);
    if (missing.length > 0) await insertTransactions(tx, missing);
    return missing.length;
  });
  if (filled === 0) return;
  log.warn({ relayer: address, from: Number(onChain), count: filled }, 'missing nonces were filled');
}
