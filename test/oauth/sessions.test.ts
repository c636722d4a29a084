import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashId } from '../../src/oauth/records.ts';
import { sessionCookieName } from '../../src/web/session-cookie.ts';
import { authorizeUrl, sharedWorld } from '../kit/service/oauth-world.ts';
import { ageSessions, changeRecords } from '../rows/oauth.ts';
import { ago, earlier } from '../rows/times.ts';

/** The setting's default is 2880. */
const JUST_LIVING = '2879 minutes';
const IDLE = '2881 minutes';

test('how long a session lives', async (t) => {
  const world = await sharedWorld(t);
  const { db, publicUrl } = world.service;
  const client = await world.createClient();

  /** A browser whose player has agreed to what the game asks for, and the hash of its session. */
  async function agreed() {
    const userId = await world.createUser();
    const browser = await world.browser(userId);
    const hash = hashId(browser.cookie(sessionCookieName(publicUrl))!);
    await world.authorize(browser, client);
    const row = async () => {
      const [found] = await db.query<{ idle: number; left: number }>(
        `SELECT extract(epoch FROM now() - used_at)::float8 AS idle, extract(epoch FROM expires_at - now())::float8 AS left
           FROM oauth_records WHERE model = 'Session' AND hash = $1`,
        [hash],
      );
      return found!;
    };
    return { browser, hash, userId, row };
  }

  const opens = {
    'our pages': async ({ browser }: Awaited<ReturnType<typeof agreed>>) =>
      (await browser.visit('/account/name')).status === 200,
    'the provider': async ({ browser }: Awaited<ReturnType<typeof agreed>>) =>
      new URL((await browser.arrive(authorizeUrl(world.origin, client))).location!).searchParams.has('code'),
  };
  for (const [where, isOpen] of Object.entries(opens)) {
    await t.test(`${where} take one that was used within the idle limit, and refuse it after`, async () => {
      const session = await agreed();
      await changeRecords(db, { hash: session.hash }, { usedAt: ago(JUST_LIVING) });
      assert.ok(await isOpen(session));
      assert.ok((await session.row()).idle < 60, 'that was a use');
      await changeRecords(db, { hash: session.hash }, { usedAt: ago(IDLE) });
      assert.equal(await isOpen(session), false);
    });

    await t.test(`${where} write a use down once in five minutes`, async () => {
      const session = await agreed();
      for (const [age, isNoted] of [
        ['4 minutes', false],
        ['6 minutes', true],
      ] as const) {
        await changeRecords(db, { hash: session.hash }, { usedAt: ago(age) });
        assert.ok(await isOpen(session));
        assert.equal((await session.row()).idle < 60, isNoted, age);
      }
    });
  }

  await t.test('recording a session’s use does not wait for a lock on it', async () => {
    const session = await agreed();
    await changeRecords(db, { hash: session.hash }, { usedAt: ago('1 day') });
    await db.transaction(async (tx) => {
      await tx.query(`SELECT FROM oauth_records WHERE model = 'Session' AND hash = $1 FOR SHARE`, [session.hash]);
      assert.ok(await opens['our pages'](session));
    });
    assert.ok((await session.row()).idle > 60);
  });

  await t.test('no authorization extends a session beyond thirty days after sign-in', async () => {
    const session = await agreed();
    await ageSessions(db, { hash: session.hash }, '29 days');
    await changeRecords(db, { hash: session.hash }, { expiresAt: earlier('expiresAt', '29 days') });
    assert.ok(await opens['the provider'](session));
    const { left } = await session.row();
    assert.ok(left > 86_000 && left <= 86_400, `${left} seconds`);
  });

  await t.test('a session without a recorded use counts as used when it was created', async () => {
    const session = await agreed();
    await changeRecords(db, { hash: session.hash }, { usedAt: null });
    assert.ok(await opens['our pages'](session));
    await changeRecords(db, { hash: session.hash }, { usedAt: null, createdAt: ago(IDLE) });
    assert.equal(await opens['our pages'](session), false);
  });
});
