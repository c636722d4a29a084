import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isKnownForm, KNOWN_TYPES } from '../../src/chain/block-forms.ts';
import { coveredBy, hasOwnHash, type RawFields, type RawReceipt, rootOfReceipts } from '../../src/chain/block-proof.ts';

// Recorded blocks of real chains. SOURCES.md says where they come from. A further chain is two further files.

const blocks = join(import.meta.dirname, 'blocks');
const read = <T>(file: string) => JSON.parse(readFileSync(join(blocks, file), 'utf8')) as T;
const files = readdirSync(blocks).filter((file) => file.endsWith('.json'));

/** What these prove nothing by, so that endpoints have to agree on them. All others prove. */
const UNPROVEN: Readonly<Record<string, string>> = {
  'avalanche-fuji-58119344-header.json': 'the root and the bloom are those of blocks before (ACP-194)',
  'bittensor-testnet-6646068-block.json': 'the node leaves out a field that is hashed',
  'cronos-10000-block.json': "the hash is that of CometBFT's header",
  'cronos-10000-receipts.json': 'the root is always that of no receipts',
  'hedera-97395350-header.json': 'the relay makes the header of what is no Ethereum block',
  'stable-testnet-42767022-block.json': "the hash is that of CometBFT's header",
};

test('headers of real chains have their hashes, in the forms that are known', () => {
  const headers = files.filter((file) => /-(?:block|header)\.json$/.test(file));
  assert.ok(headers.length >= 20);
  for (const file of headers) {
    const header = read<RawFields>(file);
    assert.equal(hasOwnHash(header, header.hash), !(file in UNPROVEN), file);
    // Each field counts, also those of one chain alone.
    for (const [name, value] of Object.entries(header)) {
      if (typeof value !== 'string' || !hasOwnHash(header, header.hash) || NOT_HASHED.has(name)) continue;
      const other = value.replace(/.$/, (digit) => (digit === '1' ? '2' : '1'));
      assert.equal(hasOwnHash({ ...header, [name]: other }, header.hash), false, `${file}: ${name}`);
    }
  }
});

const NOT_HASHED = new Set([
  ...['hash', 'size', 'totalDifficulty', 'l1BlockNumber', 'sendCount', 'sendRoot', 'timestampMillis'],
]);

test('a header is of another form if it lacks a field or a bloom, or has a field that nobody knows', () => {
  for (const file of files.filter((name) => /-(?:block|header)\.json$/.test(name))) {
    const header: RawFields = { ...read<RawFields>(file), logsBloom: BLOOM, gasUsed: '0x5208' };
    assert.equal(isKnownForm(header), 'mixHash' in header && !('settledHeight' in header), file);
    assert.equal(isKnownForm({ ...header, someNewRoot: header.hash }), false, file);
    assert.equal(isKnownForm({ ...header, logsBloom: NO_BLOOM }), false, file);
  }
});

const [BLOOM, NO_BLOOM] = [`0x${'1'.repeat(512)}`, `0x${'0'.repeat(512)}`];

test('receipts of real chains have the roots that their headers name', () => {
  const lists = files.filter((file) => /^(?!op-stack).*-receipts\.json$/.test(file));
  assert.ok(lists.length >= 8);
  for (const file of lists) {
    const receipts = read<readonly RawReceipt[]>(file);
    const { receiptsRoot } = read<RawFields>(file.replace('receipts', 'block'));
    const covered = coveredBy(receiptsRoot, receipts);
    assert.equal(covered?.length ?? null, file in UNPROVEN ? null : receipts.length, file);
    assert.ok(
      receipts.every(({ type }) => KNOWN_TYPES.has(Number(type))),
      file,
    );
  }
});

test('a deposit of the OP Stack is hashed with its nonce since Canyon, and without it before', () => {
  const { receipts, cases } = read<{ receipts: RawReceipt[]; cases: Record<string, string> }>(
    'op-stack-regolith-receipts.json',
  );
  assert.ok(receipts.some((receipt) => 'depositNonce' in receipt));
  assert.equal(rootOfReceipts(receipts), `0x${cases.regolith}`);
  // A block of Celo Sepolia with a deposit alone.
  const { header, receipt } = read<{ header: RawFields; receipt: RawReceipt }>('op-stack-isthmus-deposit.json');
  assert.deepEqual(coveredBy(header.receiptsRoot, [receipt]), [receipt]);
  assert.equal(coveredBy(header.receiptsRoot, [{ ...receipt, depositNonce: '0x1' } as RawReceipt]), null);
});

test('what a node lists beside the receipts that the root covers is left out', () => {
  const { receiptsRoot } = read<RawFields>('hyperliquid-50000-block.json');
  const receipts = read<readonly RawReceipt[]>('hyperliquid-50000-receipts.json');
  // Made from the recorded one, as the sources describe them.
  const system: RawReceipt = { ...receipts[0]!, cumulativeGasUsed: '0x0', type: '0x0' };
  const sync: RawReceipt = { ...receipts[0]!, gasUsed: '0x0', type: '0x0' };
  assert.deepEqual(coveredBy(receiptsRoot, [system, system, ...receipts]), receipts, 'system transactions');
  assert.deepEqual(coveredBy(receiptsRoot, [...receipts, sync]), receipts, 'a state sync');
  assert.equal(coveredBy(receiptsRoot, [...receipts, ...receipts]), null);
  assert.equal(coveredBy(receiptsRoot, [{ ...receipts[0]!, status: '0x0' }]), null);
});
