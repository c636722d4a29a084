import type { Tx } from '../../../db/database.ts';
import type { Service } from '../../../service/service.ts';
import { GENESIS, hashEntry, type LogHead, readHead } from '../store/chain.ts';
import { readChain } from '../store/entries.ts';
import { type LogSigner, openLogSigner } from '../store/log-signer.ts';
import { readCheckpoint } from '../store/pruning.ts';

/** What is wrong: the first wrong entry, and what about it, as a sentence. */
export type LogFault = { readonly sequence: bigint; readonly what: string };

export type LogVerification = {
  /** Null: the log is as it was written, as far as it can tell by itself. */
  readonly fault: LogFault | null;
  /** How many entries were read. */
  readonly entries: number;
  /** Where the chain begins: after the checkpoint of the last pruning, or at 0. */
  readonly start: LogHead;
  readonly head: LogHead;
  /** How many of the given heads lie on this chain. */
  readonly heads: number;
  /** Given heads older than the checkpoint. Only an earlier export can show that they were on this chain. */
  readonly tooOld: number;
};

type Deps = Pick<Service, 'db' | 'vault'>;

const PAGE = 2_000;

/**
 * Computes every hash of the log again, on one snapshot of the database: numbers without a gap, each hash over its entry and the one before, the
 * signature of the checkpoint the chain begins with. `heads`: signed heads that were kept elsewhere (compact JWS), each of which must lie on
 * this chain. `onProgress` gets the sequence that was read last, and the newest.
 */
export async function verifyLog(
  { db, vault }: Deps,
  heads: readonly string[] = [],
  onProgress: (done: bigint, of: bigint) => void = () => {},
): Promise<LogVerification> {
  const signer = await openLogSigner(db, vault);
  return db.snapshot(async (tx) => {
    const [checkpoint, head] = await Promise.all([readCheckpoint(tx), readHead(tx)]);
    const start = checkpoint ?? GENESIS;
    const wanted = heads.map((text) => readGiven(signer, text));
    const compared = { heads: wanted.filter(({ sequence }) => sequence >= start.sequence).length };
    const result = { entries: 0, start, head, heads: compared.heads, tooOld: wanted.length - compared.heads };
    if (checkpoint && !isSigned(signer, checkpoint)) {
      return { ...result, fault: { sequence: checkpoint.sequence, what: 'The checkpoint has no valid signature.' } };
    }
    const walked = await walk(
      tx,
      start,
      head,
      new Map(wanted.map((given) => [given.sequence, given.hash])),
      onProgress,
    );
    const beyond = wanted.find(({ sequence }) => sequence > head.sequence);
    const fault = walked.fault ?? (beyond ? endsEarly(head, beyond.sequence) : null);
    return { ...result, ...walked, fault };
  });
}

/** Reads the chain from `start` on, and compares each hash with that of an exported head of this sequence. */
async function walk(
  tx: Tx,
  start: LogHead,
  { sequence: end }: LogHead,
  exported: ReadonlyMap<bigint, string>,
  onProgress: (done: bigint, of: bigint) => void,
): Promise<{ readonly entries: number; readonly fault: LogFault | null }> {
  let { sequence, hash } = start;
  let entries = 0;
  if (differs(exported, start)) return { entries, fault: rewritten(sequence) };
  for (;;) {
    const rows = await readChain(tx, sequence, PAGE);
    for (const row of rows) {
      sequence += 1n;
      entries++;
      if (row.sequence !== sequence) return { entries, fault: { sequence, what: 'The entry is missing.' } };
      hash = hashEntry(hash, sequence, row.entry);
      if (!hash.equals(row.hash)) {
        return { entries, fault: { sequence, what: 'The entry, or the one before it, was changed.' } };
      }
      if (differs(exported, row)) return { entries, fault: rewritten(sequence) };
    }
    onProgress(sequence, end);
    if (rows.length < PAGE) return { entries, fault: null };
  }
}

function differs(exported: ReadonlyMap<bigint, string>, { sequence, hash }: LogHead): boolean {
  const expected = exported.get(sequence);
  return expected !== undefined && expected !== hash.toString('hex');
}

function rewritten(sequence: bigint): LogFault {
  return { sequence, what: 'The log was rewritten: the exported head is not on this chain.' };
}

function endsEarly({ sequence }: LogHead, expected: bigint): LogFault {
  return {
    sequence: sequence + 1n,
    what: `The log ends before the exported head ${expected}: entries were deleted, or an older backup was restored.`,
  };
}

function isSigned(signer: LogSigner, { sequence, hash, signature }: LogHead & { readonly signature: string }): boolean {
  const place = signer.read('checkpoint', signature);
  return place?.sequence === Number(sequence) && place.hash === hash.toString('hex');
}

/** Throws if the head was not signed with the key of this log. */
function readGiven(signer: LogSigner, text: string): { readonly sequence: bigint; readonly hash: string } {
  const place = signer.read('head', text);
  if (!place) throw new Error('A head in the file was not signed with the key of this log, or was altered.');
  return { sequence: BigInt(place.sequence), hash: place.hash };
}
