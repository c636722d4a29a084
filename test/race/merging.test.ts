import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { newTransferId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { emptyClosedAccounts } from '../../src/features/accounts/close-account.ts';
import { approveOrDecline } from '../../src/features/approvals/approve-or-decline.ts';
import { issueFormToken } from '../../src/features/approvals/page-access.ts';
import { convertGuest } from '../../src/features/guests/convert-guest.ts';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { mergeGuest } from '../../src/features/guests/merge-guest.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { findUser } from '../../src/identity/users.ts';
import { lockAccounts } from '../../src/ledger/accounts.ts';
import { markToEmpty } from '../../src/ledger/closed-accounts.ts';
import { lockRequests } from '../../src/requests/lock-requests.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import type { TestApp, TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { refusalsOf } from '../kit/unit/refusals.ts';
import { until } from '../kit/unit/until.ts';
import { changeAccounts } from '../rows/ledger.ts';
import { goesByTheOrder, locking } from './by-the-order.ts';

const BACK = 'https://game.example/back';

const ofGuest = (app: TestApp, guest: NewGuest, flowId: string = randomUUID()) => ({
  appId: app.id,
  userId: guest.userId,
  tokenHash: hashSecret(guest.accessToken),
  flowId,
  redirectUri: BACK,
  codeChallenge: undefined,
});

async function merging({ service }: TestService, app: TestApp, guest: NewGuest, person: Person, flowId?: string) {
  const into = (await findUser(service.db, person.userId))!;
  return mergeGuest(service, { ...ofGuest(app, guest, flowId), into, session: person.session });
}

const converting = ({ service }: TestService, app: TestApp, guest: NewGuest) =>
  convertGuest(service, {
    ...ofGuest(app, guest),
    email: `${randomUUID()}@mail.example`,
    displayName: 'Ada',
    password: 'a long enough password',
    signIn: null,
    client: 'here',
  });

async function posted({ service }: TestService, { address }: { readonly address: string }): Promise<number> {
  const [row] = await service.db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE address = $1', [
    asAddress(address),
  ]);
  return Number(row!.posted);
}

/** A guest with 10 quarters. */
async function setUp(s: TestService, app: TestApp) {
  const guest = await s.createGuest(app);
  await s.issue(guest.userId, 10);
  return { guest, person: await createPerson(s) };
}

test('of merges and a conversion of one guest at once exactly one happens, and the quarters are there once', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp({ redirectUris: [BACK] });
  const { guest, person } = await setUp(s, app);
  const [other, flowId] = [await createPerson(s), randomUUID()];
  const begun = await s.service.db.transaction(async (tx) => {
    await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [guest.userId]);
    const calls = [
      merging(s, app, guest, person, flowId),
      merging(s, app, guest, person, flowId),
      merging(s, app, guest, other),
      converting(s, app, guest),
    ];
    await lockWaitersAre(s.service, calls.length);
    return calls;
  });
  assert.deepEqual((await Promise.all(begun)).map(({ kind }) => kind).sort(), ['converted', 'gone', 'gone', 'gone']);
  await s.settled();
  const balances = [await posted(s, guest), await posted(s, person), await posted(s, other)];
  assert.deepEqual(
    balances.sort((a, b) => b - a),
    [10, 0, 0],
  );
  await assertLedgerIsChain(s.service);
});

