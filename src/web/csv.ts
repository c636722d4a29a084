import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { pageHeaders } from './send-page.ts';

/** Sends lines as a file to store. `name`: without its ending. */
export function sendCsv(
  reply: FastifyReply,
  name: string,
  lines: Iterable<string> | AsyncIterable<string>,
): FastifyReply {
  return reply
    .headers(pageHeaders({}))
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .type('text/csv; charset=utf-8; header=present')
    .send(Readable.from(lines, { objectMode: true }));
}
