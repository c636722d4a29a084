import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/problems.ts';
import { atOnce } from './hooks.ts';

/** Far more than any of our addresses and forms has. */
const MAX_PARAMETERS = 100;

/**
 * Whether a query or a form has more parameters than any of ours. What reads them may take a time that grows with the square of their number:
 * the provider's framework looks each name up among all of them.
 */
export function hasTooManyParameters(text: string): boolean {
  let count = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) if (++count >= MAX_PARAMETERS) return true;
  return false;
}

export const tooManyParameters = (what: 'address' | 'form') =>
  new Problem('invalid-input', `The ${what} has more than ${MAX_PARAMETERS} parameters.`);

/** Refuses requests whose address has too many parameters, whatever serves them, but for calls of the API, which read theirs in one pass. */
export function limitParameters(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    atOnce(({ raw }) => {
      const { url = '' } = raw;
      if (!url.startsWith('/v1/') && hasTooManyParameters(url)) throw tooManyParameters('address');
    }),
  );
}
