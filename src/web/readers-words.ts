import type { FastifyInstance } from 'fastify';
import type { Service } from '../service/service.ts';
import type { Words } from '../words/words.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** In the language of who reads the answer. */
    readonly words: Words;
  }
}

/** The language of a page. No other place chooses one for a request. */
export function readersWords({ words }: Pick<Service, 'words'>): Words {
  return words;
}

/** Gives every request its words. */
export function decorateWords(server: FastifyInstance, service: Pick<Service, 'words'>): void {
  server.decorateRequest('words', { getter: () => readersWords(service) });
}
