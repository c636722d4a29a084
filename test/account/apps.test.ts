import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { newSecret } from '../../src/base/secrets.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { storeRecord } from '../../src/oauth/records.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { call } from '../kit/service/call.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { askFor } from '../kit/service/history.ts';
import { createPerson, type Person, signIn } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { hiddenField, send, visit } from '../kit/service/visits.ts';
import { asUser } from '../kit/unit/callers.ts';

const LIMIT = '/account/apps/limit';
const WITHDRAW = '/account/apps/withdraw';

async function allow({ service }: TestService, { userId }: Person, appId: AppId): Promise<string> {
  await grantConsent(service.db, { userId, appId, scopes: ['profile', 'wallet', 'requests'] });
  await grantMandate(service.db, {
    userId,
    appId,
    maxPerTransfer: asQuarters(100),
    maxPerDay: asQuarters(1_000),
    days: 30,
  });
  const token = newSecret('OAuth access token');
  const expiresAt = new Date(Date.now() + 3_600_000);
  const grantId = `grant of ${userId} and ${appId}`;
  await storeRecord(service.db, 'Grant', grantId, { accountId: userId, clientId: appId }, expiresAt);
  const payload = { accountId: userId, clientId: appId, grantId, scope: 'profile wallet requests' };
  await storeRecord(service.db, 'AccessToken', token, payload, expiresAt);
  return token;
}