test('a payment that the guest approves before the merge is paid, and one after it is refused', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp({ redirectUris: [BACK] });
  const asked = async () => {
    const { guest, person } = await setUp(s, app);
    const { id } = await createRequest(s.service, asUser(guest.userId, app.id), { tokens: 4, appId: app.id });
    const formToken = issueFormToken(s.service, id, guest.pageToken);
    const choice = { requestId: id, formToken, session: null, decision: 'approve', nextTime: null } as const;
    return { guest, person, id, approve: () => approveOrDecline(s.service, choice) };
  };
  const before = await asked();
  const [approval, merge] = await db.transaction(async (tx) => {
    await lockRequests(tx, [before.id]);
    const approving = before.approve();
    await lockWaitersAre(s.service, 1);
    const second = merging(s, app, before.guest, before.person);
    await lockWaitersAre(s.service, 2);
    return [approving, second];
  });
  assert.deepEqual([(await approval).kind, (await merge).kind], ['approved', 'converted']);

  const after = await asked();
  const [first, refused] = await db.transaction(async (tx) => {
    await tx.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [after.guest.userId]);
    const merged = merging(s, app, after.guest, after.person);
    await lockWaitersAre(s.service, 1);
    const approving = Promise.allSettled([after.approve()]);
    await lockWaitersAre(s.service, 2);
    return [merged, approving];
  });
  assert.equal((await first).kind, 'converted');
  assert.deepEqual(refusalsOf(await refused), ['request-decided']);

  await s.settled();
  assert.deepEqual([await posted(s, before.guest), await posted(s, before.person)], [0, 6]);
  assert.deepEqual([await posted(s, after.guest), await posted(s, after.person)], [0, 10]);
  await assertLedgerIsChain(s.service);
});

test('a payout to a guest is refused once it is merged, and what still arrives moves on', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp({ redirectUris: [BACK] });
  await s.issue(app.id, 100);
  // It has nothing to move yet: that transfer would wait for the held payout.
  const [guest, person] = [await s.createGuest(app), await createPerson(s)];
  const from = asAddress(app.address);
  const [paying] = await db.transaction(async (tx) => {
    await lockAccounts(tx, [from]);
    const begun = Promise.allSettled([payUser(s.service, asApp(app.id), { from, amount: 5, user: guest.userId })]);
    await lockWaitersAre(s.service, 1);
    assert.equal((await merging(s, app, guest, person)).kind, 'converted');
    return [begun];
  });
  assert.deepEqual(refusalsOf(await paying!), ['account-closed']);

  // As a payout that was accepted before, or a deposit.
  const late = { transferId: newTransferId(), from, to: asAddress(guest.address), amount: asQuarters(7) };
  await s.service.accept({ ...late, origin: { kind: 'closing' } });
  await until('it has moved on', async () => {
    await emptyClosedAccounts(s.service);
    return (await posted(s, person)) === 7;
  });
  await s.settled();
  assert.equal(await posted(s, guest), 0);
  await assertLedgerIsChain(s.service);

  // A follower of an earlier release leaves no mark.
  const undone = new Error('undone');
  const looking = db.transaction(async (tx) => {
    const where = { address: asAddress(guest.address) };
    await changeAccounts(tx, where, { posted: 3, unmoved: false });
    await markToEmpty(tx, 10);
    const marked = await tx.query('SELECT unmoved, unswept FROM accounts WHERE address = $1', [where.address]);
    assert.deepEqual(marked, [{ unmoved: true, unswept: false }]);
    throw undone;
  });
  await assert.rejects(looking, undone);
});

test('a merge locks its rows in the documented order', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const app = await s.createApp({ redirectUris: [BACK] });
  const limits = { maxPerTransfer: asQuarters(5), maxPerDay: asQuarters(5), days: 3 };
  const rowsOf = async () => {
    const { guest, person } = await setUp(s, app);
    const { id } = await createRequest(s.service, asUser(guest.userId, app.id), { tokens: 4, appId: app.id });
    await grantMandate(db, { userId: guest.userId, appId: app.id, ...limits });
    await grantConsent(db, { userId: person.userId, appId: app.id, scopes: ['profile'] });
    const accounts = [asAddress(guest.address), person.address].sort();
    const rows = [
      locking('users', 'id', guest.userId),
      locking('requests', 'id', id),
      locking('mandates', 'user_id', guest.userId),
      locking('consents', 'user_id', person.userId),
      locking('guest_tokens', 'user_id', guest.userId),
      locking('oauth_records', 'user_id', person.userId),
      ...accounts.map((address) => locking('accounts', 'address', address)),
    ];
    return { rows, act: () => merging(s, app, guest, person) };
  };
  const { length } = (await rowsOf()).rows;
  for (let i = 0; i + 1 < length; i++) {
    const { rows, act } = await rowsOf();
    await goesByTheOrder(db, rows[i]!, rows[i + 1]!, act);
  }
  await s.settled();
});
