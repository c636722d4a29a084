import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress, toChecksum } from '../../src/base/address.ts';
import { lowestIdAt, newTransferId } from '../../src/base/ids.ts';
import { removeWithdrawalAddress } from '../../src/features/withdrawals/addresses.ts';
import { withdraw, withdrawalUse } from '../../src/features/withdrawals/withdraw.ts';
import { findAccounts } from '../../src/ledger/accounts.ts';
import type { Instruction } from '../../src/service/instruction.ts';
import type { Service } from '../../src/service/service.ts';
import { readWithdrawals } from '../../src/views/accounts/read-withdrawals.ts';
import { inspectTransfer } from '../../src/wings/operators-console/views/inspect-transfer.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { approve, askFor, pay } from '../kit/service/history.ts';
import { signIn } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { freeze, unfreeze } from '../kit/service/stopping.ts';
import { mailTo, visit } from '../kit/service/visits.ts';
import { makeFinal, newWithdrawer, outsideAddress, readyWithdrawer } from '../kit/service/withdrawer.ts';
import { readyAddresses } from '../rows/withdrawals.ts';

const LIMITS = { WITHDRAWAL_USER_DAY_LIMIT: '500', WITHDRAWAL_DAY_LIMIT: '1000000' };
const ENV = { WITHDRAWALS: 'on', FINAL_AFTER: '1', MAX_AMOUNT: '450', ...LIMITS };

/** Expects a refusal for this reason. `number`: the one that it names. */
const refuses = (act: Promise<unknown>, code: string, number?: number) =>
  assert.rejects(act, (error: { faults?: readonly { reason?: { code: string; number?: bigint } }[] }) => {
    const reason = error.faults?.[0]?.reason;
    assert.equal(reason?.code, code, String(error));
    if (number !== undefined) assert.equal(Number(reason?.number), number);
    return true;
  });

const balanceAt = async ({ service }: TestService, address: string) =>
  Number((await findAccounts(service.db, { addresses: [asAddress(address)] }))[0]?.posted ?? 0);

