import type { FastifyReply } from 'fastify';
import { pageHeaders } from '../../web/headers.ts';
import type { Markup } from '../../web/layout.ts';
import { sendPage } from '../../web/send.ts';

/** The console cannot be framed, and shares no window with other sites. */
export function sendConsolePage(reply: FastifyReply, page: Markup): Promise<FastifyReply> {
  return sendPage(reply.headers(pageHeaders({ frameAncestors: [] })), page);
}
