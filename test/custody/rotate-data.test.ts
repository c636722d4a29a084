import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { SEALED_RELAYER_KEYS } from '../../src/chain/relayers.ts';
import { sealedPrefix } from '../../src/custody/data-key-rotation.ts';
import { listDataKeys } from '../../src/custody/data-keys.ts';
import { readMasterKey } from '../../src/custody/master-key.ts';
import { SEALED_SIGNING_KEYS } from '../../src/custody/signing-keys.ts';
import { openVault } from '../../src/custody/vault.ts';
import { replaceDataKey } from '../../src/features/custody/replace-data-key.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { addEndpoint, rotateEndpointSecret } from '../../src/features/webhooks/manage-webhook-endpoints.ts';
import { SEALED_ACCOUNT_KEYS } from '../../src/ledger/account-keys.ts';
import { enterDatabase } from '../../src/membership/membership.ts';
import { newProcess } from '../../src/membership/processes.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { SEALED_WEBHOOK_SECRETS } from '../../src/webhooks/webhook-endpoints.ts';
import { createDeveloper, registerApp } from '../kit/service/developer.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asApp } from '../kit/unit/callers.ts';
import { ageDataKeys, sealKeys } from '../rows/sealed-keys.ts';

const SEALED = [SEALED_ACCOUNT_KEYS, SEALED_RELAYER_KEYS, SEALED_SIGNING_KEYS, SEALED_WEBHOOK_SECRETS];

/** How many values of each kind are not sealed under this key. */
const others = ({ service: { db } }: TestService, id: number) =>
  Promise.all(SEALED.map(async (rows) => (await rows.list(db, sealedPrefix(id), '', 1_000)).length));

test('a new data key seals when every process holds it, what is stored is sealed anew, and the old one goes later', async (t) => {
  const s = await startTestService(t);
  const { db, vault, settings } = s.service;
  const app = await s.createApp();
  const guest = await s.createGuest(app);
  await s.issue(app.id, 1_000);
  const manager = { by: OPERATOR, appId: app.id };
  const { id, secret } = await addEndpoint(s.service, manager, { url: 'https://game.example/hook', types: null });
  await rotateEndpointSecret(s.service, manager, id);
  const developer = await createDeveloper(s);
  await registerApp(developer);
  for (const table of ['accounts', 'relayers'] as const) await sealKeys(db, vault, table);
  const second = await startSecondService(t, s, { works: true });
  const made = vault.mac('form', 'a session');
  const sealed = vault.seal(Buffer.from('a draft'), 'draft');
  const [accounts, relayers, signing, webhooks] = await others(s, 2);
  assert.ok(accounts! > 3 && relayers! > 1 && signing! > 2, `${accounts} ${relayers} ${signing}`);
  assert.equal(webhooks, 2);

  // A process that lives and does not take the key.
  const { leave } = await enterDatabase(s.databaseUrl, () => {}, newProcess());
  atEnd(t, leave);
  await assert.rejects(
    replaceDataKey(s.service, () => {}, { commandsMs: 0, processesMs: 1 }),
    /Nothing is sealed under the new data key yet, because these do not have it: process \d+/,
  );
  assert.deepEqual(
    (await listDataKeys(db)).map(({ sealsSince }) => sealsSince !== null),
    [true, false],
  );
  assert.equal(vault.seal(Buffer.from(''), 'x').readUInt32BE(0), 1);
  assert.match((await runCommand(s.service, 'custody')).out, /^A new data key waits until every process holds it/m);
  await leave();

  const { resealed, deleted } = await replaceDataKey(s.service, () => {}, { commandsMs: 0, processesMs: 60_000 });
  assert.ok(resealed >= accounts! + relayers! + signing! + webhooks!, `${resealed}`);
  assert.deepEqual(deleted, []);
  assert.deepEqual(await others(s, 2), [0, 0, 0, 0]);
  assert.equal((await listDataKeys(db)).length, 2);

  // Both processes open what either seals, old and new, and sign with keys that were sealed anew.
  for (const one of [vault, second.service.vault]) {
    assert.equal(one.macMatches('form', 'a session', made), true);
    assert.equal(one.unseal(sealed, 'draft').toString(), 'a draft');
    assert.equal(one.unseal(vault.seal(Buffer.from('new'), 'x'), 'x').toString(), 'new');
  }
  assert.equal((await registerApp(developer, { name: 'Form of before' })).id.length, 20);
  const payout = { from: asAddress(app.address), amount: 5, user: guest.userId };
  await payUser(second.service, asApp(app.id), payout);
  await s.settled();
  const endpoints = await SEALED_WEBHOOK_SECRETS.list(db, sealedPrefix(1), '', 2);
  const secrets = endpoints.map((value) => vault.unseal(value.sealed, value.context).toString());
  assert.ok(secrets.includes(secret), 'the replaced secret still signs');

  await ageDataKeys(db, '32 days');
  const again = await runCommand(s.service, 'custody', 'rotate-data', '--yes', '--json');
  assert.deepEqual(JSON.parse(again.out).deleted, [1]);
  assert.deepEqual(
    (await listDataKeys(db)).map(({ id }) => id),
    [2],
  );
  const opened = await openVault(db, await readMasterKey(settings));
  assert.throws(() => opened.unseal(sealed, 'draft'), /data key 1, which this vault does not hold/);
  await s.issue(app.id, 5);
});
