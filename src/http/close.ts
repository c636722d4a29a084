import type { FastifyInstance } from 'fastify';

const GRACE_MS = 10_000;

/**
 * Takes no more connections and lets answers under way come to their end, for ten seconds: what is not read by then is cut off.
 * Without a bound, one reader who stops reading would keep the service from ever stopping.
 */
export async function closeHttp(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}
