import type { FastifyInstance } from 'fastify';

/** A route that will be removed, after a year at least. */
export type Deprecation = {
  /** The day from which new clients should not use it, UTC: `2027-01-31`. */
  readonly since: string;
  /** The first day it may be gone: at least a year later. */
  readonly sunset: string;
  /** The address in the change log that names the replacement. */
  readonly link: string;
};

/** By route: `'GET /v1/accounts/:address/rewards'`. Each has a line in the change log. */
export const DEPRECATIONS: Readonly<Record<string, Deprecation>> = {};

/** Adds the deprecation headers to every response of a deprecated route, refusals too (RFC 9745, RFC 8594). */
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