test('the page of connected games', async (t) => {
  const service = await sharedService(t);
  const { db } = service.service;
  const game = await service.createApp({ name: 'Chess Royale', autoApprove: true });
  const other = await service.createApp({ name: 'Dungeon', autoApprove: true });

  /** 200, or the problem's code of a call with a token. */
  const me = async (token: string) => {
    const answer = await call(service.app, 'GET /v1/me', { token });
    return answer.statusCode === 200 ? 200 : answer.json().code;
  };
  const auto = async (person: Person, app: typeof game, tokens = 1) => {
    const request = await askFor(service, app, person, tokens);
    const input = { requestId: request.id, clientId: app.id, userId: person.userId, address: person.address };
    return autoApprove(service.service, asUser(person.userId, app.id), input).then(
      () => 'approved',
      (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error)),
    );
  };

  await t.test('connected games are listed with their rights, for their user alone', async () => {
    const ada = await createPerson(service);
    const eve = await createPerson(service);
    await allow(service, ada, game.id);
    const { body } = await visit(service, ada, '/account/apps');
    assert.match(body, /“Chess Royale”/);
    assert.match(body, /see your display name/);
    assert.match(body, /<button [^>]*aria-label="Disconnect from “Chess Royale”">Disconnect</);
    assert.match(body, /up to <strong>100 quarters at a time and 1,000 a day<\/strong> without asking/);
    assert.ok(!body.includes('Dungeon'));
    assert.match(body, /Spent today \(UTC\): 0 of 1,000 quarters[\s\S]*<progress max="1000" value="0"/);
    assert.ok(body.includes(`href="/account/activity?app=${game.id}"`));
    await service.issue(ada.userId, 50);
    assert.equal(await auto(ada, game, 40), 'approved');
    assert.match((await visit(service, ada, '/account/apps')).body, /Spent today \(UTC\): 40 of 1,000 quarters/);
    assert.match((await visit(service, eve, '/account/apps')).body, /No game has access/);
  });

  await t.test("removing all access ends the app's tokens and mandate at once", async () => {
    const ada = await createPerson(service);
    const bob = await createPerson(service);
    await service.issue(ada.userId, 10);
    const token = await allow(service, ada, game.id);
    const kept = [await allow(service, ada, other.id), await allow(service, bob, game.id)];
    assert.equal(await me(token), 200);
    assert.equal(await auto(ada, game), 'approved');
    const answer = await send(service, ada, WITHDRAW, { app: game.id, what: 'access' });
    assert.deepEqual([answer.status, answer.location], [303, '/account/apps']);
    assert.equal(await me(token), 'token-invalid');
    assert.equal(await auto(ada, game), 'auto-approve-not-granted');
    for (const one of kept) assert.equal(await me(one), 200);
    const { body } = await visit(service, ada, '/account/apps');
    assert.ok(!body.includes('Chess') && body.includes('Dungeon'));
  });

  await t.test("removing the mandate keeps the app's access", async () => {
    const ada = await createPerson(service);
    await service.issue(ada.userId, 10);
    const token = await allow(service, ada, game.id);
    assert.equal((await send(service, ada, WITHDRAW, { app: game.id, what: 'mandate' })).status, 303);
    assert.equal(await me(token), 200);
    assert.equal(await auto(ada, game), 'auto-approve-not-granted');
    const { body } = await visit(service, ada, '/account/apps');
    assert.ok(body.includes('Chess') && !body.includes('without asking'));
  });

  await t.test('a player lowers a spending limit, which holds at once and stays when approving renews it', async () => {
    const ada = await createPerson(service);
    await service.issue(ada.userId, 500);
    await allow(service, ada, game.id);
    const limit = { app: game.id, perTransfer: '20', perDay: '1,0٣' };
    assert.equal((await send(service, ada, LIMIT, limit)).status, 400);
    const chosen = { ...limit, perDay: '٣٠' };
    const { status, location } = await send(service, ada, LIMIT, chosen);
    assert.deepEqual([status, location], [303, '/account/apps?changed=limit']);
    const list = await visit(service, ada, '/account/apps?changed=limit');
    assert.match(list.body, /up to <strong>20 quarters at a time and 30 a day<\/strong> without asking/);
    assert.match(list.body, /Your spending limit was changed/);
    assert.equal(await auto(ada, game, 21), 'auto-approve-limit');
    assert.equal(await auto(ada, game, 20), 'approved');
    assert.equal(await auto(ada, game, 11), 'auto-approve-limit', 'of the day');

    const payment = await askFor(service, game, ada, 50);
    const page = await visit(service, ada, `/requests/${payment.id}`);
    assert.match(page.body, /can take up to <strong>20 quarters at a time and 30 a day</);
    const decision = { decision: 'approve', mandate: 'on', page_token: hiddenField(page, 'page_token') };
    assert.equal((await send(service, ada, `/requests/${payment.id}/decision`, decision)).status, 200);
    assert.equal(await auto(ada, game, 11), 'auto-approve-limit');
    assert.equal(await auto(ada, game, 10), 'approved');

    for (const perDay of ['1.000', '1 000', '1\u202f000', '1,000']) {
      assert.equal((await send(service, ada, LIMIT, { ...limit, perTransfer: '100', perDay })).status, 303, perDay);
    }
    assert.equal(await auto(ada, game, 100), 'approved');
  });

  await t.test('a spending limit is changed by its player alone, freshly signed in, up to the operator’s', async () => {
    const ada = await createPerson(service);
    await allow(service, ada, game.id);
    const shown = async () => /up to <strong>[^<]*/.exec((await visit(service, ada, '/account/apps')).body)?.[0];
    const before = await shown();
    for (const [perTransfer, perDay, fault] of [
      ['101', '1000', 'from 1 to 100'],
      ['100', '1001', 'from 1 to 1,000'],
      ['0', '10', 'from 1 to 100'],
      ['1.5', '10', 'from 1 to 100'],
      ['1.00', '10', 'from 1 to 100'],
      ['', '10', 'from 1 to 100'],
      ['11', '10', 'the most for one day'],
    ] as const) {
      const { status, body } = await send(service, ada, LIMIT, { app: game.id, perTransfer, perDay });
      assert.equal(status, 400, `${perTransfer}, ${perDay}`);
      assert.match(body, new RegExp(`error">[^<]*${fault}`), `${perTransfer}, ${perDay}`);
    }
    const lower = { app: game.id, perTransfer: '1', perDay: '1' };
    assert.equal((await send(service, await createPerson(service), LIMIT, lower)).location, '/account/apps');
    assert.equal((await send(service, ada, LIMIT, { ...lower, app: other.id })).location, '/account/apps');
    const old = await signIn(service, ada.userId, 20);
    assert.match((await send(service, old, LIMIT, lower)).location ?? '', /^\/sign-in\?again=true/);
    assert.equal((await send(service, ada, LIMIT, { ...lower, csrf: 'x' })).status, 403);
    assert.equal(await shown(), before);

    const form = await visit(service, ada, `${LIMIT}?app=${game.id}`);
    assert.match(form.body, /name="perTransfer"[^>]* value="100"[\s\S]*name="perDay"[^>]* value="1,000"/);
    await send(service, ada, WITHDRAW, { app: game.id, what: 'mandate' });
    await send(service, ada, LIMIT, lower);
    assert.equal(await auto(ada, game), 'auto-approve-not-granted', 'a limit that has ended stays so');
  });

  await t.test("a removal that names no app, or no access of the user's, changes nothing", async () => {
    const ada = await createPerson(service);
    const token = await allow(service, ada, game.id);
    const eve = await createPerson(service);
    for (const form of [{}, { app: "x'", what: 'access' }, { app: game.id, what: 'all' }, { what: 'access' }]) {
      assert.equal((await send(service, ada, WITHDRAW, form)).status, 400);
    }
    assert.equal((await send(service, eve, WITHDRAW, { app: game.id, what: 'access' })).status, 303);
    assert.equal((await send(service, ada, WITHDRAW, { app: 'A'.repeat(20), what: 'access' })).status, 303);
    assert.equal(await me(token), 200);
  });

  await t.test('ten auto-approvals during a withdrawal: none is approved after the withdrawal answered', async () => {
    for (let round = 0; round < 6; round++) {
      const ada = await createPerson(service);
      await service.issue(ada.userId, 100);
      await allow(service, ada, game.id);
      const what = round % 2 ? 'access' : 'mandate';
      const approvals = Array.from({ length: 10 }, () => auto(ada, game, 3));
      // Later in each round, so that the withdrawal comes before, between and after the decisions.
      for (let turn = 0; turn < round * 4; turn++) await new Promise(setImmediate);
      const withdrawn = await send(service, ada, WITHDRAW, { app: game.id, what });
      assert.equal(withdrawn.status, 303);
      const [{ decided } = { decided: 0n }] = await db.query<{ decided: bigint }>(
        'SELECT count(*) AS decided FROM transfers WHERE from_address = $1',
        [ada.address],
      );
      assert.equal(await auto(ada, game), 'auto-approve-not-granted');
      const outcomes = await Promise.all(approvals);
      assert.deepEqual(
        outcomes.filter((outcome) => outcome !== 'approved' && outcome !== 'auto-approve-not-granted'),
        [],
      );
      assert.equal(
        outcomes.filter((outcome) => outcome === 'approved').length,
        Number(decided),
        'none was approved after',
      );
      await assertHoldsAreTransfers(service.service);
      await service.settled();
      const [account] = await db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE address = $1', [
        ada.address,
      ]);
      assert.equal(account!.posted, 100n - 3n * decided);
    }
    await assertLedgerIsChain(service.service);
  });
});
