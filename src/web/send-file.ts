import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { UserId } from '../base/ids.ts';
import { pageHeaders, sendMessage } from './send-page.ts';

/** How many files one person may be sent at once by this process. Each is a long piece of work. */
const MOST_AT_ONCE = 2;

/** How many files each person is being sent right now. */
const running = new Map<UserId, number>();

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A file to store. `type`: its media type. */
export type SentFile = { readonly name: string; readonly type: string };

/** A file's text: whole if it is short, otherwise in pieces between which other work runs (`src/base/pieces.ts`). */
export type FileText = string | AsyncIterable<string>;

/**
 * Sends a file to store, as fast as the client takes it. `read` begins to read it, and its errors become pages. It is not called for
 * somebody who is being sent as many files as one person may be: they get a page with 429. A file counts until all work for it has
 * ended, also if its client has gone.
 */
export async function sendFile(
  reply: FastifyReply,
  { id: person }: { readonly id: UserId },
  { name, type }: SentFile,
  read: () => FileText | Promise<FileText>,
): Promise<FastifyReply> {
  const before = running.get(person) ?? 0;
  if (before >= MOST_AT_ONCE) {
    const { title, text } = reply.request.words.messages.tooManyFiles;
    void reply.header('retry-after', '10');
    return sendMessage(reply.request, reply, { status: 429, title, text: text(MOST_AT_ONCE) }, []);
  }
  running.set(person, before + 1);
  let text: FileText;
  try {
    text = await read();
  } catch (error) {
    giveBack(person);
    throw error;
  }
  const stream = Readable.from(typeof text === 'string' ? [text] : text, { objectMode: true });
  stream.once('close', () => giveBack(person));
  const isHead = reply.request.method === 'HEAD';
  if (isHead) stream.destroy();
  return reply
    .headers(pageHeaders({}))
    .header('content-disposition', `attachment; filename="${name}"`)
    .type(type)
    .send(isHead ? undefined : stream);
}

function giveBack(person: UserId): void {
  const left = running.get(person)! - 1;
  if (left > 0) running.set(person, left);
  else running.delete(person);
}
