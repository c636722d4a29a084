import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import { storeKept } from '../../src/custody/kept-copies.ts';
import type { HealthState } from '../../src/diagnostics/findings/finding.ts';
import { createApp } from '../../src/features/apps/create-app.ts';
import { deleteApp } from '../../src/features/apps/delete-app.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { issueKey, revokeKey } from '../../src/features/keys/keys.ts';
import { ensureDemoOwner } from '../../src/features/sessions/sign-in-link.ts';
import { listKeys, USUAL_KEY } from '../../src/identity/app-keys.ts';
import { findSubject } from '../../src/process/connect.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { liveText } from '../../src/wings/doctor/cli/live-text.ts';
import { goThroughLiveItems, LIVE_ITEMS } from '../../src/wings/doctor/diagnostics/going-live.ts';
import { areAddressesSafe, isForPlayers, type Launch } from '../../src/wings/doctor/diagnostics/live-checks.ts';
import { WINGS } from '../../src/wings.ts';
import { settingsOf } from '../kit/service/examined.ts';
import { createOperator } from '../kit/service/operator.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { addHook, removeHooks } from '../kit/service/webhooks.ts';
import { changeEndpoints } from '../rows/webhooks.ts';

const ITEMS = [...LIVE_ITEMS.game, ...LIVE_ITEMS.service];
const PARTS = ['Public address', 'Durability', 'Mail', 'Gas'];

/** A configuration around a real database. `state`: what doctor has found of each part. */
function launchOf({ service }: TestService, env: Record<string, string>, state: HealthState): Launch {
  const settings = readSettings(env);
  return {
    settings,
    publicUrl: settings.publicUrl ?? 'http://localhost:8080',
    databaseUrl: settings.databaseUrl ?? null,
    rpcUrls: settings.chainRpcUrls,
    embedded: { database: state === 'bad', chain: state === 'bad' },
    database: async () => service.db,
    installation: async () => ({}),
    found: PARTS.map((part) => ({ part, state, says: `${part} is ${state}.`, facts: [], remedy: null })),
  } as unknown as Launch;
}

/** The items that have a check, and what it says: null is a question for people. */
async function verdictsOf(launch: Launch): Promise<(readonly [says: string, isDone: boolean | null])[]> {
  const checked = ITEMS.flatMap(({ says, check }) => (check ? [{ says, check }] : []));
  return Promise.all(checked.map(async ({ says, check }) => [says, (await check(launch))?.done ?? null] as const));
}

test('each item that can be checked is found missing, and then done', async (t) => {
  const s = await startTestService(t, { development: true });
  const { service } = s;
  const { db } = service;
  const ownerId = await ensureDemoOwner(service);
  const demo = await createApp(service, OPERATOR, { name: 'A demo', ownerId, testQuarters: false });
  const redirectUris = ['http://localhost:3000/'];
  const { app } = await createApp(service, OPERATOR, { name: 'A game', redirectUris, testQuarters: false });
  const hook = await addHook(s, app.id, 'https://game.example/hook');
  await changeEndpoints(db, { id: hook.id }, { failingSince: new Date() });

  const before = await verdictsOf(launchOf(s, { METRICS: 'off' }, 'bad'));
  assert.deepEqual(
    before.filter(([, isDone]) => isDone !== false),
    [],
  );

  await deleteApp(service, OPERATOR, demo.app.id);
  await updateApp(service, OPERATOR, app.id, { redirectUris: ['https://game.example/', 'http://127.0.0.1/callback'] });
  for (const { id, kind } of await listKeys(db, app.id, { living: true })) {
    if (kind === 'server') await revokeKey(service, OPERATOR, app.id, id);
  }
  await issueKey(service, OPERATOR, app.id, { ...USUAL_KEY, payPerDay: 10_000n as never });
  await removeHooks(s, app.id);
  await storeKept(db, 'kit');
  await createOperator(s);
  const alone = await verdictsOf(launchOf(s, {}, 'good'));
  assert.ok(
    alone.some(([says, isDone]) => says.startsWith('Operators') && isDone === false),
    'one passkey is not enough',
  );
  await createOperator(s);
  const env = {
    PUBLIC_URL: 'https://quarters.example',
    DATABASE_URL: 'postgres://database.example/quarters',
    CHAIN_RPC_URL: 'https://node.example',
    MASTER_KEY: '1'.repeat(64),
    SMTP_URL: 'smtp://mail.example',
    SUPPORT_URL: 'https://help.example',
  };
  const after = await verdictsOf(launchOf(s, env, 'good'));
  assert.deepEqual(
    after.filter(([, isDone]) => isDone !== true),
    // Whether anything reads the metrics is not visible.
    [['Something reads the metrics, and alerts wake somebody.', null]],
  );
});

test('an address is for players if others reach it by a name, with https', () => {
  for (const [publicUrl, isDone] of [
    ['https://quarters.example', true],
    ['http://quarters.example', false],
    ['https://localhost:8443', false],
    ['https://192.168.1.20', false],
    ['https://203.0.113.7', false],
  ] as const) {
    assert.equal(isForPlayers({ publicUrl } as Launch)?.done, isDone, publicUrl);
  }
});

test('addresses of a game are safe with https, with a scheme of its own, and on loopback by number', async (t) => {
  const s = await startTestService(t);
  const { app } = await createApp(s.service, OPERATOR, { name: 'A game' });
  for (const [address, isDone] of [
    ['https://game.example/done', true],
    ['com.acme.game://', true],
    ['http://127.0.0.1/callback', true],
    ['http://[::1]/callback', true],
    ['http://localhost:3000/', false],
    ['https://localhost:3000/', false],
  ] as const) {
    await updateApp(s.service, OPERATOR, app.id, { redirectUris: [address] });
    assert.equal((await areAddressesSafe(launchOf(s, {}, 'good')))?.done, isDone, address);
  }
  await updateApp(s.service, OPERATOR, app.id, { redirectUris: [], frameAncestors: ['http://127.0.0.1:3000'] });
  const verdict = await areAddressesSafe(launchOf(s, {}, 'good'));
  assert.match(JSON.stringify(verdict), new RegExp(`A game \\(${app.id}\\)`));
});

test('doctor goes through the whole list in its order, and ends with 1 if an item is not done', async (t) => {
  const s = await startTestService(t);
  const found = await goThroughLiveItems(await findSubject(settingsOf(s), WINGS), () => {});
  assert.deepEqual(
    found.map(({ says }) => says),
    ITEMS.map(({ says }) => says),
  );
  const stateOf = (beginning: string) => found.find(({ says }) => says.startsWith(beginning))?.state;
  assert.equal(stateOf('The database is a server of yours'), 'done');
  assert.equal(stateOf('Players reach it by https'), 'not-done');
  assert.equal(stateOf('Backups are made'), 'ask-yourself');
  const { text, end } = liveText(found);
  assert.match(
    text,
    /^NOT DONE {6}Players reach it by https, at a public name\.\n {14}PUBLIC_URL is http:\/\/localhost:\d+\./m,
  );
  assert.match(String(end), /\d+ of \d+ are not done/);
  assert.equal(liveText(found.filter(({ state }) => state !== 'not-done')).end, undefined);
});
