import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asAddress } from '../../src/base/address.ts';
import { asHash, bytesToHex } from '../../src/base/hex.ts';
import { MAX_QUARTERS } from '../../src/base/quarters.ts';
import { type Owed, openTree, proveLeaf, saltOf } from '../../src/wings/liabilities/store/leaf-chunks.ts';
import type { Publication } from '../../src/wings/liabilities/store/publications.ts';
import { type LiabilityStatement, rootOf } from '../../src/wings/liabilities/store/statement.ts';
import { proofJson } from '../../src/wings/liabilities/views/prove.ts';
import { seedOf } from '../kit/run/seed.ts';
import { checkProof } from './verifier.ts';

const address = (number: number) => asAddress(`0x${number.toString(16).padStart(40, '0')}`);
const HASH = asHash(`0x${'ab'.repeat(32)}`);

/** A publication of these accounts, and what proves each of them. `lies`: what an operator states instead of the truth. */
function publish(secret: Buffer, accounts: readonly Owed[], lies: Partial<LiabilityStatement> = {}) {
  const sorted = accounts.toSorted((a, b) => Buffer.compare(saltOf(secret, a.address), saltOf(secret, b.address)));
  const tree = openTree(secret);
  for (const owed of sorted) tree.add(owed);
  const { top, depth, chunks, chunkNodes } = tree.finish();
  const said: LiabilityStatement = {
    ...{ chainId: 1, token: address(1), treasury: address(2), block: 7n, blockHash: HASH },
    ...{ supply: MAX_QUARTERS, inTreasury: top.rewards, accounts: accounts.length, overdrawn: 0, depth },
    ...{ tree: asHash(bytesToHex(top.hash)), balances: top.balance, rewards: top.rewards },
    ...lies,
  };
  const root = rootOf(said);
  const prove = (of: Owed['address']) => {
    const salt = saltOf(secret, of);
    const chunk = chunks.findLastIndex(({ firstSalted }) => Buffer.compare(firstSalted, salt) <= 0);
    const proof = proveLeaf({ secret, depth, chunkNodes }, { chunk, leaves: chunks[chunk]!.leaves }, of)!;
    return proofJson({ ...said, root } as Publication, proof);
  };
  return { root: root.slice(2), depth, prove };
}

type Proof = ReturnType<ReturnType<typeof publish>['prove']>;

const owed = (count: number, balance: (i: number) => bigint): Owed[] =>
  Array.from({ length: count }, (_, i) => ({ address: address(i + 1), balance: balance(i), rewards: BigInt(i % 3) }));

const holds = (proof: object, root: string) => checkProof(JSON.stringify(proof), root);

test('every leaf of a tree of any size proves, by a path of the same length', () => {
  for (const count of [1, 2, 3, 255, 256, 257, 600, 1025]) {
    const step = Math.ceil(count / 25);
    const accounts = owed(count, (i) => BigInt(i) ** 3n);
    const { root, depth, prove } = publish(Buffer.alloc(32, count), accounts);
    const places = new Set<number>();
    const sample = accounts.filter((_, i) => i % step === 0);
    for (const { address } of sample) {
      const proof = prove(address);
      holds(proof, root);
      assert.equal(proof.path.length, depth);
      places.add(proof.index);
    }
    assert.equal(places.size, sample.length, 'no two accounts share a leaf');
  }
});

test('an account that is there twice is refused', () => {
  const [one] = owed(1, () => 5n) as [Owed];
  assert.throws(() => publish(Buffer.alloc(32), [one, one]), /there twice/);
});

/** The paths of all values of a proof, such as `['path', '3', 'hash']`. */
function valuesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return Object.entries(value).flatMap(([name, inner]) => valuesOf(inner, [...path, name]));
}

function changed(proof: object, path: readonly string[], change: (value: unknown) => unknown): object {
  const copy = structuredClone(proof) as Record<string, unknown>;
  const holder = path.slice(0, -1).reduce((at, name) => at[name] as Record<string, unknown>, copy);
  holder[path.at(-1)!] = change(holder[path.at(-1)!]);
  return copy;
}

