import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { Markup } from './layout.ts';
import { frameIdOf, parameter } from './request-parameters.ts';

/** The messages of a page in a frame to the page around it. They say how high it is, and hold nothing of the player's. */
export type Hello = {
  /** Who may read them. Only these origins can have the page in a frame. */
  readonly origins: readonly string[];
  readonly frameId: string | undefined;
};

/**
 * Undefined unless the page was opened with `hello=true`, which quarters.js adds to the address of a frame: a game that listens by
 * itself gets results only. `FRAME_SCRIPT` adds it to each form, so the next page says hello too.
 */
export function helloOf(
  { method, query, body }: Pick<FastifyRequest, 'method' | 'query' | 'body'>,
  frameAncestors: readonly string[] = [],
): Hello | undefined {
  const parameters = method === 'POST' ? body : query;
  if (frameAncestors.length === 0 || parameter(parameters, 'hello') !== 'true') return undefined;
  return { origins: frameAncestors, frameId: frameIdOf(parameters) };
}

/** Attributes for a page's `body`, from which `FRAME_SCRIPT` reads whom to tell. */
export function helloAttributes({ origins, frameId }: Hello): Markup {
  return html` data-hello="${origins.join(' ')}"${frameId !== undefined && html` data-frame-id="${frameId}"`}`;
}
