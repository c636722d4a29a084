import { inPieces } from '../../../base/pieces.ts';
import type { Service } from '../../../service/service.ts';
import { GENESIS } from '../store/chain.ts';
import { type ChainedEntry, readChain } from '../store/entries.ts';
import { readCheckpoint } from '../store/pruning.ts';
import { signHead } from './sign-head.ts';

type Deps = Pick<Service, 'db' | 'reads' | 'vault' | 'publicUrl' | 'chain'>;

const PAGE = 1_000;

/**
 * The whole log as JSON lines, with which anybody can verify it: first where it begins, then each entry as the text that was hashed, at last a signed
 * head. It names users by pseudonyms only.
 */
export async function* exportLines(service: Deps): AsyncGenerator<string> {
  const checkpoint = await readCheckpoint(service.reads);
  const { sequence, hash } = checkpoint ?? GENESIS;
  const start = { sequence: Number(sequence), hash: hash.toString('hex') };
  yield lineOf({ start: { ...start, ...(checkpoint && { checkpoint: checkpoint.signature }) } });
  // What is added meanwhile comes after the head.
  const head = await signHead(service);
  const line = (row: ChainedEntry) =>
    lineOf({ sequence: Number(row.sequence), hash: row.hash.toString('hex'), entry: row.entry });
  const pages = chainPages(service, sequence, BigInt(head.sequence));
  yield* inPieces(pages, (rows) => rows.map(line).join(''));
  yield lineOf({ head: head.jws });
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`;

/** The entries after one and up to another, in the order of the chain. */
async function* chainPages(
  { reads }: Pick<Deps, 'reads'>,
  after: bigint,
  upTo: bigint,
): AsyncGenerator<readonly ChainedEntry[]> {
  for (let last = after; last < upTo; ) {
    const rows = (await readChain(reads, last, PAGE)).filter(({ sequence }) => sequence <= upTo);
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1)!.sequence;
  }
}
