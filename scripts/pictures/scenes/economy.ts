import { asAddress } from '../../../src/base/address.ts';
import { lazily } from '../../../src/base/lazily.ts';
import { addGas } from '../../../src/settlement/tables/gas-days.ts';
import { findPlayersToLookAt } from '../../../src/wings/economy/features/find-players-to-look-at.ts';
import { noteEconomy } from '../../../src/wings/economy/features/note-accounts.ts';
import { rollUpBite } from '../../../src/wings/economy/features/roll-up.ts';
import { lockEconomy } from '../../../src/wings/economy/store/cursor.ts';
import { storeRefusals } from '../../../src/wings/economy/store/refusals.ts';
import { startOver } from '../../../src/wings/economy/store/undo.ts';
import { readLasting } from '../../../src/wings/economy/views/read-lasting.ts';
import { makeGuests, payOut } from '../../../test/kit/service/guests.ts';
import { pay } from '../../../test/kit/service/history.ts';
import type { Person } from '../../../test/kit/service/people.ts';
import { until } from '../../../test/kit/unit/until.ts';
import { changePostings } from '../../../test/rows/ledger.ts';
import { earlier } from '../../../test/rows/times.ts';
import { type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

const path = ({ origin }: World, rest = '') => `${origin}/operator${rest}`;
const DAY_MS = 86_400_000;
const FORMER_RELAYER = asAddress(`0x${'ab'.repeat(20)}`);

const prepared = new WeakMap<World, () => Promise<void>>();

/** Guests of a script, refusals of many games, and a year of gas. */
async function prepare(world: World): Promise<void> {
  const once = prepared.get(world) ?? lazily(() => fill(world));
  prepared.set(world, once);
  await once();
}

async function fill(world: World): Promise<void> {
  const { service, games, busy, ada } = world;
  const { db } = service;
  const game = { ...busy.app, ...busy };
  const { userId } = await world.guest(game);
  await pay(world, game, { userId } as Person, 60_000);
  await world.settled();
  await payOut(db, await makeGuests(db, busy.app.id, 64, { posted: 30 }), (i) => 600 + i);
  await payOut(db, await makeGuests(db, games.long.id, 23), () => 5_000);
  const day = new Date();
  const reasons = [
    ['approval', 'insufficient-quarters', 48_312],
    ['payout', 'insufficient-quarters', 903],
    ['auto-approval', 'auto-approve-limit', 1_204],
    ['auto-approval', 'auto-approve-not-granted', 77],
    ['request', 'limit-reached', 31],
    ['refund', 'refund-too-large', 2],
  ] as const;
  const refused = Object.values(games).flatMap(({ id }, i) =>
    reasons.slice(0, 6 - (i % 4)).map(([kind, code, count]) => ({ appId: id, kind, code, count: count - i })),
  );
  const players = refused.slice(0, 5).map(({ count, ...one }, i) => {
    return { ...one, userId: ada.userId, times: 5 - i, lastAt: new Date(day.getTime() - i * DAY_MS) };
  });
  await db.transaction((tx) => storeRefusals(tx, { counts: refused.map((one) => ({ ...one, day })), players }));
  const costs = Array.from({ length: 300 }, (_, i) => {
    const [transactions, transfers] = [400 + ((i * 37) % 300), 21_000 + ((i * 911) % 9_000)];
    const gas = BigInt(transfers) * 42_000n;
    const wei = gas * BigInt(2 + (i % 5)) * 10n ** 9n;
    const signedAt = new Date(day.getTime() - i * DAY_MS);
    return { signedAt, transactions, transfers, reverted: i % 3, gas, wei, unknown: i % 50 === 0 ? 1 : 0 };
  });
  await addGas(db, FORMER_RELAYER, { first: 0n, below: 1n }, costs);
  // The week that ends with the last whole hour has it all.
  await changePostings(db, {}, { postedAt: earlier('postedAt', '90 minutes') });
  await until('everything is counted', async () => {
    await db.transaction(async (tx) => {
      if (await lockEconomy(tx)) await startOver(tx);
    });
    while (await rollUpBite(service));
    return (await readLasting(service)).counted.isWhole;
  });
  await noteEconomy(service);
  await findPlayersToLookAt(service);
}

/** A page about what was prepared. */
const about =
  (rest: string): Scene['open'] =>
  async (page, world) => {
    await prepare(world);
    await page.goto(path(world, rest));
  };

const ECONOMY: Record<string, Scene['open']> = {
  'economy, a month': about(''),
  'economy, a day': about('?period=day'),
  'economy, sources and sinks': about('/economy/flows'),
  'economy, charts': about('/economy/charts'),
  'economy, apps': about('/economy/apps'),
  'economy, balances': about('/economy/balances'),
  'economy, an empty month': (page, world) => page.goto(path(world, '?period=month&at=2020-01')),
  'economy, top spenders': (page, world) => page.goto(path(world, '/economy/spenders')),
  'economy, an app': (page, world) => page.goto(path(world, `/economy/apps/${world.busy.app.id}`)),
  'economy, never paid': about('/economy/never-paid'),
  'economy, look farmed': about('/economy/look-farmed'),
  'economy, how long it lasts': about('/economy/lasting'),
  'economy, refused payments': about('/economy/refusals'),
  'economy, no refused payments': about('/economy/refusals?period=month&at=2020-01'),
  'economy, gas of a month': about('/economy/gas'),
  'economy, gas of a year': about('/economy/gas?period=year'),
  'user with refused payments': async (page, world) => {
    await prepare(world);
    await page.goto(path(world, `/users/${world.ada.userId}`));
  },
  statements: (page, world) => page.goto(path(world, '/statements')),
  statement: (page, world) => page.goto(path(world, `/statements/${world.busy.app.id}`)),
};

export const ECONOMY_SCENES: readonly Scene[] = scenesOf('operator', ECONOMY, { as: ({ operator }) => operator });
