import type { FastifyRequest } from 'fastify';

const tokens = new WeakMap<FastifyRequest, string>();

/** Remembers the form token of whoever is signed in, for what all pages share: the button that signs out. */
export function rememberFormToken(request: FastifyRequest, csrf: string): void {
  tokens.set(request, csrf);
}

/** Undefined: nobody is signed in, or the request was answered without looking who is. */
export function rememberedFormToken(request: FastifyRequest): string | undefined {
  return tokens.get(request);
}
