import type { Page } from 'playwright-core';
import type { AppId, RequestId } from '../../../src/base/ids.ts';
import { listKeys } from '../../../src/identity/app-keys.ts';
import { changeAppKeys } from '../../../test/rows/apps.ts';
import { insertCalls } from '../../../test/rows/calls.ts';
import { newDeveloper, press, type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

/** Opens the log of a new app. */
async function toLog(page: Page, world: World): Promise<AppId> {
  await page.goto(`${world.origin}/developer/apps/new`);
  await page.getByLabel('Name').fill('Meadow');
  await press(page, 'Register');
  await press(page, 'I’ve saved it');
  await page.getByRole('link', { name: 'Log', exact: true }).click();
  await page.getByRole('heading', { name: 'Log' }).waitFor();
  return new URL(page.url()).pathname.split('/')[3] as AppId;
}

/** Calls of the last hour, of the kinds that a game makes. */
async function withCalls(page: Page, world: World) {
  const appId = await toLog(page, world);
  const { db } = world.service;
  await changeAppKeys(db, { appId }, { name: 'Game server of Meadow' });
  const keyId = (await listKeys(db, appId, { living: true })).find(({ kind }) => kind === 'server')!.id;
  const payment = (n: number) => `0199f5c2-7d1e-7a44-9c1${n}-2f6f0d0c81b7` as RequestId;
  const [userId, began] = [world.ada.userId, Date.now()];
  const kinds: Omit<Parameters<typeof insertCalls>[2][number], 'at'>[] = [
    { method: 'POST', route: '/v1/accounts/:address/transfer', keyId, idempotency: '3f9ac41b', milliseconds: 4.1 },
    {
      method: 'POST',
      route: '/v1/accounts/:address/transfers',
      status: 400,
      code: 'invalid-input',
      fields: 'transfers[0].amount',
      keyId,
    },
    { method: 'GET', route: '/v1/requests/:id', userId, paymentId: payment(1) },
    { method: 'POST', route: '/v1/requests', status: 201, userId, milliseconds: 6.8, paymentId: payment(2) },
    { method: 'GET', route: '/v1/accounts/:address/balance', userId, milliseconds: 1.9 },
    {
      method: 'POST',
      route: '/v1/requests/:id/autoApprove',
      status: 403,
      code: 'insufficient-scope',
      userId,
      paymentId: payment(3),
    },
    {
      method: 'POST',
      route: '/v1/requests/:id/refunds',
      status: 409,
      code: 'refund-too-large',
      keyId,
      idempotency: '0fc89f8a',
      about: '3f9ac41b',
      paymentId: payment(4),
    },
    { method: 'POST', route: '/v1/webhook-endpoints/:id/rotate-secret', keyId, milliseconds: 12.4 },
    { method: 'POST', route: '/oauth/token', status: 400, code: 'invalid_grant', milliseconds: 8.2 },
    {
      method: 'POST',
      route: '/v1/accounts/:address/transfer',
      status: 503,
      code: 'payments-suspended',
      keyId,
      idempotency: '77aa12ef',
    },
    { method: 'GET', route: '/v1/events', status: null, keyId, milliseconds: 30_012 },
  ];
  const calls = Array.from({ length: 60 }, (_, i) => ({
    ...kinds[i % kinds.length]!,
    at: new Date(began - i * 61_317),
  }));
  await insertCalls(db, appId, calls);
  await page.reload();
  await page.getByRole('table').waitFor();
}

const SCENES: Record<string, Scene['open']> = {
  empty: toLog,
  calls: withCalls,
  filtered: async (page, world) => {
    await withCalls(page, world);
    await page.getByText('More filters').click();
    await page.getByLabel('Idempotency-Key').fill('0fc89f8a');
    await page.getByLabel('Status').selectOption('4xx');
    await press(page, 'Filter');
    await page.getByText('refund-too-large').last().waitFor();
  },
  'nothing found': async (page, world) => {
    await withCalls(page, world);
    await page.getByLabel('Error code').selectOption('app-backlog-full');
    await press(page, 'Filter');
    await page.getByText('No calls match.').waitFor();
  },
  'a call': async (page, world) => {
    await withCalls(page, world);
    await page
      .getByRole('row', { name: /refund-too-large/ })
      .first()
      .getByRole('link')
      .click();
    await page.getByText('About this error').waitFor();
  },
};

export const CALL_LOG_SCENES: readonly Scene[] = scenesOf('log', SCENES, { as: newDeveloper });
