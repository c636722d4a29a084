import type { FastifyReply } from 'fastify';
import { pageHeaders } from '../web/headers.ts';
import type { Markup } from '../web/layout.ts';
import { sendPage } from '../web/send.ts';

/** Nobody frames the console, and it opens and is opened by nothing. */
export function sendConsolePage(reply: FastifyReply, page: Markup): Promise<FastifyReply> {
  return sendPage(reply.headers(pageHeaders({ frameAncestors: [] })), page);
}
