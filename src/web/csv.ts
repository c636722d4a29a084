import type { FastifyReply } from 'fastify';
import { type FileText, sendFile } from './send-file.ts';
import type { Visitor } from './visitor.ts';

/** Sends a CSV file to a visitor. `name`: without its ending. `read`: as {@link sendFile} says. */
export function sendCsv(
  reply: FastifyReply,
  { user }: Pick<Visitor, 'user'>,
  name: string,
  read: () => FileText | Promise<FileText>,
): Promise<FastifyReply> {
  return sendFile(reply, user, { name: `${name}.csv`, type: 'text/csv; charset=utf-8; header=present' }, read);
}
