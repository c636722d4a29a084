import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { isDevelopment } from '../../src/config/development.ts';
import { minutesToStop } from '../../src/identity/minutes-to-stop.ts';
import { listWithdrawalAddresses } from '../../src/identity/withdrawal-addresses.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { mailTo, visit } from '../kit/service/visits.ts';
import { newWithdrawer, outsideAddress } from '../kit/service/withdrawer.ts';
import { until } from '../kit/unit/until.ts';
import { agePasskeys } from '../rows/passkeys.ts';

const env = { WITHDRAWALS: 'on' };

for (const development of [true, undefined] as const) {
  const where = development ? 'in development mode' : 'outside of development mode';
  const [minutes, says] = development ? [1, '1 minute'] : [24 * 60, '24 hours'];

  test(`${where} a new passkey and a new address wait ${says}, and page and mail say so`, async (t) => {
    const s = await sharedService(t, { env, ...(development && { development }) });
    const { db } = s.service;
    const withdrawer = await newWithdrawer(s);
    const { person, user } = withdrawer;
    const page = async (path: string) => (await visit(s, person, path)).body;
    const hint = /In development you wait 1 minute instead of 24 hours\./;
    const assertHint = development ? assert.match : assert.doesNotMatch;

    await agePasskeys(db, user.id, `${minutes * 60 - 50} seconds`);
    assert.match(await page('/account/withdraw/addresses'), /Your passkey is new/);
    await assert.rejects(withdrawer.add(toChecksum(outsideAddress())), /passkey-young/);
    await agePasskeys(db, user.id, `${minutes * 60 + 1} seconds`);
    const asks = await page('/account/withdraw/addresses');
    assert.match(asks, new RegExp(`You can use a new address after ${says}\\.`));
    assertHint(asks, hint);

    const before = Date.now();
    await withdrawer.add(toChecksum(outsideAddress()));
    assert.match(await mailTo(s, person.email, 'withdrawal address'), new RegExp(`In\\s+${says.replace(' ', '\\s+')}`));
    const usableAt = async () => (await listWithdrawalAddresses(db, user.id))[0]!.usableAt;
    await until('the wait has begun', async () => (await usableAt()) !== null);
    const waits = ((await usableAt())!.getTime() - before) / 60_000;
    assert.ok(waits > minutes - 0.1 && waits < minutes + 5, `${waits} minutes`);
    assertHint(await page('/account/withdraw'), hint);
  });
}

test('the short wait needs what brought its own database and chain, and that nobody else reaches', () => {
  const tryOut = { embedded: { database: true, chain: true }, host: '127.0.0.1', trustProxy: 0 };
  const minutes = (facts: Partial<Parameters<typeof isDevelopment>[0]>) =>
    minutesToStop({ development: isDevelopment({ ...tryOut, publicUrl: 'http://localhost:3000', ...facts }) });
  assert.equal(minutes({}), 1);
  for (const facts of [
    { embedded: { database: false, chain: true } },
    { embedded: { database: true, chain: false } },
    { host: '0.0.0.0' },
    { publicUrl: 'https://quarters.example' },
    { trustProxy: 1 },
  ])
    assert.equal(minutes(facts), 24 * 60, JSON.stringify(facts));
});
