import { answersAt } from './answer.ts';

/** A request has arrived by then, headers and body, or is refused with 408. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Node.js looks for late requests this often. */
const CHECKED_EVERY_MS = 1_000;

/** What the framework, and the Node.js server it makes, are told of connections. `publicUrl`: where players reach us. */
export function connectionOptions(publicUrl: string) {
  return {
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      ServerResponse: answersAt(publicUrl),
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Headers have a minute otherwise, and a limit below that is not in effect.
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKED_EVERY_MS,
    },
  };
}