test('withdrawals', async (t) => {
  const s = await sharedService(t, { env: ENV });
  const { service } = s;

  await t.test('quarters go to an own address, and are a withdrawal in activity and its export', async () => {
    const { person, user, to, take } = await readyWithdrawer(s, 100);
    const { transferId } = await take(30, to);
    const mail = await mailTo(s, person.email, 'A withdrawal from your account');
    assert.match(mail, new RegExp(`30 quarters .*\\s+${toChecksum(to)}`));
    assert.equal((await readWithdrawals(service, user)).recent[0]!.status === 'completed', false);
    await s.settled();
    assert.equal(await balanceAt(s, to), 30);
    assert.equal(await balanceAt(s, person.address), 70);
    const { recent, now, leftOfOwn } = await readWithdrawals(service, user);
    assert.deepEqual(
      [recent.length, recent[0]!.status, recent[0]!.to, now, leftOfOwn],
      [1, 'completed', to, 70n, 470n],
    );
    assert.match((await visit(s, person, '/account/activity')).body, new RegExp(`Sent to <code>${toChecksum(to)}`));
    assert.match((await visit(s, person, '/account/export.csv')).body, /"withdrawal","completed","out","30",/);
    assert.equal((await inspectTransfer(service, transferId)).purpose, 'withdrawal');
  });

  await t.test('a form that is sent again pays once, and with another amount is refused', async () => {
    const { to, take } = await readyWithdrawer(s, 100);
    const form = newTransferId();
    const first = await take(10, to, { form });
    const again = await take(10, to, { form });
    assert.deepEqual([again.txHash, again.replayed], [first.txHash, true]);
    const both = await Promise.all([1, 2].map(() => take(5, to, { form: newTransferId() })));
    assert.equal(new Set(both.map(({ transferId }) => transferId)).size, 2);
    await refuses(take(11, to, { form }), 'withdrawal-stale');
    const old = lowestIdAt(new Date(Date.now() - 61 * 60_000)).replace(/^(.{14})0/, '$17');
    await refuses(take(1, to, { form: old }), 'withdrawal-stale');
    await refuses(take(1, to, { form: 'none' }), 'withdrawal-stale');
    await s.settled();
    assert.equal(await balanceAt(s, to), 20);
  });

  await t.test('what is held or not final stays', async () => {
    const { person, user, to, take } = await readyWithdrawer(s, 100);
    const game = await s.createApp();
    await s.issue(game.id, 50);
    await pay(s, game, person, 40);
    await s.settled();
    // The payout is in the newest block.
    assert.deepEqual(
      [(await readWithdrawals(service, user)).young, (await readWithdrawals(service, user)).now],
      [40n, 100n],
    );
    await refuses(take(101, to), 'withdrawal-above-free', 100);
    await approve(s, await askFor(s, game, person, 25));
    await refuses(take(76, to), 'withdrawal-above-free', 75);
    await makeFinal(s);
    assert.equal((await readWithdrawals(service, user)).young, 0n);
    await refuses(take(116, to), 'withdrawal-above-free', 115);
    await take(115, to);
    await s.settled();
    assert.equal(await balanceAt(s, person.address), 0);
  });

  await t.test('a person withdraws no more than their limit in 24 hours', async () => {
    const { to, take } = await readyWithdrawer(s, 700);
    await take(300, to);
    await refuses(take(201, to), 'withdrawal-above-day', 200);
    await take(200, to);
    await refuses(take(1, to), 'withdrawal-above-day', 0);
  });

  await t.test('no more goes at once than the limit of a transfer', async () => {
    const { user, to, take } = await readyWithdrawer(s, 700);
    assert.equal((await readWithdrawals(service, user)).now, 450n);
    await refuses(take(451, to), 'withdrawal-above-free', 450);
    await take(450, to);
  });

  await t.test('an amount that is none is refused', async () => {
    const { to, take } = await readyWithdrawer(s, 10);
    for (const amount of ['0', '-1', '1.5', 'x', '', '9007199254740992']) {
      await refuses(take(1, to, { amount }), 'amount-unusable');
    }
  });

  await t.test('an address that waits, is gone, or is another’s is refused', async () => {
    const { user, to, take, add } = await readyWithdrawer(s, 10);
    const other = await readyWithdrawer(s, 10);
    const second = outsideAddress();
    await add(toChecksum(second));
    await refuses(take(1, second), 'address-not-ready');
    await refuses(take(1, other.to), 'address-not-ready');
    await refuses(take(1, to, { address: 'x' }), 'address-not-ready');
    await removeWithdrawalAddress(service, user, toChecksum(to));
    await refuses(take(1, to), 'address-not-ready');
  });

  await t.test('each withdrawal needs an answer of an own passkey, and no answer counts twice', async () => {
    const { person, user, to, take, passkey } = await readyWithdrawer(s, 10);
    const other = await newWithdrawer(s);
    await refuses(take(1, to, { answer: {} }), 'passkey-not-theirs');
    const filled = () => ({ form: newTransferId(), address: toChecksum(to), amount: '1' });
    const form = filled();
    const use = withdrawalUse(person.session, form);
    await refuses(take(1, to, { ...form, answer: await other.passkey.answer(use) }), 'passkey-not-theirs');
    const answer = await passkey.answer(use);
    await take(1, to, { ...form, answer });
    await refuses(take(1, to, { ...filled(), answer }), 'passkey-not-theirs');
    // The passkey is right, and the session has ended.
    const ended = { ...(await signIn(s, person.userId)).session, uid: 'ended' };
    const late = filled();
    const proved = { ...late, answer: await passkey.answer(withdrawalUse(ended, late)) };
    await refuses(withdraw(service, user, ended, proved), 'address-not-ready');
  });

  await t.test('a frozen player withdraws nothing, with the words for all payments', async () => {
    const { person, to, take } = await readyWithdrawer(s, 10);
    await freeze(service, person.userId);
    await assert.rejects(take(1, to), { code: 'account-frozen' });
    assert.match((await visit(s, person, '/account/withdraw')).body, /Your account is frozen/);
    await unfreeze(service, person.userId);
    await take(1, to);
  });

  await t.test('nothing is withdrawn while payments are suspended', async () => {
    const { to, take } = await readyWithdrawer(s, 10);
    // Of its own: the service's loops read from the database that they are not.
    const suspended: Service = { ...service, readiness: { ...service.readiness, suspended: true } };
    await assert.rejects(take(1, to, { service: suspended }), { code: 'payments-suspended' });
  });

  await t.test('nothing is final before a node has said what is', async () => {
    const { user, to, take } = await readyWithdrawer(s, 10);
    // Of its own: the service's loops ask the node.
    const final = { number: null, readAt: Number.NEGATIVE_INFINITY, isAsked: false };
    const unasked: Service = {
      ...service,
      settings: { ...service.settings, finalAfter: 'auto' },
      settlement: { ...service.settlement, final },
    };
    await assert.rejects(take(1, to, { service: unasked }), { code: 'chain-unavailable' });
    const { now, young } = await readWithdrawals(unasked, user);
    assert.deepEqual([now, young], [0n, 10n]);
  });

  await t.test('the mail is sent also if the process dies after the withdrawal was accepted', async () => {
    const { person, to, take } = await readyWithdrawer(s, 10);
    const dying = async (instruction: Instruction) => {
      await service.accept(instruction);
      throw new Error('the process has died');
    };
    await assert.rejects(take(3, to, { service: { ...service, accept: dying } }), /has died/);
    assert.match(await mailTo(s, person.email, 'A withdrawal from your account'), /3 quarters/);
  });

  await t.test('fifty tries a day are the most, and none without a passkey counts', async () => {
    const { to, take } = await readyWithdrawer(s, 10);
    await refuses(take(1, to, { answer: {} }), 'passkey-not-theirs');
    for (let i = 0; i < 50; i++) await refuses(take(11, to), 'withdrawal-above-free');
    await assert.rejects(take(1, to), { code: 'too-many-tries' });
  });

  await t.test('where withdrawals are off, the features refuse and the pages do not exist', async (t) => {
    const { person, to, take } = await readyWithdrawer(s, 10);
    t.mock.property(service, 'settings', { ...service.settings, withdrawals: 'off' });
    await assert.rejects(take(1, to), { code: 'not-found' });
    assert.doesNotMatch((await visit(s, person, '/account')).body, /\/account\/withdraw/);
    await readyAddresses(service.db, person.userId);
  });

  await s.settled();
  await assertLedgerIsChain(service);
  await assertHoldsAreTransfers(service);
});
