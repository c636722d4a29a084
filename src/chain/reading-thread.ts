import { serialize } from 'node:v8';
import { answerTasks } from '../base/thread.ts';
import { Unproven } from './block-proof.ts';
import { type LogsRead, readReply } from './block-replies.ts';
import type { ReadByThread, ReadingTask } from './read-in-thread.ts';

/*
 * The thread of read-in-thread.ts.
 */

/** Logs in one piece of an answer. */
const PIECE = 400;

answerTasks(answer, (read) => (read && 'pieces' in read ? read.pieces.map(({ buffer }) => buffer) : []));

function answer({ bytes, id, reading }: ReadingTask): ReadByThread | null {
  const result = resultIn(bytes, id);
  if (result === undefined) return null;
  try {
    const { logs, given } = readReply(result, reading);
    return { given, pieces: piecesOf(logs) };
  } catch (error) {
    const { message } = error as Error;
    return { reason: message, unproven: error instanceof Unproven ? error.of : null };
  }
}

/** The result of this call; undefined if the reply is anything but one: whoever asked then reads it by itself. */
function resultIn(bytes: Uint8Array, id: number): unknown {
  try {
    const item = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
    return item?.id === id && !item.error ? item.result : undefined;
  } catch {
    return undefined;
  }
}

function piecesOf(logs: LogsRead['logs']): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  // A copy: a buffer of the pool cannot be moved.
  for (let i = 0; i < logs.length; i += PIECE) pieces.push(Uint8Array.from(serialize(logs.slice(i, i + PIECE))));
  return pieces;
}