/** Flips a bit of hexadecimal digits, and moves a number by one, below zero, or beyond what a sum may be. */
function tamper(value: unknown, at: number): unknown {
  if (typeof value === 'number') return [value + 1, value - 1, -value - 1, value + 2 ** 53, value + 0.5][at % 5];
  const text = String(value);
  if (!/^0x[0-9a-f]+$/i.test(text)) return `${text}x`;
  const place = 2 + (at % (text.length - 2));
  const digit = Number.parseInt(text[place]!, 16) ^ (1 << (at % 4));
  return `${text.slice(0, place)}${digit.toString(16)}${text.slice(place + 1)}`;
}

test('a proof with any one value changed is refused', () => {
  const accounts = owed(37, (i) => BigInt(i + 1));
  const { root, prove } = publish(Buffer.alloc(32, 9), accounts);
  // The root in the file is for readers. The one that the publication has decides.
  const values = valuesOf(prove(address(1))).filter(([name]) => name !== 'root');
  fc.assert(
    fc.property(fc.nat(36), fc.constantFrom(...values), fc.nat(10_000), (account, path, at) => {
      const proof = prove(address(account + 1));
      assert.throws(() =>
        holds(
          changed(proof, path, (value) => tamper(value, at)),
          root,
        ),
      );
    }),
    { seed: seedOf('properties'), numRuns: 2_000 },
  );
});

test('children that change places, a shorter or longer path, and the proof of another root are refused', () => {
  const accounts = owed(9, (i) => BigInt(i));
  const { root, prove } = publish(Buffer.alloc(32, 3), accounts);
  const proof: Proof = prove(address(5));
  for (let level = 0; level < proof.path.length; level++) {
    assert.throws(() => holds({ ...proof, index: proof.index ^ (1 << level) }, root), /does not lead/);
  }
  assert.throws(() => holds({ ...proof, path: proof.path.slice(1) }, root), /another length/);
  assert.throws(() => holds({ ...proof, path: [...proof.path, proof.path[0]] }, root), /another length/);
  const other = publish(Buffer.alloc(32, 4), accounts);
  assert.throws(() => holds(proof, other.root), /published root/);
});

test('a sum that a subtree understates is refused, although all hashes fit', () => {
  // An operator owes 100 to one account, and hides it: its subtree is said to have 1.
  const accounts = owed(8, (i) => (i === 0 ? 100n : 10n));
  const { root, prove } = publish(Buffer.alloc(32, 5), accounts);
  const victim = prove(address(1));
  const neighbour = accounts.map(({ address }) => prove(address)).find(({ index }) => index === (victim.index ^ 1))!;
  assert.equal(neighbour.path[0]!.balance, 100);
  assert.throws(
    () =>
      holds(
        changed(neighbour, ['path', '0', 'balance'], () => 1),
        root,
      ),
    /does not lead/,
  );
});

test('an operator who states other sums than those of the leaves is found out', () => {
  const accounts = owed(4, () => 10n);
  const cases: [lies: Partial<LiabilityStatement>, accounts: Owed[], reason: RegExp][] = [
    [{ balances: 39n }, accounts, /does not lead/],
    [{ rewards: 0n }, accounts, /does not lead/],
    [{ supply: 41n }, accounts, /exceed the supply/],
    [{ inTreasury: 2n }, accounts, /does not cover the rewards/],
    [
      { balances: (MAX_QUARTERS * 2n) % 2n ** 53n },
      owed(2, () => MAX_QUARTERS),
      /a sum of balances is not a whole number/,
    ],
  ];
  for (const [lies, accounts, reason] of cases) {
    const { root, prove } = publish(Buffer.alloc(32, 6), accounts, lies);
    assert.throws(() => holds(prove(address(1)), root), reason);
  }
});
