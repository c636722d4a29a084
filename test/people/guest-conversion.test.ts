import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { findUser } from '../../src/identity/users.ts';
import { call } from '../kit/service/call.ts';
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
import { cookieOf, hiddenField, sendForm } from '../kit/service/forms.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { codeIn, mailAtOnce } from '../kit/service/mailbox.ts';
import { newPayment } from '../kit/service/payment.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy } from '../kit/service/with-password.ts';
import { changeEmailCodes } from '../rows/passing.ts';
import { ago } from '../rows/times.ts';

/** As the script of the last page asks for the options of a passkey. */
const passkeyOptions = (service: TestService, flow: string, origin = service.origin) =>
  service.app.inject({
    method: 'POST',
    url: '/guest/passkey',
    headers: { origin, 'content-type': 'application/json' },
    payload: { flow, display_name: 'Ada' },
  });

const codeOf = (location: string | undefined) => new URL(location ?? '').searchParams.get('code') ?? '';

const codesOf = ({ service }: TestService, userId: string) =>
  service.db.query("SELECT FROM oauth_records WHERE model = 'AuthorizationCode' AND user_id = $1", [userId]);

test('a guest becomes a full user', async (t) => {
  const service = await sharedService(t, behindProxy);
  const { db } = service.service;
  const game = await createGame(service);

  await t.test(
    'conversion keeps id, account, balance and history, revokes guest tokens, and returns a redeemable code',
    async () => {
      const guest = await service.createGuest(game);
      await service.issue(guest.userId, 40);
      const paid = await newPayment(service, game, { guest, tokens: 5 });
      assert.equal((await paid.decide({ decision: 'approve' })).status, 303);
      await service.settled();
      const waiting = await newPayment(service, game, { guest, tokens: 7 });
      const formToken = await waiting.formToken();
      const limits = { maxPerTransfer: asQuarters(10), maxPerDay: asQuarters(10), days: 1 };
      await grantMandate(db, { userId: guest.userId, appId: game.id, ...limits });
      const seen = async (token: string) => ({
        accounts: (await call(service.app, 'GET /v1/accounts', { token })).json(),
        balance: (await call(service.app, `GET /v1/accounts/${guest.address}/balance`, { token })).json(),
        paid: (await call(service.app, `GET /v1/requests/${paid.id}`, { token })).json(),
        waiting: (await call(service.app, `GET /v1/requests/${waiting.id}`, { token })).json(),
      });
      const before = await seen(guest.accessToken);
      assert.equal(before.balance[0].quarters, '35');

      const path = guestPath(game, guest, { redirect_uri: BACK, state: 'a b&c=d%\r\nSet-Cookie: x=y ü' });
      const page = await open(service, path);
      assert.equal(page.statusCode, 200);
      assert.match(page.body, /35 quarters/);
      assert.doesNotMatch(page.body, new RegExp(guest.accessToken));
      assert.equal(page.headers['referrer-policy'], 'same-origin');
      assert.equal(page.headers['cache-control'], 'no-store');
      assert.match(String(page.headers['content-security-policy']), /form-action 'self' https:;/);

      const email = newEmail();
      const done = await convert(service, path, email);
      assert.equal(done.statusCode, 303);
      const location = done.headers.location!;
      const code = codeOf(location);
      assert.equal(
        location,
        `${BACK}?success=true&code=${code}&state=a%20b%26c%3Dd%25%0D%0ASet-Cookie%3A%20x%3Dy%20%C3%BC`,
      );
      assert.match(code, /^[\w-]{43}$/);

      const user = (await findUser(db, guest.userId))!;
      assert.deepEqual(
        [user.kind, user.email, user.emailVerified, user.displayName, user.guestOf],
        ['full', email, true, 'Ada', game.id],
      );
      const account = await service.app.inject({ url: '/account', headers: { cookie: cookieOf(done) } });
      assert.equal(account.statusCode, 200, 'signed in on our pages');

      // Nothing of the guest opens anything.
      for (const path of ['/v1/me', '/v1/accounts', `/v1/accounts/${guest.address}/balance`]) {
        assert.equal((await call(service.app, `GET ${path}`, { token: guest.accessToken })).statusCode, 401, path);
      }
      assert.match((await waiting.open()).location ?? '', /^\/sign-in\?/);
      assert.equal((await waiting.decide({ decision: 'approve', page_token: formToken })).status, 404);
      const mandates = await db.query('SELECT FROM mandates WHERE user_id = $1 AND revoked_at IS NULL', [guest.userId]);
      assert.equal(mandates.length, 0);

      const tokens = await redeem(service, game, code);
      assert.equal(tokens.status, 200, JSON.stringify(tokens.body));
      assert.deepEqual(await seen(tokens.body.access_token!), before);
      const me = (await call(service.app, 'GET /v1/me', { token: tokens.body.access_token! })).json();
      assert.deepEqual([me.id, me.email, me.emailVerified, me.displayName], [guest.userId, email, true, 'Ada']);
      assert.equal((await redeem(service, game, code)).status, 400, 'once');
      const [event, ...more] = await db.query<{ data: object; sequence: number }>(
        "SELECT data, sequence FROM events WHERE type = 'guest.converted' AND app_id = $1",
        [game.id],
      );
      assert.deepEqual([more, event!.sequence, Object.keys(event!.data)], [[], 1, ['userId', 'appId', 'converted']]);
      assert.deepEqual({ ...event!.data, converted: null }, { userId: guest.userId, appId: game.id, converted: null });
    },
  );

  await t.test('a conversion code is refused without the client secret, unless a challenge was sent', async () => {
    const guest = await service.createGuest(game);
    const done = await convert(service, guestPath(game, guest));
    const code = codeOf(done.headers.location);
    for (const client_secret of ['', 'qs_wrong']) {
      assert.equal((await redeem(service, { ...game, secret: client_secret }, code)).body.error, 'invalid_client');
    }
    const other = await createGame(service);
    assert.equal((await redeem(service, other, code)).body.error, 'invalid_grant');
  });

  await t.test('a public client redeems a conversion code with its PKCE verifier', async () => {
    const open_ = await createGame(service, { publicClient: true });
    const guest = await service.createGuest(open_);
    const verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const path = guestPath(open_, guest, { code_challenge, code_challenge_method: 'S256' });
    const code = codeOf((await convert(service, path)).headers.location);
    const redeemed = async (more: Record<string, string>) => {
      const { client_secret: _, ...body } = {
        client_secret: '',
        grant_type: 'authorization_code',
        client_id: open_.id,
        code,
        ...more,
      };
      return (await service.app.inject({ method: 'POST', url: '/v1/oauth/token', payload: body })).statusCode;
    };
    assert.equal(await redeemed({}), 400);
    assert.equal(await redeemed({ code_verifier: 'x'.repeat(43) }), 400);
    assert.equal(await redeemed({ code_verifier: verifier }), 200);
  });

  await t.test('a conversion form sent twice yields one code, returned by both answers', async () => {
    for (const atOnce of [false, true]) {
      const guest = await service.createGuest(game);
      const form = { flow: await proveEmail(service, guestPath(game, guest)), ...ACCOUNT };
      const finish = () => send(service, 'finish', form);
      const answers = atOnce ? await Promise.all([finish(), finish(), finish()]) : [await finish(), await finish()];
      const locations = new Set(answers.map(({ headers }) => headers.location));
      assert.equal(locations.size, 1);
      assert.equal((await codesOf(service, guest.userId)).length, 1);
      const [location] = [...locations];
      assert.equal((await redeem(service, game, codeOf(location))).status, 200);
      const late = await finish();
      assert.equal(late.statusCode, 409, 'once redeemed it is not given again');
      assert.equal(late.headers.location, undefined);
    }
  });

  await t.test('two concurrent conversions of one guest: one succeeds, the other reports it is done', async () => {
    const guest = await service.createGuest(game);
    const flows = [
      await proveEmail(service, guestPath(game, guest)),
      await proveEmail(service, guestPath(game, guest)),
    ];
    const answers = await Promise.all(flows.map((flow) => send(service, 'finish', { flow, ...ACCOUNT })));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [303, 409]);
    assert.match(
      answers.find(({ statusCode }) => statusCode === 409)!.body,
      /Your guest account is now a full account/,
    );
    assert.equal((await codesOf(service, guest.userId)).length, 1);
  });

  await t.test('two guests with one e-mail address at once: one converts, the other stays a guest', async () => {
    const email = newEmail();
    const guests = [await service.createGuest(game), await service.createGuest(game)];
    const flows: string[] = [];
    for (const guest of guests) {
      const page = await open(service, guestPath(game, guest));
      const sent = await send(service, 'email', { flow: hiddenField(page.body, 'flow'), email });
      const code = codeIn(await mailAtOnce(service, email, flows.length + 1));
      const proved = await send(service, 'code', { flow: hiddenField(sent.body, 'flow'), code });
      flows.push(hiddenField(proved.body, 'flow'));
    }
    const answers = await Promise.all(flows.map((flow) => send(service, 'finish', { flow, ...ACCOUNT })));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 303]);
    assert.match(answers.find(({ statusCode }) => statusCode === 200)!.body, /This address has an account/);
    const kinds = await Promise.all(guests.map(async ({ userId }) => (await findUser(db, userId))!.kind));
    assert.deepEqual(kinds.sort(), ['full', 'guest']);
    const loser = guests[answers.findIndex(({ statusCode }) => statusCode === 200)]!;
    assert.equal((await call(service.app, 'GET /v1/me', { token: loser.accessToken })).statusCode, 200);
  });

  await t.test(
    'an e-mail address that has an account is reported only after the code, and another address works',
    async () => {
      const guest = await service.createGuest(game);
      const email = newEmail();
      await convert(service, guestPath(game, await service.createGuest(game)), email);
      const page = await open(service, guestPath(game, guest));
      const sent = await send(service, 'email', { flow: hiddenField(page.body, 'flow'), email: email.toUpperCase() });
      assert.doesNotMatch(sent.body, /has an account/);
      const code = codeIn(await mailAtOnce(service, email.toUpperCase()));
      const told = await send(service, 'code', { flow: hiddenField(sent.body, 'flow'), code });
      assert.equal(told.statusCode, 200);
      assert.match(told.body, /This address has an account/);
      assert.match(told.body, /href="\/guest\/merge\?flow=/);
      assert.equal((await call(service.app, 'GET /v1/me', { token: guest.accessToken })).statusCode, 200);

      const flow = hiddenField(told.body, 'flow');
      assert.equal((await send(service, 'finish', { flow, ...ACCOUNT })).statusCode, 401, 'that field proves nothing');
      const other = newEmail();
      const again = await send(service, 'email', { flow, email: other });
      const proved = await send(service, 'code', {
        flow: hiddenField(again.body, 'flow'),
        code: codeIn(await mailAtOnce(service, other)),
      });
      const done = await send(service, 'finish', { flow: hiddenField(proved.body, 'flow'), ...ACCOUNT });
      assert.equal(done.statusCode, 303);
    },
  );

  await t.test('a payment request made to a guest can be approved after conversion', async () => {
    const guest = await service.createGuest(game);
    await service.issue(guest.userId, 10);
    const { id } = await newPayment(service, game, { guest, tokens: 4 });
    const cookie = cookieOf(await convert(service, guestPath(game, guest)));
    const page = await service.app.inject({ url: `/requests/${id}`, headers: { cookie } });
    assert.equal(page.statusCode, 200, page.body);
    const form = { page_token: hiddenField(page.body, 'page_token'), decision: 'approve' };
    const approved = await sendForm(service, `/requests/${id}/decision`, form, { cookie });
    assert.equal(approved.statusCode, 303);
    assert.match(approved.headers.location!, new RegExp(`requestId=${id}`));
  });

  await t.test('wrong and replaced codes are refused, and a newly sent code works', async () => {
    const guest = await service.createGuest(game);
    const email = newEmail();
    const page = await open(service, guestPath(game, guest));
    const sent = await send(service, 'email', { flow: hiddenField(page.body, 'flow'), email });
    const code = codeIn(await mailAtOnce(service, email));
    const flow = hiddenField(sent.body, 'flow');
    for (let i = 0; i < 5; i++) {
      const wrong = await send(service, 'code', { flow, code: code === '000000' ? '111111' : '000000' });
      assert.equal(wrong.statusCode, 422);
      assert.match(wrong.body, /Wrong or expired code/);
    }
    assert.equal((await send(service, 'code', { flow, code })).statusCode, 422, 'guessed at too often');
    const begun = /action="\/guest\/email">\s*<input type="hidden" name="flow" value="([^"]+)"/.exec(sent.body)![1]!;
    const anew = await send(service, 'email', { flow: begun, email });
    const second = codeIn(await mailAtOnce(service, email, 2));
    await changeEmailCodes(db, { email }, { expiresAt: ago() });
    assert.equal((await send(service, 'code', { flow: hiddenField(anew.body, 'flow'), code: second })).statusCode, 422);
    const back = await send(service, 'again', { flow: begun });
    assert.match(back.body, /Keep your account/);
  });

  await t.test('conversion without a name or a password is refused', async () => {
    const guest = await service.createGuest(game);
    const flow = await proveEmail(service, guestPath(game, guest));
    for (const faulty of [
      { display_name: '', password: 'long enough for all' },
      { display_name: 'Ada', password: 'short' },
    ]) {
      assert.equal((await send(service, 'finish', { flow, ...faulty })).statusCode, 422);
    }
    assert.equal((await findUser(db, guest.userId))?.kind, 'guest');
  });

  await t.test(
    'a passkey is offered after the address is proved, and one that does not hold converts nobody',
    async () => {
      const [guest, email] = [await service.createGuest(game), newEmail()];
      const path = guestPath(game, guest);
      const begun = hiddenField((await open(service, path)).body, 'flow');
      const flow = await proveEmail(service, path, email);
      for (const [sealed, origin, status] of [
        [begun, service.origin, 401],
        ['', service.origin, 401],
        [flow, 'https://evil.example', 403],
      ] as const) {
        assert.equal((await passkeyOptions(service, sealed, origin)).statusCode, status);
      }
      const { user, challenge } = (await passkeyOptions(service, flow)).json();
      const { name, displayName, id } = user;
      const userId = Buffer.from(id, 'base64url').toString();
      assert.deepEqual({ name, displayName, userId }, { name: email, displayName: 'Ada', userId: guest.userId });

      const clientDataJSON = Buffer.from(JSON.stringify({ challenge })).toString('base64url');
      for (const passkey of [
        '{}',
        '[]',
        'nonsense',
        '{"response":{}}',
        JSON.stringify({ response: { clientDataJSON } }),
      ]) {
        const refused = await send(service, 'finish', { flow, display_name: 'Ada', passkey });
        assert.equal(refused.statusCode, 422, passkey);
        assert.match(
          refused.body,
          /id="passkey"[\s\S]*role="alert">(That took too long|We couldn’t verify this passkey)/,
        );
      }
      const nameless = await send(service, 'finish', { flow, display_name: ' ', passkey: '{}' });
      assert.match(nameless.body, /id="display_name-error"/);
      assert.equal((await findUser(db, guest.userId))?.kind, 'guest');
      assert.equal((await send(service, 'finish', { flow, ...ACCOUNT })).statusCode, 303);
      assert.equal((await passkeyOptions(service, flow)).statusCode, 401);
    },
  );
});
