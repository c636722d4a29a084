import type { FastifyInstance } from 'fastify';

const GRACE_MS = 10_000;

/**
 * Refuses new connections and waits up to ten seconds for responses under way, then cuts them off. Without this limit, one
 * client that stops reading would keep the service from stopping.
 */
export async function closeHttp(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}
