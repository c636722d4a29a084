import type { Page } from 'playwright-core';
import { press, type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

const busyPath = ({ origin, busy }: World, rest = '') => `${origin}/developer/apps/${busy.app.id}${rest}`;

const toFirst = async (page: Page, world: World, search: string) => {
  await page.goto(busyPath(world, `/payments?${search}`));
  await page.locator('td a').first().click();
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
};

/** Of an app that players use. */
const BUSY: Record<string, Scene['open']> = {
  'overview, a day': (page, world) => page.goto(busyPath(world)),
  'overview, table': async (page, world) => {
    await page.goto(busyPath(world));
    await page.getByText('Table', { exact: true }).nth(1).click();
    await page.locator('figure').nth(1).locator('tbody tr').last().waitFor();
  },
  'overview, a month': (page, world) => page.goto(busyPath(world, '?period=30d')),
  payments: (page, world) => page.goto(busyPath(world, '/payments')),
  statement: (page, world) => page.goto(busyPath(world, '/statement')),
  'payments, none found': (page, world) => page.goto(busyPath(world, '/payments?q=dragon')),
  payment: (page, world) => toFirst(page, world, 'kind=user&q=A+golden+rook'),
  'payment, refund': async (page, world) => {
    await toFirst(page, world, 'kind=user&status=completed&q=A+golden+rook');
    await page.getByLabel('Quarters', { exact: true }).fill('1');
    await press(page, 'Refund…');
    await page.getByRole('heading', { name: 'Refund this payment?' }).waitFor();
  },
  'payment, waiting': (page, world) => toFirst(page, world, 'status=pending'),
};

export const OVERVIEW_SCENES: readonly Scene[] = scenesOf('developer', BUSY, { as: ({ developer }) => developer });
