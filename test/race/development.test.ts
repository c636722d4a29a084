import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '../../src/base/address.ts';
import { createApp } from '../../src/features/apps/create-app.ts';
import { giveDueTestQuarters } from '../../src/features/apps/test-quarters.ts';
import { ensureDemoOwner, newSignInLink, signInByLink } from '../../src/features/sessions/sign-in-link.ts';
import { findSession } from '../../src/oauth/sessions.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { startTestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';
import { changeApps } from '../rows/apps.ts';
import { forgetIdempotencyKeys } from '../rows/passing.ts';

const EIGHT = Array.from({ length: 8 });

test('an app gets its test quarters once, whenever its registration was cut off, and a link signs in once', async (t) => {
  const s = await startTestService(t, { development: true });
  const { db } = s.service;
  const due = () => db.query('SELECT FROM apps WHERE test_transfer_id IS NOT NULL');
  const transfersTo = async (address: string) =>
    (await db.query<{ id: string; amount: bigint }>('SELECT id, amount FROM transfers WHERE to_address = $1', [
      address.toLowerCase() as Address,
    ])) as { id: string; amount: bigint }[];

  await t.test('concurrent processes that find the registration cut off before the gift', async () => {
    const cutOff = { ...s.service, readiness: { ...s.service.readiness, suspended: true } };
    const { address, testQuarters } = await createApp(cutOff, OPERATOR, { name: 'Cut Off' });
    assert.equal(testQuarters, 10_000n);
    await Promise.all(EIGHT.map(() => giveDueTestQuarters(s.service)));
    await until('nothing is due', async () => (await due()).length === 0);
    assert.deepEqual(
      (await transfersTo(address)).map(({ amount }) => amount),
      [10_000n],
    );
  });

  await t.test(
    'a process that died after the gift, and came back after its idempotency key was forgotten',
    async () => {
      const { app, address } = await createApp(s.service, OPERATOR, { name: 'Given' });
      assert.equal((await due()).length, 0);
      const [given] = await transfersTo(address);
      await forgetIdempotencyKeys(db);
      await changeApps(db, { id: app.id }, { testTransferId: given!.id });
      await giveDueTestQuarters(s.service);
      assert.equal((await due()).length, 0);
      assert.deepEqual(await transfersTo(address), [given]);
    },
  );

  await t.test('concurrent uses of a sign-in link open one session', async () => {
    const [owner, ...others] = await Promise.all(EIGHT.map(() => ensureDemoOwner(s.service)));
    assert.ok(others.every((other) => other === owner));
    const token = new URL(await newSignInLink(s.service)).searchParams.get('token') ?? '';
    const arriving = { former: undefined, browser: null };
    const results = await Promise.all(EIGHT.map(() => signInByLink(s.service, token, arriving)));
    const [opened, ...more] = results.filter((result) => result !== null);
    assert.equal(more.length, 0);
    assert.equal((await findSession(db, opened?.session ?? '', 60))?.userId, owner);
  });

  await s.settled();
  await assertLedgerIsChain(s.service);
});
