import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { newAppId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { newSecret } from '../../src/base/secrets.ts';
import { closeAccount, emptyClosedAccounts } from '../../src/features/accounts/close-account.ts';
import { insertApp } from '../../src/identity/apps.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { hashPassword, storePassword } from '../../src/identity/passwords.ts';
import { findUser } from '../../src/identity/users.ts';
import { storeRecord } from '../../src/oauth/records.ts';
import type { Service } from '../../src/service/service.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { call } from '../kit/service/call.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { approve, askFor, pay } from '../kit/service/history.ts';
import { grantReward } from '../kit/service/operator-acts.ts';
import { statusOf } from '../kit/service/payment.ts';
import { createPerson, PASSWORD, type Person } from '../kit/service/people.ts';
import type { TestApp, TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { isSignedIn, mailTo, send, visit } from '../kit/service/visits.ts';
import { until } from '../kit/unit/until.ts';
import { readTransitions } from '../rows/transitions.ts';

async function balance({ service }: TestService, address: string): Promise<bigint> {
  const [row] = await service.db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE address = $1', [
    asAddress(address),
  ]);
  return row!.posted;
}

async function treasury({ service }: TestService): Promise<bigint> {
  const [row] = await service.db.query<{ posted: bigint }>(`SELECT posted FROM accounts WHERE kind = 'treasury'`);
  return row!.posted;
}

const code = (outcome: Promise<unknown>) =>
  outcome.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error)),
  );

/** Closes the account without emptying it, as if the process died right after its COMMIT. */
async function closeAndDie({ service }: TestService, person: Person): Promise<void> {
  const dying: Service = { ...service, accept: () => new Promise(() => {}) };
  const user = await findUser(service.db, person.userId);
  void closeAccount(dying, user!, person.session);
  await until('the account is closed', async () => (await findUser(service.db, person.userId))?.kind === 'closed');
}

const transfersFrom = ({ service }: TestService, { address }: Person) =>
  service.db.query<{ amount: bigint }>('SELECT amount FROM transfers WHERE from_address = $1 ORDER BY created_at', [
    address,
  ]);

