import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { announceDeprecations, DEPRECATIONS } from '../../src/api/api.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const YEAR_MS = 365 * 86_400_000;

test('a deprecated route says so in every response, and no other route does', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  announceDeprecations(app, {
    'GET /v1/old/:id': { since: '2027-01-31', sunset: '2028-02-29', link: 'https://quarters.example/changes#old' },
  });
  app.get<{ Params: { id: string } }>('/v1/old/:id', async (request, reply) =>
    request.params.id === 'no' ? reply.code(404).send({}) : {},
  );
  app.post('/v1/old/:id', async () => ({}));
  for (const [method, url] of [
    ['GET', '/v1/old/1'],
    ['HEAD', '/v1/old/1'],
    ['GET', '/v1/old/no'],
  ] as const) {
    const { headers } = await app.inject({ method, url });
    // RFC 9745, section 2.1: a structured date; RFC 8594, section 3: an HTTP date.
    assert.equal(headers.deprecation, '@1801353600');
    assert.equal(headers.sunset, 'Tue, 29 Feb 2028 00:00:00 GMT');
    const link = '<https://quarters.example/changes#old>';
    assert.equal(headers.link, `${link}; rel="deprecation"; type="text/html", ${link}; rel="sunset"; type="text/html"`);
  }
  for (const [method, url] of [
    ['POST', '/v1/old/1'],
    ['GET', '/v1/nothing'],
  ] as const) {
    const { headers } = await app.inject({ method, url });
    assert.deepEqual([headers.deprecation, headers.sunset, headers.link], [undefined, undefined, undefined]);
  }
});

test('each deprecated route exists, and stays for a year at least', async (t) => {
  const { routes } = await sharedService(t);
  const known = new Set(routes.flatMap(({ method, url }) => [method].flat().map((name) => `${name} ${url}`)));
  for (const [route, { since, sunset }] of Object.entries(DEPRECATIONS)) {
    assert.ok(known.has(route), route);
    assert.ok(Date.parse(sunset) - Date.parse(since) >= YEAR_MS, route);
  }
});
