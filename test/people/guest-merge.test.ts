import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { freezeUser } from '../../src/features/accounts/freeze.ts';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { findUser } from '../../src/identity/users.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { BACK, createGame, type Game, guestPath, open, redeem, send } from '../kit/service/conversion.ts';
import { hiddenField } from '../kit/service/forms.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { codeIn, mailAtOnce } from '../kit/service/mailbox.ts';
import { newPayment, statusOf } from '../kit/service/payment.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { send as sendAs, visit } from '../kit/service/visits.ts';
import { behindProxy } from '../kit/service/with-password.ts';

/** Types an address that has an account, and the code sent there; returns the last page. */
async function proveTaken(service: TestService, path: string, email: string, headers = {}) {
  const page = await open(service, path, headers);
  const sent = await send(service, 'email', { flow: hiddenField(page.body, 'flow'), email }, headers);
  assert.doesNotMatch(sent.body, /has an account/, 'nobody is told before the code');
  const code = codeIn(await mailAtOnce(service, email));
  return send(service, 'code', { flow: hiddenField(sent.body, 'flow'), code }, headers);
}

const mergePathIn = ({ body }: { body: string }) =>
  /href="(\/guest\/merge\?flow=[\w-]+)"/.exec(body)?.[1] ?? assert.fail(body);

/** The form of the page that asks, as its owner's browser sends it. */
async function formOf(service: TestService, person: Person, path: string) {
  const { status, body } = await visit(service, person, path);
  assert.equal(status, 200, body);
  return { body, send: () => sendAs(service, person, '/guest/merge', { flow: hiddenField(body, 'flow'), page: path }) };
}

const codeIn303 = (location: string | undefined) => new URL(location ?? '').searchParams.get('code') ?? '';

async function balanceOf({ service }: TestService, address: string): Promise<number> {
  const [row] = await service.db.query<{ posted: bigint; held: bigint }>(
    'SELECT posted, held FROM accounts WHERE address = $1',
    [asAddress(address)],
  );
  return Number(row!.posted - row!.held);
}

