import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders } from './headers.ts';
import type { Markup } from './layout.ts';
import { messagePage, type PageMessage } from './message-page.ts';
import { isInline } from './request-parameters.ts';

export async function sendPage(reply: FastifyReply, page: Markup): Promise<FastifyReply> {
  return reply.type('text/html; charset=utf-8').send(String(await page));
}

/**
 * Ends the visit with a page that only says something. `frameAncestors`: the app's, if the app is certain. The page keeps its
 * opener, because a game may have opened it in a window: after Back, the window can still deliver to its game.
 */
export function sendMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  message: PageMessage,
  frameAncestors: readonly string[],
): Promise<FastifyReply> {
  const inline = isInline(request.method === 'POST' ? request.body : request.query);
  return sendPage(
    reply.code(message.status).headers(pageHeaders({ frameAncestors, opener: true })),
    messagePage({ inline }, message),
  );
}
