import type { FastifyInstance } from 'fastify';
import { Problem } from '../base/problems.ts';
import { basesOf } from '../config/bases.ts';
import type { Service } from '../settlement/service.ts';

type Part = 'pages' | 'api' | 'guest creation' | 'everywhere';

/**
 * Where the API has its own host, each host serves only its own part: the host of pages and cookies does not serve the API.
 * An unknown host (a health check by address, a proxy that rewrites it) gets everything.
 */
export function separateBases(app: FastifyInstance, { settings, publicUrl }: Service): void {
  const { api, devApi } = basesOf(settings, publicUrl);
  const parts = new Map<string, Set<Part>>();
  for (const [url, part] of [
    [publicUrl, 'pages'],
    [api, 'api'],
    [devApi, 'guest creation'],
  ] as const) {
    const { host } = new URL(url);
    parts.set(host, (parts.get(host) ?? new Set<Part>(['everywhere'])).add(part));
  }
  if (parts.size === 1) return;
  app.addHook('onRequest', async (request) => {
    const served = parts.get(request.headers.host?.toLowerCase() ?? '');
    if (served && !served.has(partOf(request.url))) {
      throw new Problem('not-found', 'There is nothing at this address.');
    }
  });
}

function partOf(url: string): Part {
  const path = url.split('?', 1)[0]!;
  if (path === '/v1/new-guest') return 'guest creation';
  if (path.startsWith('/v1/')) return 'api';
  return /^\/(healthz|readyz|metrics|openapi\.json)$/.test(path) ? 'everywhere' : 'pages';
}
