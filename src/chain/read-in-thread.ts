import { setImmediate as nextTurn } from 'node:timers/promises';
import { deserialize } from 'node:v8';
import { threadOf } from '../base/thread.ts';
import { Unproven } from './block-proof.ts';
import type { LogsRead, Reading, TokenLog } from './block-replies.ts';

/** `bytes`: the body of a reply to the call `id`. */
export type ReadingTask = { readonly bytes: Uint8Array; readonly id: number; readonly reading: Reading };

/** `pieces`: the logs, some hundred in each; or why they were refused. */
export type ReadByThread =
  | { readonly given: number; readonly pieces: readonly Uint8Array<ArrayBuffer>[] }
  | { readonly reason: string; readonly unproven: Unproven['of'] | null };

/** What the thread has made of a reply. No node's answer is of this class. */
export class ReadReply {
  readonly #read: ReadByThread;
  constructor(read: ReadByThread) {
    this.#read = read;
  }

  /** Takes the pieces in turns, so that calls go on between them. Throws what reading the reply has thrown. */
  async logs(): Promise<LogsRead> {
    const read = this.#read;
    if ('reason' in read)
      throw read.unproven === null ? new Error(read.reason) : new Unproven(read.reason, read.unproven);
    const logs: TokenLog[] = [];
    for (const piece of read.pieces) {
      logs.push(...(deserialize(piece) as TokenLog[]));
      await nextTurn();
    }
    return { logs, given: read.given };
  }
}

/** Of a smaller one, the way to the thread and back would take longer. */
const LARGE_BYTES = 128 * 1024;

const ask = threadOf<ReadingTask, ReadByThread | null>(new URL('./reading-thread.ts', import.meta.url), 'reading');

/**
 * Parses, checks and proves the reply of a block with many logs in a thread: this one would be busy for longer than a payment takes. Null if
 * the reply is small or is no plain result, or if the thread fails: then it is read here.
 */
export async function readInThread(bytes: Buffer, id: number, reading: Reading): Promise<ReadReply | null> {
  if (bytes.length < LARGE_BYTES) return null;
  const read = await ask({ bytes, id, reading }).catch(() => null);
  return read && new ReadReply(read);
}
