import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createSite } from '../../src/process/site.ts';
import { WINGS } from '../../src/wings.ts';
import { houseWith } from '../kit/service/house.ts';
import { createOperator } from '../kit/service/operator.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { routesOf } from '../kit/unit/routes.ts';

type Site = { readonly app: FastifyInstance; readonly paths: readonly string[] };

/** A site on the same service, with the wings that a setting `WINGS` chooses. */
async function siteWith({ service }: TestService, wings: string): Promise<Site> {
  const { started: app, routes } = await routesOf(() => createSite({ ...service, house: houseWith(wings) }));
  return { app, paths: [...new Set(routes.map(({ url }) => url))] };
}

/** The patterns of a router as one expression: `/a/:id` takes any id. */
const taking = (paths: readonly string[]) =>
  new RegExp(
    `^(${paths
      .map((path) =>
        path
          .replace(/:\w+(\([^)]*\))?/g, '\0')
          .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll('\0', '[^/]+'),
      )
      .join('|')})$`,
  );

const linksIn = (body: string) =>
  [...body.matchAll(/(?:href|src|action)="(\/[^"?#]*)/g)].map(([, path = '']) => path.replaceAll('&amp;', '&'));

/** Follows the links of pages from where people begin, and returns those that lead nowhere. */
async function deadLinks({ app, paths }: Site, begin: readonly string[], cookie: string): Promise<string[]> {
  const known = taking(paths);
  const dead: string[] = [];
  const seen = new Set(begin);
  for (const path of seen) {
    const { statusCode, headers, body } = await app.inject({ url: path, headers: { cookie } });
    if (statusCode !== 200 || !`${headers['content-type']}`.startsWith('text/html')) continue;
    for (const link of linksIn(body)) {
      if (!known.test(link)) dead.push(`${path} → ${link}`);
      // Of many pages of one form one is enough, and the documents are the same for everybody.
      else if (!/^\/(docs|assets)\/./.test(link) && ![...seen].some((one) => formOf(one) === formOf(link)))
        seen.add(link);
    }
  }
  return dead;
}

const formOf = (path: string) => path.replaceAll(/\/[^/]*\d[^/]*/g, '/:id');

test('each wing can be left out alone: its pages are gone, no others, and no page leads to them', async (t) => {
  const s = await startTestService(t);
  const person = await createOperator(s);
  const app = await s.createApp({ ownerId: person.userId });
  await s.issue(app.id, 1_000);
  const whole = await siteWith(s, 'all');
  const begin = ['/', '/tour', '/account', '/docs', '/liabilities', '/developer', `/developer/apps/${app.id}`];
  begin.push('/operator', `/operator/apps/${app.id}`, `/operator/users/${person.userId}`);
  assert.deepEqual(await deadLinks(whole, begin, person.cookie), []);
  const withPages: string[] = [];
  for (const wings of ['none', ...WINGS.map(({ name }) => `-${name}`)]) {
    const site = await siteWith(s, wings);
    assert.deepEqual(await deadLinks(site, begin, person.cookie), [], wings);
    const added = site.paths.filter((path) => !whole.paths.includes(path));
    assert.deepEqual(added, [], wings);
    if (site.paths.length < whole.paths.length) withPages.push(wings);
    await site.app.close();
  }
  await whole.app.close();
  const pages = ['documents', 'developers-console', 'call-log', 'economy', 'operators-console', 'operators-log'];
  assert.deepEqual(withPages, ['none', ...[...pages, 'liabilities', 'doctor'].map((name) => `-${name}`)]);
});