test('a guest whose player has an account', async (t) => {
  const service = await sharedService(t, behindProxy);
  const { db } = service.service;
  const game = await createGame(service, { name: 'Chess Royale', autoApprove: true });
  await service.issue(game.id, 1_000);

  const apiCall = (route: string, body: object) => call(service.app, route, { token: game.serverKey, body });

  async function guestWith(quarters: number, of: Game = game): Promise<NewGuest> {
    const guest = await service.createGuest(of);
    if (quarters > 0) await service.issue(guest.userId, quarters);
    return guest;
  }

  await t.test('in a frame, our window begins with the page that closes it where it could tell nobody', async () => {
    const { email } = await createPerson(service);
    const taken = await proveTaken(service, guestPath(game, await guestWith(0)), email, { 'sec-fetch-dest': 'iframe' });
    assert.match(taken.body, /<main [^>]*data-first="\/window"/);
  });

  await t.test('moves its quarters there once, is closed, and the game gets a code for the account', async () => {
    const guest = await guestWith(40);
    const ada = await createPerson(service);
    await service.issue(ada.userId, 3);
    const paid = await newPayment(service, game, { guest, tokens: 5 });
    assert.equal((await paid.decide({ decision: 'approve' })).status, 303);
    await service.settled();
    const waiting = await newPayment(service, game, { guest, tokens: 7 });
    const formToken = await waiting.formToken();
    const limits = { maxPerTransfer: asQuarters(10), maxPerDay: asQuarters(10), days: 1 };
    await grantMandate(db, { userId: guest.userId, appId: game.id, ...limits });

    const path = guestPath(game, guest, { redirect_uri: BACK, state: 'level 3' });
    const taken = await proveTaken(service, path, ada.email);
    assert.match(taken.body, /already has an account.*35 quarters/s);
    const mergePath = mergePathIn(taken);
    const toSignIn = await visit(service, null, mergePath);
    assert.equal(toSignIn.status, 303);
    const signIn = new URL(toSignIn.location!, service.origin);
    assert.deepEqual(
      [signIn.pathname, signIn.searchParams.get('return_to'), signIn.searchParams.get('login_hint')],
      ['/sign-in', mergePath, ada.email],
    );

    const form = await formOf(service, ada, mergePath);
    assert.match(
      form.body,
      /Move 35 quarters from your guest account in <bdi>“Chess Royale”<\/bdi> to this account\. The guest account then closes\./,
    );
    assert.equal((await findUser(db, guest.userId))?.kind, 'guest', 'looking changes nothing');
    const [first, second] = await Promise.all([form.send(), form.send()]);
    assert.deepEqual([first.status, second.status], [303, 303], first.body + second.body);
    assert.equal(first.location, second.location);
    assert.match(first.location!, /^https:\/\/game\.example\/back\?success=true&code=[\w-]{43}&state=level%203$/);

    await service.settled();
    assert.deepEqual([await balanceOf(service, guest.address), await balanceOf(service, ada.address)], [0, 38]);
    const moved = await db.query<{ amount: bigint }>(
      'SELECT amount FROM transfers WHERE from_address = $1 AND to_address = $2',
      [asAddress(guest.address), ada.address],
    );
    assert.deepEqual(moved, [{ amount: 35n }]);
    await assertLedgerIsChain(service.service);

    const tokens = await redeem(service, game, codeIn303(first.location));
    assert.equal(tokens.status, 200, JSON.stringify(tokens.body));
    const me = (await call(service.app, 'GET /v1/me', { token: tokens.body.access_token! })).json();
    assert.deepEqual([me.id, me.email, me.displayName], [ada.userId, ada.email, 'Ada']);
    const late = await form.send();
    assert.equal(late.status, 409, 'once redeemed it is not given again');
    assert.match(late.body, /Your guest was moved to your account/);

    const events = await db.query<{ type: string; data: Record<string, unknown> | null }>(
      'SELECT type, data FROM events WHERE app_id = $1 ORDER BY position, id',
      [game.id],
    );
    const merged = events.filter(({ type }) => type === 'guest.merged').map(({ data }) => ({ ...data, merged: null }));
    assert.deepEqual(merged, [{ userId: guest.userId, appId: game.id, mergedInto: ada.userId, merged: null }]);
    assert.equal(events.filter(({ type }) => type === 'request.cancelled').length, 1);

    // Nothing of the guest opens anything, and its limit is nobody's.
    assert.equal((await call(service.app, 'GET /v1/me', { token: guest.accessToken })).statusCode, 401);
    assert.equal(await statusOf(service, waiting.id), 'cancelled');
    assert.equal((await waiting.decide({ decision: 'approve', page_token: formToken })).status, 404);
    assert.deepEqual(await db.query('SELECT FROM mandates WHERE revoked_at IS NULL'), []);
    assert.match((await open(service, path)).body, /Your guest was moved to your account/);
    assert.match((await visit(service, ada, '/account')).body, /From your guest account/);

    // What the game still pays the guest is refused, and said.
    const pay = `POST /v1/accounts/${game.address}/transfer`;
    for (const payee of [{ user: guest.userId }, { address: guest.address }]) {
      const answer = await apiCall(pay, { amount: 2, ...payee });
      assertProblem(answer, 409, 'account-closed');
      assert.match(answer.json().detail, /guest\.merged/);
    }
    assertProblem(await apiCall(`POST /v1/requests/${paid.id}/refunds`, {}), 409, 'account-closed');
    assert.equal((await apiCall(pay, { amount: 2, user: ada.userId })).statusCode, 200);
  });

  await t.test('only moves to the account of the proved address', async () => {
    const guest = await guestWith(5);
    const [ada, eve] = [await createPerson(service), await createPerson(service)];
    const path = mergePathIn(await proveTaken(service, guestPath(game, guest), ada.email));
    const form = await formOf(service, ada, path);
    const flow = hiddenField(form.body, 'flow');
    const asEve = [await visit(service, eve, path), await sendAs(service, eve, '/guest/merge', { flow })];
    for (const answer of asEve) {
      assert.equal(answer.status, 403);
      assert.match(answer.body, /You’re signed in to another account/);
    }
    assert.equal((await sendAs(service, ada, '/guest/merge', { flow: flow.slice(0, -8) })).status, 401);
    assert.equal((await visit(service, ada, '/guest/merge?flow=x')).status, 401);
    const foreign = await sendAs(service, { ...ada, csrf: eve.csrf }, '/guest/merge', { flow });
    assert.equal(foreign.status, 403);
    assert.equal((await findUser(db, guest.userId))?.kind, 'guest');
    assert.equal((await form.send()).status, 303);
  });

  await t.test('stays a guest while the operator has frozen one of the two', async () => {
    for (const which of ['guest', 'account'] as const) {
      const guest = await guestWith(5);
      const ada = await createPerson(service);
      const path = mergePathIn(await proveTaken(service, guestPath(game, guest), ada.email));
      const form = await formOf(service, ada, path);
      await db.transaction((tx) => freezeUser(tx, which === 'guest' ? guest.userId : ada.userId, 'looks stolen'));
      const refused = await form.send();
      assert.equal(refused.status, 403, refused.body);
      assert.match(refused.body, /Your account is frozen/);
      assert.equal((await findUser(db, guest.userId))?.kind, 'guest');
      assert.equal((await call(service.app, 'GET /v1/me', { token: guest.accessToken })).statusCode, 200);
    }
  });

  await t.test('is closed without a transfer if it has nothing', async () => {
    const guest = await guestWith(0);
    const ada = await createPerson(service);
    const path = mergePathIn(await proveTaken(service, guestPath(game, guest), ada.email));
    const form = await formOf(service, ada, path);
    assert.match(form.body, /has no quarters to move/);
    assert.equal((await form.send()).status, 303);
    assert.equal((await findUser(db, guest.userId))?.kind, 'closed');
    assert.deepEqual(await db.query('SELECT FROM transfers WHERE from_address = $1', [asAddress(guest.address)]), []);
  });
});
