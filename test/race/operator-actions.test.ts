import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import { approveAction, refuseAction, retryAction } from '../../src/features/operator-actions/approve-action.ts';
import { type ActionRequest, performAction } from '../../src/features/operator-actions/perform-action.ts';
import { readAction } from '../../src/features/operator-actions/read-actions.ts';
import type { ActingOperator } from '../../src/features/operators/operators.ts';
import { findAction } from '../../src/operator-actions/operator-actions.ts';
import type { Service } from '../../src/service/service.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { createOperator } from '../kit/service/operator.ts';
import { removeOperator } from '../kit/service/operator-acts.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { freeze, unfreeze } from '../kit/service/stopping.ts';
import { expireAction, restartAction } from '../rows/operator-actions.ts';

const LIMIT = 1000;
const codeOf = (act: Promise<unknown>): Promise<string> =>
  act.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error)),
  );

/** A service where more than 1000 quarters need a second person, an app to pay, and two operators. */
async function openFourEyes(t: Parameters<typeof sharedService>[0]) {
  const s = await sharedService(t, { env: { FOUR_EYES_ABOVE: `${LIMIT}` } });
  const app = await s.createApp();
  const people = [await createOperator(s), await createOperator(s)] as const;
  const [ada, bea] = people.map(({ session }): ActingOperator => ({ kind: 'person', session })) as [
    ActingOperator,
    ActingOperator,
  ];
  const issue = (quarters: number, id = randomUUID()): ActionRequest => ({
    id,
    kind: 'issue',
    params: { recipient: app.id, quarters },
    reason: 'Prizes of the spring cup',
  });
  const balance = async () => {
    await s.settled();
    const [row] = await s.service.db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE app_id = $1', [
      app.id,
    ]);
    return Number(row!.posted);
  };
  return { s, service: s.service, app, people, ada, bea, issue, balance };
}

/** An action that waits, and what approves it. */
async function waiting(service: Service, by: ActingOperator, request: ActionRequest) {
  const { action } = await performAction(service, by, request);
  assert.equal(action.state, 'waiting');
  return { id: action.id, hash: action.paramsHash };
}

test('an action with one id has one effect, however often and at once it is sent', async (t) => {
  const { service, ada, bea, issue, balance } = await openFourEyes(t);
  const request = issue(100);
  const sent = await Promise.all(Array.from({ length: 6 }, () => performAction(service, ada, request)));
  assert.equal(new Set(sent.map(({ action }) => action.transferId)).size, 1);
  assert.equal(sent.filter(({ replayed }) => !replayed).length, 1);
  assert.equal(await balance(), 100);
  assert.equal(await codeOf(performAction(service, ada, { ...issue(101), id: request.id })), 'idempotency-mismatch');
  assert.equal(await codeOf(performAction(service, bea, request)), 'idempotency-mismatch', 'another person');

  // As a process leaves it that dies between the decision and the payment, or right after the payment.
  const id = sent[0]!.action.id;
  await restartAction(service.db, id);
  await Promise.all(Array.from({ length: 4 }, () => retryAction(service, bea, id)));
  assert.deepEqual((await readAction(service, id)).result?.transferId, sent[0]!.action.transferId);
  await restartAction(service.db, id, { forgetKeys: true });
  assert.equal((await performAction(service, ada, request)).action.state, 'done');
  assert.equal(await balance(), 100, 'also when the idempotency key is forgotten');
  await assertLedgerIsChain(service);
});

test('a payment that is refused fails its action for good, and nothing is paid for it later', async (t) => {
  const { s, service, ada, issue, balance } = await openFourEyes(t);
  const short = { ...service, readiness: { ...service.readiness, suspended: true } } as Service;
  const request = issue(7);
  assert.equal(await codeOf(performAction(short, ada, request)), 'payments-suspended');
  assert.equal(await findAction(service.db, request.id as never), null, 'refused before it began');

  // Between the decision and the payment: suspended, when the payment may have been made, and while quarters move.
  const { action } = await performAction(service, ada, request);
  assert.equal(action.state, 'done');
  const late = issue(8);
  await performAction(service, ada, late);
  const before = await balance();
  await restartAction(service.db, late.id, { unpaid: true });
  assert.equal(await codeOf(retryAction(short, ada, late.id)), 'payments-suspended');
  assert.equal((await readAction(service, late.id)).state, 'started', 'it can be finished later');
  const moving = { ...service, readiness: { ...service.readiness, moving: true } } as Service;
  const failed = await retryAction(moving, ada, late.id);
  assert.deepEqual([failed.state, failed.result?.code], ['failed', 'payments-suspended']);
  await restartAction(service.db, late.id);
  assert.equal((await retryAction(service, ada, late.id)).state, 'failed', 'whoever still tries is refused');
  assert.equal(await balance(), before);
  await assertLedgerIsChain(s.service);
});

