import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGuest } from '../../src/features/guests/create-guest.ts';
import { idempotencyKey } from '../../src/idempotency/keys.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import type { TestApp, TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { refusalsOf } from '../kit/unit/refusals.ts';
import { letDayPass } from '../rows/apps.ts';

const LIMIT = 30;

const guestsOf = async ({ service }: TestService, app: TestApp) =>
  (await service.db.query('SELECT FROM users JOIN accounts ON user_id = id WHERE guest_of = $1', [app.id])).length;

test("an app's guests of a day are as many as its limit, created by two processes at once", async (t) => {
  const s = await sharedService(t, { env: { GUESTS_PER_DAY: `${LIMIT}` } });
  const processes = [s.service, (await startSecondService(t, s)).service];
  const apps = [await s.createApp(), await s.createApp()];
  // Two of three calls have a key of their own: more than can be refused, so that some of them create a guest.
  const keyOf = (i: number) => (i % 3 === 0 ? undefined : idempotencyKey(['test'], `${i}`, ''));
  const calls = Array.from({ length: LIMIT * 4 }, (_, i) =>
    createGuest(processes[(i >> 1) % 2]!, asApp(apps[i % 2]!.id), keyOf(i)),
  );
  const refused = refusalsOf(await Promise.allSettled(calls));
  assert.deepEqual(refused, Array(LIMIT * 2).fill('guest-limit'));
  for (const app of apps) assert.equal(await guestsOf(s, app), LIMIT);

  // The keys of refused calls are free: the calls are new on the next day.
  for (const app of apps) await letDayPass(s.service.db, app.id);
  const again = await Promise.all(
    Array.from({ length: LIMIT * 4 }, (_, i) => i)
      .filter((i) => keyOf(i))
      .map((i) => createGuest(processes[0]!, asApp(apps[i % 2]!.id), keyOf(i))),
  );
  const created = again.filter(({ replayed }) => !replayed).length;
  assert.equal((await guestsOf(s, apps[0]!)) + (await guestsOf(s, apps[1]!)), LIMIT * 2 + created);
  assert.ok(created < again.length);
});

test('of equal calls in one group one creates a guest, and a call with another body is refused', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, i) =>
      createGuest(s.service, asApp(app.id), idempotencyKey([app.id], 'order 1', `${i % 5 === 4}`)),
    ),
  );
  assert.deepEqual(refusalsOf(results), Array(10).fill('idempotency-mismatch'));
  const guests = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  assert.equal(guests.filter(({ replayed }) => !replayed).length, 1);
  const { replayed: _, ...guest } = guests[0]!;
  for (const other of guests.slice(1)) assert.deepEqual(other, { ...guest, replayed: true });
  assert.equal(await guestsOf(s, app), 1);
});

test('a guest that cannot be stored does not fail those that share its transaction', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  const taken = (await s.createGuest(app)).pageToken;
  let issued = 0;
  const issue = (userId: Parameters<typeof s.service.pageTokens.issue>[0]) =>
    ++issued === 4 ? taken : s.service.pageTokens.issue(userId);
  const service = { ...s.service, pageTokens: { issue } };
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => createGuest(service, asApp(app.id))));
  const [failed, ...others] = refusalsOf(results);
  assert.match(failed ?? '', /guest_tokens_pkey/);
  assert.equal(others.length, 0);
  assert.equal(await guestsOf(s, app), 1 + 7);
  const [counted] = await s.service.db.query<{ count: number }>('SELECT count FROM guest_counts WHERE app_id = $1', [
    app.id,
  ]);
  assert.equal(counted?.count, 8);
});