test('closing an account', async (t) => {
  const service = await sharedService(t);
  const { db } = service.service;
  const game: TestApp = await service.createApp({ name: 'Chess Royale', autoApprove: true });
  await service.issue(game.id, 1_000);

  await t.test('closing ends the rest of a reward and returns it to the treasury', async () => {
    const held = async () =>
      (await db.query<{ held: bigint }>(`SELECT held FROM accounts WHERE kind = 'treasury'`))[0]!.held;
    const ada = await createPerson(service);
    const before = await held();
    await grantReward(service.service, { user: ada.userId, amount: asQuarters(70) });
    assert.equal(await held(), before + 70n);
    const spent = await askFor(service, game, ada, 30);
    await approve(service, spent);
    await service.settled();
    assert.equal(await held(), before + 40n);

    assert.equal(await closeAccount(service.service, (await findUser(db, ada.userId))!, ada.session), true);
    assert.equal(await held(), before);
    await emptyClosedAccounts(service.service);
    assert.equal(await held(), before);
    await assertHoldsAreTransfers(service.service);
    await assertLedgerIsChain(service.service);
  });

  await t.test('the page says what closing does and asks for the e-mail address', async () => {
    const ada = await createPerson(service);
    await service.issue(ada.userId, 1_234);
    await grantReward(service.service, { user: ada.userId, amount: asQuarters(1) });
    const { body } = await visit(service, ada, '/account/close');
    const lost =
      'Your <strong>1,234 quarters</strong> go back to the operator of Quarters. You lose your reward of 1 quarter.';
    assert.ok(body.includes(lost), body);
    assert.match(body, /cannot be undone/);
    for (const email of ['', 'no', `x${ada.email}`]) {
      const answer = await send(service, ada, '/account/close', { email });
      assert.equal(answer.status, 400);
      assert.match(answer.body, /That’s not your e-mail address/);
    }
    assert.ok(await isSignedIn(service, ada));
  });

  await t.test('closing erases personal data, ends all access and returns the quarters', async () => {
    const ada = await createPerson(service);
    const { userId } = ada;
    await service.issue(userId, 500);
    const before = await treasury(service);
    await storePassword(db, userId, await hashPassword(PASSWORD));
    await grantConsent(db, { userId, appId: game.id, scopes: ['profile'] });
    await grantMandate(db, {
      userId,
      appId: game.id,
      maxPerTransfer: asQuarters(5),
      maxPerDay: asQuarters(5),
      days: 3,
    });
    const token = newSecret('OAuth access token');
    const expiresAt = new Date(Date.now() + 60_000);
    await storeRecord(db, 'AccessToken', token, { accountId: userId, clientId: game.id, scope: 'profile' }, expiresAt);
    const pending = await askFor(service, game, ada, 5);
    await visit(service, ada, '/account/email');

    const answer = await send(service, ada, '/account/close', { email: ` ${ada.email.toUpperCase()} ` });
    assert.deepEqual([answer.status, answer.location], [303, '/account/closed']);
    assert.match(String(answer.headers['set-cookie']), /^quarters_\d+=;/);
    assert.match((await visit(service, null, '/account/closed')).body, /Your account is closed/);

    const [user] = await db.query(
      'SELECT kind, email, display_name, closed_at IS NULL AS open FROM users WHERE id = $1',
      [userId],
    );
    assert.deepEqual(user, { kind: 'closed', email: null, display_name: 'Closed account', open: false });
    for (const table of [
      'passwords',
      'passkeys',
      'passkey_challenges',
      'email_codes',
      'sign_in_links',
      'oauth_records',
    ]) {
      assert.equal((await db.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId])).length, 0, table);
    }
    for (const table of ['consents', 'mandates', 'guest_tokens']) {
      assert.equal(
        (await db.query(`SELECT FROM ${table} WHERE user_id = $1 AND revoked_at IS NULL`, [userId])).length,
        0,
        table,
      );
    }
    const last = (await readTransitions(db, pending.id)).at(-1);
    assert.deepEqual([last?.event, last?.actor], ['cancel', `user:${userId}`]);
    assert.equal(await statusOf(service, pending.id), 'cancelled');
    assert.equal((await call(service.app, 'GET /v1/me', { token })).json().code, 'token-invalid');
    assert.ok(!(await isSignedIn(service, ada)));
    assert.match(await mailTo(service, ada.email, 'account is closed'), /as you asked/);

    await service.settled();
    assert.deepEqual([await balance(service, ada.address), await treasury(service)], [0n, before + 500n]);
    await assertLedgerIsChain(service.service);
    assert.ok(await createPerson(service, { email: ada.email }), 'the address is free again');
  });

  await t.test('a payout to a closed user is refused as one to an unknown user', async () => {
    const ada = await createPerson(service);
    await closeAccount(service.service, (await findUser(db, ada.userId))!, ada.session);
    for (const body of [
      { amount: 1, user: ada.userId },
      { amount: 1, address: ada.address },
    ]) {
      const answer = await call(service.app, `POST /v1/accounts/${game.address}/transfer`, {
        token: game.serverKey,
        body,
      });
      const unknown = { amount: 1, user: 'A'.repeat(28) };
      const never = await call(service.app, `POST /v1/accounts/${game.address}/transfer`, {
        token: game.serverKey,
        body: unknown,
      });
      assert.deepEqual([answer.statusCode, answer.json()], [404, never.json()]);
    }
    await assert.rejects(service.issue(ada.userId, 1), /no user/);
  });

  await t.test('an owner of apps cannot close the account and keeps everything', async () => {
    const ada = await createPerson(service);
    const own = {
      redirectUris: [],
      frameAncestors: [],
      resultOrigins: [],
      topUpUrl: null,
      publicClient: false,
      autoApprove: false,
      autoApproveConsent: 'approval' as const,
    };
    await insertApp(db, newAppId(), { ...own, name: 'Own Game', ownerId: ada.userId });
    assert.match((await visit(service, ada, '/account/close')).body, /while you own games[\s\S]*“Own Game”/);
    assert.equal((await send(service, ada, '/account/close', { email: ada.email })).status, 400);
    assert.equal((await findUser(db, ada.userId))?.kind, 'full');
    assert.ok(await isSignedIn(service, ada));
  });

  await t.test(
    'a crash before the account is emptied leaves it to the background job, and later deposits are returned once each',
    async () => {
      const ada = await createPerson(service);
      await service.issue(ada.userId, 70);
      const before = await treasury(service);
      await closeAndDie(service, ada);
      assert.equal((await transfersFrom(service, ada)).length, 0);
      await Promise.all(Array.from({ length: 8 }, () => emptyClosedAccounts(service.service)));
      await service.settled();
      assert.deepEqual(await transfersFrom(service, ada), [{ amount: 70n }]);
      assert.equal(await treasury(service), before + 70n);
      await service.issue(ada.address, 30);
      await until('the background loop has emptied it', async () => (await transfersFrom(service, ada)).length === 2);
      await service.settled();
      assert.equal(await balance(service, ada.address), 0n);
      assert.equal(await treasury(service), before + 70n);
      assert.equal(await emptyClosedAccounts(service.service), false);
      assert.equal((await transfersFrom(service, ada)).length, 2);
      await assertLedgerIsChain(service.service);
    },
  );

  await t.test('closing twice at once closes once', async () => {
    const ada = await createPerson(service);
    await service.issue(ada.userId, 9);
    const user = (await findUser(db, ada.userId))!;
    const results = await Promise.all(
      Array.from({ length: 6 }, () => closeAccount(service.service, user, ada.session)),
    );
    assert.deepEqual(results.filter(Boolean), [true]);
    await service.settled();
    assert.deepEqual(await transfersFrom(service, ada), [{ amount: 9n }]);
  });

  await t.test('closing, approving and being paid at once loses no quarters', async () => {
    for (let round = 0; round < 6; round++) {
      const ada = await createPerson(service);
      await service.issue(ada.userId, 100);
      const [before, gameBefore] = [await treasury(service), await balance(service, game.address)];
      const requests = await Promise.all(Array.from({ length: 4 }, () => askFor(service, game, ada, 10)));
      const user = (await findUser(db, ada.userId))!;
      const acts = [
        ...requests.map((request) => () => code(approve(service, request))),
        ...Array.from({ length: 4 }, () => () => code(pay(service, game, ada, 7))),
      ];
      acts.splice(round, 0, async () => {
        for (let turn = 0; turn < round * 3; turn++) await new Promise(setImmediate);
        return `closed ${await closeAccount(service.service, user, ada.session)}`;
      });
      const outcomes = await Promise.all(acts.map((act) => act()));
      await assertHoldsAreTransfers(service.service);
      assert.ok(outcomes.includes('closed true'), `${outcomes}`);
      const known = ['closed true', 'done', 'request-decided', 'not-found'];
      assert.deepEqual(
        outcomes.filter((outcome) => !known.includes(outcome)),
        [],
      );
      const statuses = await db.query<{ status: string; source: string; amount: bigint }>(
        'SELECT status, source, amount FROM requests WHERE user_id = $1',
        [ada.userId],
      );
      assert.equal(statuses.filter(({ status }) => status === 'pending').length, 0);

      await until('the account is empty', async () => {
        await service.settled();
        await emptyClosedAccounts(service.service);
        await service.settled();
        return (await balance(service, ada.address)) === 0n;
      });
      const sum = (source: string) =>
        statuses.reduce(
          (total, row) => (row.source === source && row.status !== 'cancelled' ? total + row.amount : total),
          0n,
        );
      assert.equal(await balance(service, game.address), gameBefore + sum('user') - sum('payout'));
      assert.equal(await treasury(service), before + 100n - sum('user') + sum('payout'));
      await assertLedgerIsChain(service.service);
    }
  });
});
