import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sumAccounts } from '../../src/ledger/account-sums.ts';
import { type AccountKind, findAccounts } from '../../src/ledger/accounts.ts';
import { readCursor } from '../../src/ledger/blocks.ts';
import { periodAt } from '../../src/wings/economy/base/periods.ts';
import { rollUpBite } from '../../src/wings/economy/features/roll-up.ts';
import { readEconomyCursor } from '../../src/wings/economy/store/cursor.ts';
import { readEconomy } from '../../src/wings/economy/views/read-economy.ts';
import { runsOf } from '../kit/run/runs.ts';
import { countEverything, readEconomyRows } from '../kit/service/economy-oracle.ts';
import { changePostings } from '../rows/ledger.ts';
import { Expression } from '../rows/times.ts';
import { type Command, command, step } from './commands.ts';
import { drain } from './drain.ts';
import { openWorld, type World } from './world.ts';

/** A day has a block or none, and a run is months. A reorganisation changes nothing, so times stay those that were counted. */
const TIME_OF_BLOCK = new Expression(
  `timestamptz '2025-11-20 05:00Z' + make_interval(hours => 31 * block_number::int)`,
);

const number = fc.nat({ max: 9 });
const amount = fc.integer({ min: 1, max: 90 });
const payment = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('spend'), guest: number, amount }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('pay'), guest: number, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('refund'), request: number, amount: fc.constantFrom(0, 1, 5) }),
  },
) as fc.Arbitrary<Command>;
const settle: readonly Command[] = [
  { act: 'broadcast', by: 'one' },
  { act: 'mine', blocks: 1, share: 100, drop: 0, seed: 1 },
  { act: 'follow', by: 'both' },
];
/** Payments that are settled, and what else may happen: deposits, reorganisations of every depth, faults. */
const round = fc
  .tuple(fc.array(payment, { minLength: 1, maxLength: 4 }), fc.array(command, { maxLength: 3 }))
  .map(([payments, others]) => [...payments, ...settle, ...others]);

test('the economy equals the ledger, counted anew, at every moment of a random run', async (t) => {
  const world = await openWorld(t, {});
  const { parameters, attempt, report } = runsOf({ usual: 3, all: 60 });
  const rounds = fc.array(round, { minLength: 1, maxLength: 12, size: 'max' });
  await fc.assert(
    fc.asyncProperty(rounds, fc.integer({ min: 1, max: 30 }), (chosen, most) =>
      attempt(async () => {
        await world.reset();
        for (const commands of chosen) {
          for (const next of commands) await step(world, next, await world.read());
          await assertExact(world, most);
        }
        await drain(world);
        await assertExact(world, most);
      }),
    ),
    parameters,
  );
  t.diagnostic(report());
});

/** Counts what is new, in small bites, of two processes at once. */
async function assertExact({ service, zombie }: World, most: number): Promise<void> {
  const { db } = service;
  await changePostings(db, {}, { postedAt: TIME_OF_BLOCK });
  let again = true;
  while (again) {
    const done = await Promise.all([service, zombie ?? service].map((process) => rollUpBite(process, most)));
    again = done.includes(true);
  }
  assert.deepEqual(await readEconomyRows(db), await countEverything(db));
  if ((await readCursor(db))?.complete) await assertReadingsEqualAccounts(service);
}

/** What the console shows at the end of the last counted year is what the accounts have. */
async function assertReadingsEqualAccounts({ db }: Pick<World['service'], 'db'>): Promise<void> {
  const { block } = await readEconomyCursor(db);
  // A reorganisation may have left nothing to count.
  const year = await readEconomy({ reads: db }, periodAt('year', block?.at ?? new Date()));
  const { sums } = await sumAccounts(db);
  const posted = (kind: AccountKind | 'none') => sums.get(kind)?.posted ?? 0n;
  const stocks = {
    treasury: posted('treasury'),
    players: posted('user'),
    apps: posted('app'),
    outside: posted('external'),
  };
  assert.deepEqual(year.sums.stocks, { supply: -posted('none'), ...stocks });
  assert.deepEqual(year.steps.at(-1)!.stocks, year.sums.stocks);
  assert.equal(
    year.sums.payers,
    year.steps.reduce((total, { payers }) => total + payers, 0),
  );
  for (const { appId, balance } of year.apps) {
    const [account] = await findAccounts(db, { apps: [appId] });
    assert.equal(balance, account!.posted);
  }
}
