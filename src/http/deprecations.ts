import type { FastifyInstance } from 'fastify';

/** A route that will go. `/v1` only grows, so that is a year away at least. */
export type Deprecation = {
  /** From when on it should not be used in something new, UTC: `2027-01-31`. */
  readonly since: string;
  /** The day from which on it may be gone; at least a year later. */
  readonly sunset: string;
  /** Where the change log says what to use instead. */
  readonly link: string;
};

/** By route: `'GET /v1/accounts/:address/rewards'`. Each has its line in the change log. */
export const DEPRECATIONS: Readonly<Record<string, Deprecation>> = {};

/** Announces what is deprecated in each of its answers, refusals too (RFC 9745, RFC 8594). */
export function announceDeprecations(app: FastifyInstance, deprecations = DEPRECATIONS): void {
  const announced = new Map(
    Object.entries(deprecations).map(([route, deprecation]) => [route, headersOf(deprecation)]),
  );
  app.addHook('onRequest', async ({ method, routeOptions }, reply) => {
    const headers = announced.get(`${method === 'HEAD' ? 'GET' : method} ${routeOptions.url}`);
    if (headers) reply.headers(headers);
  });
}

function headersOf({ since, sunset, link }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    sunset: new Date(sunset).toUTCString(),
    link: `<${link}>; rel="deprecation"; type="text/html", <${link}>; rel="sunset"; type="text/html"`,
  };
}
