import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTransferId } from '../../src/base/ids.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertInvalid, assertProblem, call } from '../kit/service/call.ts';
import { newPlayer, startGame } from '../kit/service/player.ts';
import { asUser } from '../kit/unit/callers.ts';
import { insertRequestRows, letRequestExpire, roundCreationTimes } from '../rows/requests.ts';

type Item = Record<string, unknown> & { id: string };
type Page = { data: Item[]; next: string | null };

test('lists of requests and transfers', async (t) => {
  const { s, game } = await startGame(t);
  const { app } = s;
  const other = await s.createApp();
  await s.issue(game.id, 1_000);
  const [ada, bob] = [await newPlayer(s, game, 100), await s.createGuest(game)];
  const page = async (path: string, token = game.serverKey): Promise<Page> => {
    const answer = await call(app, `GET ${path}`, { token });
    assert.equal(answer.statusCode, 200, answer.body);
    assert.deepEqual(Object.keys(answer.json()), ['data', 'next']);
    return answer.json();
  };
  const walk = async (path: string, token = game.serverKey, between = async () => {}): Promise<Item[]> => {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, next }: Page = await page(cursor ? `${path}&cursor=${cursor}` : path, token);
      items.push(...data);
      cursor = next;
      await between();
    }
    return items;
  };
  const askFor = (guest: typeof bob, tokens: number) =>
    createRequest(s.service, asUser(guest.userId, game.id), { tokens, appId: game.id, description: `for ${tokens}` });
  const ids = (items: readonly Item[]) => items.map(({ id }) => id);

  const spent = await ada.spend(40);
  const paid = await call(app, `POST /v1/accounts/${game.address}/transfer`, {
    token: game.serverKey,
    body: { amount: 7, user: bob.userId },
  });
  await s.settled();
  const asked: string[] = [];
  for (let i = 1; i <= 5; i++) asked.unshift((await askFor(bob, i)).id);
  const all = [...asked, paid.json().requestId, spent.id];

  await t.test('an app lists its own requests, newest first, as each reads alone', async () => {
    const { data, next } = await page('/v1/requests');
    assert.deepEqual([ids(data), next], [all, null]);
    for (const item of data) {
      const alone = await call(app, `GET /v1/requests/${item.id}`, { token: game.serverKey });
      assert.deepEqual(item, alone.json());
    }
    assert.deepEqual((await page('/v1/requests', other.serverKey)).data, []);
    assert.deepEqual((await page('/v1/transfers', other.serverKey)).data, []);
  });

  await t.test('a user lists only their requests from the app of their token', async () => {
    assert.deepEqual(ids((await page('/v1/requests', bob.accessToken)).data), all.slice(0, 6));
    assert.deepEqual(ids((await page('/v1/requests', ada.user.accessToken)).data), [spent.id]);
    assert.deepEqual(ids((await page(`/v1/requests?userId=${bob.userId}`, bob.accessToken)).data), all.slice(0, 6));
    for (const what of ['requests', 'transfers']) {
      assert.deepEqual(await page(`/v1/${what}?userId=${bob.userId}`, ada.user.accessToken), { data: [], next: null });
    }
    const shop = await s.createApp();
    const elsewhere = { userId: bob.userId, appId: shop.id };
    await createRequest(s.service, asUser(elsewhere.userId, elsewhere.appId), { tokens: 1, appId: shop.id });
    assert.deepEqual(ids((await page('/v1/requests', bob.accessToken)).data), all.slice(0, 6));
  });

  await t.test('filters limit the list', async () => {
    const list = async (query: string) => ids((await page(`/v1/requests?${query}`)).data);
    assert.deepEqual(await list('status=completed'), all.slice(5));
    assert.deepEqual(await list('status=pending,completed'), all);
    assert.deepEqual(await list('status=declined'), []);
    assert.deepEqual(await list(`userId=${ada.user.userId}&status=completed`), [spent.id]);
    assert.deepEqual(await list('unknown=1&limit=2'), all.slice(0, 2));
    // A request past its time is expired, even before that is recorded.
    await letRequestExpire(s.service.db, asked[0]!);
    assert.deepEqual(await list('status=expired'), asked.slice(0, 1));
    assert.deepEqual(await list('status=pending'), asked.slice(1));
  });

  await t.test('a time range includes its beginning and excludes its end', async () => {
    const at = async (id: string) =>
      (await call(app, `GET /v1/requests/${id}`, { token: game.serverKey })).json().created.iso;
    // The database's times are finer than those in responses.
    await roundCreationTimes(s.service.db);
    const [newest, middle] = [await at(asked[0]!), await at(asked[2]!)];
    const list = async (query: string) => ids((await page(`/v1/requests?${query}`)).data);
    assert.deepEqual(await list(`createdFrom=${middle}`), asked.slice(0, 3));
    assert.deepEqual(await list(`createdFrom=${middle}&createdBefore=${newest}`), asked.slice(1, 3));
    assert.deepEqual(await list(`createdBefore=${middle}`), all.slice(3));
    assert.deepEqual(await list('createdBefore=2020-01-01T00:00:00Z'), []);
    assert.deepEqual(await list('createdFrom=2050-01-01T00:00:00%2B02:00'), []);
    assert.equal((await page('/v1/transfers?createdFrom=2020-01-01T00:00Z')).data.length, 2);
    assert.deepEqual((await page('/v1/transfers?createdBefore=2020-01-01T00:00Z')).data, []);
  });

  await t.test('both transfers of a payment with a reward are listed, on two pages and by filters', async () => {
    await ada.grant(5);
    const both = await ada.spend(15);
    await s.settled();
    const { data } = await page(`/v1/transfers?requestId=${both.id.toUpperCase()}`);
    assert.deepEqual(
      data.map(({ amount, status, requestId, txId, refundOf }) => ({ amount, status, requestId, txId, refundOf })),
      [5, 10].map((amount) => {
        return { amount, status: 'completed', requestId: both.id, txId: both.txId, refundOf: null };
      }),
    );
    for (const item of data) {
      for (const token of [game.serverKey, ada.user.accessToken]) {
        assert.deepEqual((await call(app, `GET /v1/transfers/${item.id}`, { token })).json(), item);
      }
      assertProblem(await call(app, `GET /v1/transfers/${item.id}`, { token: bob.accessToken }), 404, 'not-found');
      assertProblem(await call(app, `GET /v1/transfers/${item.id}`, { token: other.serverKey }), 404, 'not-found');
    }
    for (const id of [newTransferId(), 'x']) {
      assertProblem(await call(app, `GET /v1/transfers/${id}`, { token: game.serverKey }), 404, 'not-found');
    }
    const amounts = async (query: string, token?: string) =>
      (await page(`/v1/transfers?${query}`, token)).data.map(({ amount }) => amount);
    assert.deepEqual(await amounts(''), [5, 10, 7, 40]);
    assert.deepEqual(await amounts('limit=1'), [5]);
    assert.deepEqual(await amounts('direction=in'), [5, 10, 40]);
    assert.deepEqual(await amounts('direction=out'), [7]);
    assert.deepEqual(await amounts('direction=out', ada.user.accessToken), [10, 40]);
    assert.deepEqual(await amounts('direction=in', bob.accessToken), [7]);
    assert.deepEqual(await amounts('status=completed,failed'), [5, 10, 7, 40]);
    assert.deepEqual(await amounts('status=submitted'), []);
    assert.deepEqual(await amounts(`userId=${bob.userId}`), [7]);
    // The two transfers of one request, on two pages.
    assert.deepEqual(
      (await walk('/v1/transfers?limit=1')).map(({ amount }) => amount),
      [5, 10, 7, 40],
    );
  });

  await t.test('a walk over the pages lists each earlier item once, whatever is added meanwhile', async () => {
    const before = ids(await walk('/v1/requests?limit=100'));
    const seen = ids(await walk('/v1/requests?limit=2', game.serverKey, async () => void (await askFor(bob, 1))));
    assert.deepEqual(seen, before);
    const users = ids(await walk('/v1/requests?limit=3', bob.accessToken, async () => void (await askFor(bob, 1))));
    assert.equal(new Set(users).size, users.length);
  });

  await t.test('a page reads a bounded number of rows, and a walk still finds a rare item', async () => {
    const crowd = await s.createApp();
    const [oldest, ...later] = Array.from({ length: 5_001 }, (_, n) => ({
      id: `00000000-0000-7000-8000-${(n + 1).toString(16).padStart(12, '0')}`,
      appId: crowd.id,
      userId: bob.userId,
      status: 'cancelled' as const,
    }));
    await insertRequestRows(s.service.db, [{ ...oldest!, status: 'declined' }, ...later]);
    const first = await page('/v1/requests?status=declined', crowd.serverKey);
    assert.deepEqual(first.data, []);
    assert.ok(first.next);
    assert.deepEqual(ids(await walk('/v1/requests?status=declined', crowd.serverKey)), [oldest!.id]);
    assert.deepEqual(await walk('/v1/transfers?', crowd.serverKey), []);
  });

  await t.test('invalid parameters are refused', async () => {
    const wrong = async (path: string, ...pointers: string[]) => {
      assertInvalid(await call(app, `GET ${path}`, { token: game.serverKey }), ...pointers);
    };
    for (const what of ['requests', 'transfers']) {
      for (const limit of ['0', '101', '-1', '1.5', 'x', '']) await wrong(`/v1/${what}?limit=${limit}`, 'query/limit');
      await wrong(`/v1/${what}?limit=1&limit=2`, 'query/limit');
      for (const status of ['done', 'completed,', ',', 'completed;failed', '']) {
        await wrong(`/v1/${what}?status=${status}`, 'query/status');
      }
      for (const cursor of ['', 'x', 'A'.repeat(21), 'A'.repeat(23), `${'A'.repeat(21)}B`, 'A'.repeat(5_000), '%00']) {
        await wrong(`/v1/${what}?cursor=${cursor}`, 'query/cursor');
      }
      await wrong(`/v1/${what}?userId=me&limit=x`, 'query/userId', 'query/limit');
      for (const moment of ['yesterday', '2026-01-31', '2026-13-31T00:00:00Z', '2026-01-31T00:00:00', '1']) {
        await wrong(`/v1/${what}?createdFrom=${moment}`, 'query/createdFrom');
      }
      for (const moment of ['2026-01-31T25:00:00Z', '2026-02-31T00:00:00Z']) {
        await wrong(`/v1/${what}?createdBefore=${moment}`, 'query/createdBefore');
      }
    }
    await wrong('/v1/transfers?direction=up', 'query/direction');
    await wrong('/v1/transfers?requestId=7', 'query/requestId');
    // A parameter given twice is refused, not guessed (OWASP ASVS 4.0, 5.1.1).
    await wrong('/v1/requests?limit=1&limit=2', 'query/limit');
    // A cursor of one list is invalid for the other.
    const { next } = await page('/v1/requests?limit=1');
    await wrong(`/v1/transfers?cursor=${next}`, 'query/cursor');
  });

  await t.test('a cursor grants no access: with another credential it is only a position', async () => {
    const { next } = await page('/v1/requests?limit=1');
    assert.deepEqual((await page(`/v1/requests?cursor=${next}`, other.serverKey)).data, []);
    const seen = await page(`/v1/requests?cursor=${next}`, ada.user.accessToken);
    assert.ok(seen.data.every(({ userId }) => userId === ada.user.userId));
  });

  await t.test('a shipped key that only makes guests cannot list who pays', async () => {
    const token = await issueKey(s.service, OPERATOR, game.id, { kind: 'server', scopes: ['guests'], payPerDay: null });
    for (const what of ['requests', 'transfers']) {
      assertProblem(await call(app, `GET /v1/${what}`, { token }), 403, 'insufficient-scope');
    }
  });
});
