import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../../web/layout.ts';
import { sendPage } from '../../web/send-page.ts';

/** Developer pages cannot be framed, and share no window with other sites. */
export function sendDeveloperPage(reply: FastifyReply, page: Page): Promise<FastifyReply> {
  return sendPage(reply, page);
}

/** The unchecked id in the path. */
export function appIdOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

export function appPath(request: FastifyRequest): string {
  return `/developer/apps/${encodeURIComponent(appIdOf(request))}`;
}
