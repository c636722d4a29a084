import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { createOperator } from '../kit/service/operator.ts';
import { removeOperator } from '../kit/service/operator-acts.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { freeze } from '../kit/service/stopping.ts';

/**
 * Routes that do not ask an operator to confirm who they are, because they neither move money nor open somebody's data. A new route belongs
 * here only for that reason.
 */
const OPEN = new Set([
  'GET /operator',
  'GET /operator/economy/:table.csv',
  ...['flows', 'charts', 'apps', 'balances'].map((part) => `GET /operator/economy/${part}`),
  'GET /operator/economy/apps/:id',
  ...['lasting', 'gas', 'refusals'].flatMap((page) => [
    `GET /operator/economy/${page}`,
    `GET /operator/economy/${page}.csv`,
  ]),
  'GET /operator/statements',
  'GET /operator/statements.csv',
  'GET /operator/statements.json',
  'GET /operator/statements/:id',
  'GET /operator/statements/:id/statement.csv',
  'GET /operator/statements/:id/statement.json',
  'GET /operator/liabilities',
  'GET /operator/health',
  'GET /operator/operators',
  'GET /operator/apps',
  'GET /operator/apps/:id',
  'GET /operator/apps/:id/payments',
  'GET /operator/payments/:id',
  'GET /operator/transfers/:id',
  'GET /operator/transactions/:id',
  'GET /operator/addresses/:id',
  'GET /operator/search',
  // It finds what has an id. For a person it leads to …/people, which asks.
  'POST /operator/search',
  'GET /operator/actions',
  'GET /operator/actions/prepare',
  'GET /operator/actions/perform',
  'GET /operator/log/head',
  'GET /operator/log/key',
]);

test('every route of the console is closed to everybody but an operator with a passkey, and says nothing to caches', async (t) => {
  const s = await startTestService(t);
  const removed = await createOperator(s);
  await removeOperator(s.service, removed.email);
  const frozen = await createOperator(s);
  await freeze(s.service, frozen.userId);
  const callers = {
    player: [await createPerson(s), 404],
    'removed operator': [removed, 404],
    'frozen operator': [frozen, 404],
    'operator by password': [await createOperator(s, { methods: ['pwd'] }), 403],
  } as const;
  const [late, operator] = [await createOperator(s, { minutesAgo: 20 }), await createOperator(s)];
  // Other methods are refused for every page alike, with 405.
  const ours = s.routes.filter(({ url, method }) => /^\/operator(\/|\.|$)/.test(url) && typeof method === 'string');
  assert.ok(ours.length > 40, `${ours.length} routes`);
  for (const { method, url: pattern } of ours) {
    const url = pattern.replace(/:\w+/, 'x');
    const name = `${method} ${pattern}`;
    const ask = async (caller: { cookie: string; csrf: string } | null, csrf = caller?.csrf) => {
      const type = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
      const headers = { ...(caller && { cookie: caller.cookie }), ...(method === 'POST' && type) };
      const payload = method === 'POST' ? new URLSearchParams({ csrf: csrf ?? '' }).toString() : undefined;
      const answer = await s.app.inject({
        method: method as InjectOptions['method'],
        url,
        headers,
        payload,
      } as InjectOptions);
      assert.equal(answer.headers['cache-control'], 'no-store', name);
      return answer;
    };
    for (const [who, [caller, status]] of Object.entries(callers)) {
      assert.equal((await ask(caller)).statusCode, status, `${name} for a ${who}`);
    }
    assert.match(`${(await ask(null)).headers.location}`, /^\/sign-in\?/, `${name}, signed out`);
    const isAsked = /^\/sign-in\?again=true/.test(`${(await ask(late)).headers.location}`);
    assert.equal(isAsked, !OPEN.has(name.replace('HEAD', 'GET')), `${name} after a while`);
    if (method === 'POST') assert.equal((await ask(operator, 'another')).statusCode, 403, `${name} from another site`);
  }
});
