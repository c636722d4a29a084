import type { UserId } from '../../../src/base/ids.ts';
import { storeAudit } from '../../../src/ledger/last-audit.ts';
import { findTransfersOfRequests } from '../../../src/settlement/tables/transfers.ts';
import { readActivity } from '../../../src/views/accounts/read-activity.ts';
import { type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

/** A payment of Ada, with what carries it. */
async function adasPayment({ service, ada }: World, status = 'completed') {
  const { activities } = await readActivity(service, { id: ada.userId as UserId }, 100);
  const paid = activities.find((one) => one.kind === 'request' && one.request.status === status);
  if (paid?.kind !== 'request') throw new Error(`Ada has no payment that is ${status}`);
  const [transfer] = await findTransfersOfRequests(service.db, [paid.request.id]);
  return { request: paid.request, transfer: transfer! };
}

const SCENES: Record<string, Scene['open']> = {
  search: (page, { origin }) => page.goto(`${origin}/operator/search`),
  'search, several found': async (page, { origin }) => {
    await page.goto(`${origin}/operator/search`);
    await page.locator('#q').fill('de');
    await page.locator('main button').click();
  },
  'search, a wrong checksum': (page, { origin, ada }) =>
    page.goto(`${origin}/operator/search?q=${ada.address.replace(/[a-f]/, (digit) => digit.toUpperCase())}`),
  players: (page, { origin }) => page.goto(`${origin}/operator/users`),
  'players, largest': (page, { origin }) => page.goto(`${origin}/operator/users?by=largest`),
  'players, last seen': (page, { origin }) => page.goto(`${origin}/operator/users?by=seen`),
  user: (page, { origin, ada }) => page.goto(`${origin}/operator/users/${ada.userId}`),
  'user with a long name': (page, { origin, longNamed }) => page.goto(`${origin}/operator/users/${longNamed.userId}`),
  apps: (page, { origin }) => page.goto(`${origin}/operator/apps`),
  app: (page, { origin, busy }) => page.goto(`${origin}/operator/apps/${busy.app.id}?guests=count`),
  'app, payments': (page, { origin, busy }) => page.goto(`${origin}/operator/apps/${busy.app.id}/payments`),
  payments: (page, { origin }) => page.goto(`${origin}/operator/payments`),
  'payments, none found': (page, { origin }) => page.goto(`${origin}/operator/payments?amount=987654321&q=shield`),
  payment: async (page, world) =>
    page.goto(`${world.origin}/operator/payments/${(await adasPayment(world)).request.id}`),
  'payment, not approved yet': async (page, world) =>
    page.goto(`${world.origin}/operator/payments/${(await adasPayment(world, 'pending')).request.id}`),
  transfer: async (page, world) =>
    page.goto(`${world.origin}/operator/transfers/${(await adasPayment(world)).transfer.id}`),
  transaction: async (page, world) =>
    page.goto(`${world.origin}/operator/transactions/${(await adasPayment(world)).transfer.txHash}`),
  address: (page, { origin, ada }) => page.goto(`${origin}/operator/addresses/${ada.address}`),
  health: async (page, { origin, service }) => {
    await storeAudit(service.db, { block: 1n, accounts: 3, differences: 0, overdrawn: 0, seconds: 1 });
    await page.goto(`${origin}/operator/health`);
  },
  'health, the kit is kept': async (page, { origin }) => {
    await page.goto(`${origin}/operator/health`);
    await page.getByText('The kit is kept…').click();
  },
  'health with a fault': async (page, { origin, service }) => {
    await storeAudit(service.db, { block: 1n, accounts: 3, differences: 2, overdrawn: 0, seconds: 1 });
    await page.goto(`${origin}/operator/health`);
  },
};

export const OPERATOR_ENTITY_SCENES: readonly Scene[] = scenesOf('operator', SCENES, {
  as: ({ operator }) => operator,
});
