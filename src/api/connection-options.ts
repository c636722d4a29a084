import { answersAt } from './answer.ts';

/** A request that has not arrived in full by then, headers and body, is refused with 408. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node.js looks for late requests. */
const CHECKED_EVERY_MS = 1_000;

/** Connection options for the framework and its Node.js server. `publicUrl`: the address players use. */
export function connectionOptions(publicUrl: string) {
  return {
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      ServerResponse: answersAt(publicUrl),
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Its default is a minute, and a requestTimeout below that has no effect.
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKED_EVERY_MS,
    },
  };
}
