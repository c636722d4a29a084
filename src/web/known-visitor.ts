import type { FastifyRequest } from 'fastify';

/** What all pages share that is about who is signed in: the navigation. */
export type KnownVisitor = {
  /** The form token, for the button that signs out. */
  readonly csrf: string;
  /** Asked only where a page shows it. */
  managesApps(): Promise<boolean>;
};

const visitors = new WeakMap<FastifyRequest, KnownVisitor>();

export function rememberVisitor(request: FastifyRequest, visitor: KnownVisitor): void {
  visitors.set(request, visitor);
}

/** Undefined: nobody is signed in, or the request was answered without looking who is. */
export function rememberedVisitor(request: FastifyRequest): KnownVisitor | undefined {
  return visitors.get(request);
}
