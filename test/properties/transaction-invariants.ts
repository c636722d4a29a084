import assert from 'node:assert/strict';
import { type Block, TRANSFER } from '../kit/unit/synthetic-chain.ts';
import type { Tables } from './tables.ts';

type Place = { readonly relayer: string; readonly nonce: number };

const placeOf = ({ relayer, nonce }: Place) => `${relayer}/${nonce}`;

/** Where the chain has used a relayer's nonces, as far as it is recorded: those below this one. */
function usedBelow({ consumed_nonces }: Tables, relayer: string): number {
  const own = consumed_nonces.filter((row) => row.relayer === relayer);
  return own.sort((a, b) => b.block_number - a.block_number)[0]?.below ?? 0;
}

/** Transactions, the transfers they carry, and the marks of each relayer. `lost`: the places of transactions that a lost database had. */
export function transactionsAddUp(tables: Tables, lost: ReadonlySet<string>): void {
  const byPlace = Map.groupBy(tables.transactions, placeOf);
  noncesHaveTransactions(tables, lost);
  for (const [place, attempts] of byPlace) {
    attempts.sort((a, b) => a.attempt - b.attempt);
    assert.deepEqual(
      attempts.map(({ attempt }) => attempt),
      attempts.map((_, i) => i),
      `the attempts at ${place}`,
    );
    for (const { payload } of attempts) assert.deepEqual(payload, attempts[0]!.payload, `the payload of ${place}`);
  }
  const hashes = tables.transactions.map(({ hash }) => hash);
  assert.equal(new Set(hashes).size, hashes.length, 'each transaction is stored once');
  everyCarrierIsNamed(tables, byPlace, lost);
  for (const { relayer, first_nonce, below } of tables.broadcasts) {
    const { next_nonce } = tables.relayers.find(({ address }) => address === relayer)!;
    assert.ok(first_nonce < below && below <= next_nonce, `what was sent of ${relayer}: ${first_nonce} to ${below}`);
  }
}

/** Every nonce that was taken has stored bytes: a gap would stop all later ones. */
function noncesHaveTransactions({ relayers, transactions }: Tables, lost: ReadonlySet<string>): void {
  for (const { address, next_nonce } of relayers) {
    const nonces = new Set(transactions.filter(({ relayer }) => relayer === address).map(({ nonce }) => nonce));
    for (let nonce = 0; nonce < next_nonce; nonce++)
      if (lost.has(placeOf({ relayer: address, nonce }))) nonces.add(nonce);
    assert.equal(nonces.size, next_nonce, `every nonce taken of ${address} has a transaction`);
    assert.ok([...nonces].every((nonce) => nonce < next_nonce));
  }
}

/** A transfer names the transaction that carries it now, and all others with its id in their payload are its further ones. */
function everyCarrierIsNamed(
  tables: Tables,
  byPlace: ReadonlyMap<string, Tables['transactions']>,
  lost: ReadonlySet<string>,
): void {
  const { transfers, further_transactions } = tables;
  const carriers = new Map<string, Set<string>>();
  for (const [place, [first]] of byPlace) {
    for (const id of first!.payload) carriers.set(id, (carriers.get(id) ?? new Set()).add(place));
  }
  const furtherOf = Map.groupBy(further_transactions, ({ transfer_id }) => transfer_id);
  for (const { id, relayer, relayer_nonce: nonce, tx_hash, status } of transfers) {
    const named = [{ relayer, nonce }, ...(furtherOf.get(id) ?? [])].map(placeOf);
    assert.equal(new Set(named).size, named.length, `transfer ${id} names each transaction once`);
    // What another transaction took again after a reorganisation was lost to those that name it still.
    const carrying = carriers.get(id) ?? new Set();
    const stored = named.filter((place) => !lost.has(place) || carrying.has(place));
    assert.deepEqual(stored.sort(), [...carrying].sort(), `transfer ${id} names what carries it`);
    // After a reorganisation it still names the one that had settled it.
    if (status === 'approved' && !lost.has(placeOf({ relayer, nonce }))) {
      assert.equal(tx_hash, byPlace.get(placeOf({ relayer, nonce }))!.at(-1)!.hash, `the hash of transfer ${id}`);
    }
    carriers.delete(id);
    furtherOf.delete(id);
  }
  assert.deepEqual([carriers.size, furtherOf.size], [0, 0], 'there is no payload and no transaction of anything else');
}

/** The block in which each transaction is, and which of them moved quarters, up to the followed block. */
function readChain(followed: Block) {
  const mined = new Map<string, number>();
  const paying = new Set<string>();
  const blocks = new Map<number, Block>();
  for (let block: Block | null = followed; block; block = block.parent) {
    blocks.set(Number(block.number), block);
    for (const { hash } of block.txs) mined.set(hash, Number(block.number));
    // A bundle whose authorizations are all used logs that itself. It is mined if a reorganisation freed its nonce.
    for (const { tx, topics } of block.logs) if (topics[0] === TRANSFER) paying.add(tx.hash);
  }
  return { mined, paying, blocks };
}

/**
 * The block that shows a transaction as mined: its own, or that of a transfer that names it and is settled. Null if
 * none does. It may have paid one of its transfers and refused another, which still names it while it is sent again.
 */
function shownIn({ transfers }: Tables): (transaction: Tables['transactions'][number]) => number | null {
  const settled = new Map(
    transfers.flatMap(({ tx_hash, decided_block }) => (decided_block === null ? [] : [[tx_hash, decided_block]])),
  );
  return ({ hash, mined_block }) => mined_block ?? settled.get(hash) ?? null;
}

/** What is believed of transactions and nonces is true of the followed block: no transaction is given up too early. */
export function transactionsAreInTheChain(tables: Tables, followed: Block): void {
  const { mined, paying, blocks } = readChain(followed);
  const shown = shownIn(tables);
  const used = new Map(tables.relayers.map(({ address }) => [address, usedBelow(tables, address)]));
  for (const transaction of tables.transactions) {
    const { hash, relayer, nonce } = transaction;
    const block = shown(transaction);
    if (block !== null) assert.equal(mined.get(hash), block, `${hash} is in the block that is recorded`);
    else if (nonce < used.get(relayer)!) assert.ok(!paying.has(hash), `${hash} was replaced, so it has paid nobody`);
  }
  for (const { relayer, block_number, below } of tables.consumed_nonces) {
    // Of a stranger who paid a transfer, the chain here counts none.
    if (!used.has(relayer)) continue;
    const block = blocks.get(block_number);
    assert.ok(block, `block ${block_number}, which used nonces of ${relayer}, is followed`);
    const onChain = Number(block.state.nonces.get(relayer) ?? 0n);
    assert.ok(
      below <= onChain,
      `block ${block_number} has used the nonces of ${relayer} below ${onChain}, not ${below}`,
    );
  }
}

/** At the end every transaction is closed: the chain has used its nonce, and what it has mined of ours is recorded. */
export function transactionsAreClosed(tables: Tables, followed: Block): void {
  const { mined } = readChain(followed);
  const shown = shownIn(tables);
  for (const { address, next_nonce } of tables.relayers) {
    const onChain = Number(followed.state.nonces.get(address) ?? 0n);
    assert.equal(usedBelow(tables, address), onChain, `the used nonces of ${address}`);
    assert.ok(onChain >= next_nonce, `the transactions of ${address} are closed`);
  }
  for (const transaction of tables.transactions) {
    const { hash } = transaction;
    assert.equal(shown(transaction), mined.get(hash) ?? null, `where ${hash} was mined`);
  }
}