test('four eyes: one of many approvals decides, never by whoever asked, and nobody splits an amount', async (t) => {
  const { service, people, ada, bea, issue, balance } = await openFourEyes(t);

  await t.test('small amounts of one operator add up, also at once', async () => {
    const sent = await Promise.all(Array.from({ length: 12 }, () => performAction(service, ada, issue(100))));
    const states = sent.map(({ action }) => action.state).sort();
    assert.deepEqual(states, [...Array(10).fill('done'), 'waiting', 'waiting']);
    assert.equal(await balance(), LIMIT);
    const other = await performAction(service, bea, issue(LIMIT));
    assert.equal(other.action.state, 'done', 'each operator has a limit of their own');
  });

  await t.test('another person approves exactly what they saw, once', async () => {
    const before = await balance();
    const approval = await waiting(service, ada, issue(5000));
    assert.equal(await balance(), before);
    assert.equal(await codeOf(approveAction(service, ada, approval)), 'role-not-allowed');
    assert.equal(
      await codeOf(approveAction(service, bea, { ...approval, hash: '0'.repeat(64) })),
      'idempotency-mismatch',
    );
    const shells = ['root', 'deploy'].map((osUser): ActingOperator => ({ kind: 'shell', osUser }));
    const outcomes = await Promise.all([bea, ...shells, bea].map((by) => codeOf(approveAction(service, by, approval))));
    assert.ok(outcomes.includes('done'));
    const action = await readAction(service, approval.id);
    assert.equal(action.state, 'done');
    assert.notEqual(action.decidedBy, action.askedBy);
    assert.equal(await balance(), before + 5000);
  });

  await t.test('an expired action, or one that somebody refused at the same time, is done by nobody', async () => {
    const before = await balance();
    const expired = await waiting(service, ada, issue(5001));
    await expireAction(service.db, expired.id);
    assert.equal(await codeOf(approveAction(service, bea, expired)), 'request-decided');
    assert.equal((await readAction(service, expired.id)).state, 'expired');

    let approved = 0;
    for (let round = 0; round < 6; round++) {
      const contested = await waiting(service, ada, issue(6000));
      const moves = [() => approveAction(service, bea, contested), () => refuseAction(service, ada, contested.id)];
      if (round % 2 === 1) moves.reverse();
      const outcomes = await Promise.all(moves.map((move) => codeOf(move())));
      assert.deepEqual(outcomes.toSorted(), ['done', 'request-decided']);
      if ((await readAction(service, contested.id)).state === 'done') approved++;
    }
    assert.equal(await balance(), before + approved * 6000);
  });

  await t.test('nobody approves while frozen, and nothing is approved for somebody who is', async () => {
    const before = await balance();
    const asked = await waiting(service, ada, issue(7000));
    const shell: ActingOperator = { kind: 'shell', osUser: 'deploy' };
    await freeze(service, people[1].userId);
    assert.equal(await codeOf(approveAction(service, bea, asked)), 'role-not-allowed');
    await unfreeze(service, people[1].userId);
    await freeze(service, people[0].userId);
    assert.equal(await codeOf(approveAction(service, shell, asked)), 'role-not-allowed');
    await unfreeze(service, people[0].userId);
    await refuseAction(service, ada, asked.id);
    assert.equal(await balance(), before);
  });

  await t.test('nobody approves after losing the role, and nothing is approved for somebody who lost it', async () => {
    const before = await balance();
    const asked = await waiting(service, ada, issue(7000));
    await removeOperator(service, people[1].email);
    assert.equal(await codeOf(approveAction(service, bea, asked)), 'role-not-allowed');
    await removeOperator(service, people[0].email);
    const shell: ActingOperator = { kind: 'shell', osUser: 'deploy' };
    assert.equal(await codeOf(approveAction(service, shell, asked)), 'role-not-allowed');
    assert.equal(await codeOf(performAction(service, ada, issue(1))), 'role-not-allowed');
    assert.equal(await balance(), before);
    await assertLedgerIsChain(service);
  });
});
