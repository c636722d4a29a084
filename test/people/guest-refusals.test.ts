import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import type { UserId } from '../../src/base/ids.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { revokeGuestTokens } from '../../src/identity/guest-tokens.ts';
import { findUser } from '../../src/identity/users.ts';
import { createSite } from '../../src/process/site.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import {
  ACCOUNT,
  BACK,
  convert,
  createGame,
  guestPath,
  newEmail,
  open,
  proveEmail,
  redeem,
  send,
} from '../kit/service/conversion.ts';
import { hiddenField, sendForm } from '../kit/service/forms.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy } from '../kit/service/with-password.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { changeApps } from '../rows/apps.ts';
import { ageGuestTokens } from '../rows/users.ts';

const ANCESTOR = 'https://portal.example';
const challenge = { code_challenge: randomBytes(32).toString('base64url'), code_challenge_method: 'S256' };

test('guest conversions that are refused', async (t) => {
  const service = await sharedService(t, behindProxy);
  const { db } = service.service;
  const game = await createGame(service, { frameAncestors: [ANCESTOR] });
  const publicGame = await createGame(service, { publicClient: true });
  const kindOf = async (userId: Parameters<typeof findUser>[1]) => (await findUser(db, userId))?.kind;

  await t.test('each fault of the link has its own page, without a redirect or a change', async () => {
    const guest = await service.createGuest(game);
    const publicGuest = await service.createGuest(publicGame);
    const foreign = await service.createGuest(publicGame);
    const path = (more: Record<string, string>, of = guest, at = game) => guestPath(at, of, more);
    const faults: [address: string, status: number, title: RegExp][] = [
      [path({ client_id: '' }), 400, /We don’t know this game/],
      [path({ client_id: 'A'.repeat(20) }), 400, /We don’t know this game/],
      [path({ client_id: '\0' }), 400, /We don’t know this game/],
      [path({ token: '' }), 400, /The link is incomplete/],
      [path({ token: 'qa_unknown' }), 401, /This link has expired/],
      [path({ token: '\0' }), 401, /This link has expired/],
      [path({ token: game.serverKey }), 401, /This link has expired/],
      [path({ token: guest.pageToken }), 400, /The game sent the wrong key/],
      [path({}, foreign), 403, /This guest belongs to another game/],
      [path({}, guest, publicGame), 403, /This guest belongs to another game/],
      [path({ inline: '' }), 400, /incorrectly/],
      [path({ inline: 'false' }), 400, /incorrectly/],
      [path({ response_type: '' }), 400, /incorrectly/],
      [path({ response_type: 'token' }), 400, /incorrectly/],
      [path({ inline: 'trueresponse_type=token', response_type: '' }), 400, /incorrectly/],
      [path({}, publicGuest, publicGame), 400, /The link is incomplete/],
      [path({ ...challenge, code_challenge_method: '' }), 400, /incorrectly/],
      [path({ ...challenge, code_challenge_method: 'plain' }), 400, /incorrectly/],
      [path({ code_challenge_method: 'S256' }), 400, /incorrectly/],
      [path({ ...challenge, code_challenge: 'short' }), 400, /incorrectly/],
      [path({ state: 'x'.repeat(2001) }), 400, /The link is too long/],
      ...[
        'https://evil.example/',
        `${BACK}/`,
        `${BACK}?a=b`,
        BACK.toUpperCase(),
        '//evil.example',
        'javascript:alert(1)',
        `${BACK}\r\nLocation: https://evil.example`,
        'com.acme.game://',
        ' ',
        `${BACK}@evil.example`,
        'https://game.example\\@evil.example/back',
      ].map((redirect_uri): [string, number, RegExp] => [path({ redirect_uri }), 400, /The game gave a wrong address/]),
      [path({ redirect_uri: 'https://evil.example/', frame_id: 'f' }), 400, /The game gave a wrong address/],
    ];
    for (const [address, status, title] of faults) {
      const answer = await open(service, address);
      assert.deepEqual([answer.statusCode, answer.headers.location], [status, undefined], address);
      assert.match(answer.body, title, address);
      assert.doesNotMatch(answer.body, /evil|name="flow"/);
      assert.deepEqual(answer.cookies, []);
    }
    assert.equal(await kindOf(guest.userId), 'guest');
  });

  await t.test('a guest token that was revoked or unused for a year is refused', async () => {
    for (const die of [
      (userId: UserId) => revokeGuestTokens(db, userId),
      (userId: UserId) => ageGuestTokens(db, { userId }, '366 days'),
    ]) {
      const guest = await service.createGuest(game);
      await die(guest.userId);
      const answer = await open(service, guestPath(game, guest));
      assert.equal(answer.statusCode, 401);
      assert.match(answer.body, /This link has expired/);
    }
  });

  await t.test('a guest token revoked mid-way ends the conversion at every step', async () => {
    const guest = await service.createGuest(game);
    const flow = await proveEmail(service, guestPath(game, guest));
    const page = await open(service, guestPath(game, guest));
    await revokeGuestTokens(db, guest.userId);
    for (const answer of [
      await send(service, 'email', { flow: hiddenField(page.body, 'flow'), email: newEmail() }),
      await send(service, 'again', { flow: hiddenField(page.body, 'flow') }),
      await send(service, 'finish', { flow, ...ACCOUNT }),
    ]) {
      assert.equal(answer.statusCode, 401);
      assert.match(answer.body, /This link has expired/);
    }
    assert.equal(await kindOf(guest.userId), 'guest');
  });

  await t.test('a redirect address removed mid-way ends the conversion', async () => {
    const moving = await createGame(service);
    const guest = await service.createGuest(moving);
    const flow = await proveEmail(service, guestPath(moving, guest, { redirect_uri: BACK }));
    await updateApp(service.service, OPERATOR, moving.id, { redirectUris: ['https://game.example/new'] });
    const answer = await send(service, 'finish', { flow, ...ACCOUNT });
    assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined]);
    assert.equal(await kindOf(guest.userId), 'guest');
  });

  await t.test('an app that becomes a public client mid-way needs a code_challenge', async () => {
    const changing = await createGame(service);
    const guest = await service.createGuest(changing);
    const flow = await proveEmail(service, guestPath(changing, guest));
    await changeApps(db, { id: changing.id }, { publicClient: true });
    const answer = await send(service, 'finish', { flow, ...ACCOUNT });
    assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined]);
    assert.match(answer.body, /must include a code_challenge/);
    assert.equal(await kindOf(guest.userId), 'guest');
  });

  await t.test('a converted guest is refused with the old token and with the new one', async () => {
    const guest = await service.createGuest(game);
    const done = await convert(service, guestPath(game, guest));
    const code = new URL(done.headers.location!).searchParams.get('code')!;
    const { access_token } = (await redeem(service, game, code)).body;
    for (const accessToken of [guest.accessToken, access_token!]) {
      const answer = await open(service, guestPath(game, { accessToken }));
      assert.deepEqual([answer.statusCode, answer.headers.location], [409, undefined]);
      assert.match(answer.body, /Your guest account is now a full account/);
      assert.match(answer.body, /href="\/sign-in"/);
    }
    const elsewhere = await open(service, guestPath(publicGame, { accessToken: access_token! }));
    assert.equal(elsewhere.statusCode, 401);
  });

  await t.test('a conversion step without the step before it is refused', async () => {
    const guest = await service.createGuest(game);
    const page = await open(service, guestPath(game, guest));
    const begun = hiddenField(page.body, 'flow');
    const sent = hiddenField((await send(service, 'email', { flow: begun, email: newEmail() })).body, 'flow');
    for (const [step, flow] of [
      ['code', begun],
      ['finish', begun],
      ['finish', sent],
      ['email', sent],
      ['finish', ''],
      ['finish', `${sent.slice(0, -4)}AAAA`],
    ] as const) {
      const answer = await send(service, step, { flow, email: newEmail(), code: '123456', ...ACCOUNT });
      assert.equal(answer.statusCode, 401, step);
    }
    for (const step of ['email', 'again', 'code', 'finish']) {
      assert.equal((await open(service, `/guest/${step}`)).statusCode, 401);
      assert.equal((await service.app.inject({ method: 'PUT', url: `/guest/${step}` })).statusCode, 405);
    }
    assert.equal((await service.app.inject({ method: 'POST', url: '/guest' })).statusCode, 405);
    assert.equal(await kindOf(guest.userId), 'guest');
  });

  await t.test('a conversion form from another site or without an origin is refused', async () => {
    const guest = await service.createGuest(game);
    const flow = await proveEmail(service, guestPath(game, guest));
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      assert.equal((await send(service, 'finish', { flow, ...ACCOUNT }, headers)).statusCode, 403);
    }
    const payload = new URLSearchParams({ flow, ...ACCOUNT }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal(
      (await service.app.inject({ method: 'POST', url: '/guest/finish', headers, payload })).statusCode,
      403,
    );
    assert.equal(await kindOf(guest.userId), 'guest');
  });

  await t.test('conversions and mails from one place are limited', async () => {
    const guest = await service.createGuest(game);
    const flow = hiddenField((await open(service, guestPath(game, guest))).body, 'flow');
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const answers = await Promise.all(
      Array.from({ length: 33 }, () => sendForm(service, '/guest/email', { flow, email: newEmail() }, from)),
    );
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 30);
    const refused = answers.find(({ statusCode }) => statusCode === 429)!;
    assert.match(refused.body, /Too many attempts/);
    assert.match(String(refused.headers['content-security-policy']), new RegExp(`frame-ancestors ${ANCESTOR}`));
    assert.equal(refused.headers['cross-origin-opener-policy'], 'unsafe-none', 'the game hears of its window again');
  });
});

test('the guest token in the address is not logged', async (t) => {
  const service = await sharedService(t);
  const game = await createGame(service);
  const guest = await service.createGuest(game);
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const app = await createSite({ ...service.service, log: logger });
  atEnd(t, () => app.close());
  const logged = { ...service, app };
  await convert(logged, guestPath(game, guest));
  await open(logged, guestPath(game, guest, { redirect_uri: 'https://evil.example' }));
  assert.ok(lines.some((line) => line.includes('/guest')));
  for (const secret of [guest.accessToken, ACCOUNT.password]) assert.ok(!lines.join('').includes(secret));
});
