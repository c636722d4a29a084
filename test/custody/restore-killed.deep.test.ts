import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { giveGuestTokens } from '../../src/features/guests/create-guest.ts';
import { approveAction } from '../../src/features/operator-actions/approve-action.ts';
import { performAction } from '../../src/features/operator-actions/perform-action.ts';
import type { ActingOperator } from '../../src/features/operators/operators.ts';
import { lockAudit } from '../../src/ledger/audit-lock.ts';
import { readSuspension } from '../../src/ledger/suspension.ts';
import { seedOf } from '../kit/run/seed.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { createDatabase } from '../kit/service/database.ts';
import { createOperator } from '../kit/service/operator.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestService } from '../kit/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { type Random, seededRandom } from '../kit/unit/crash-random.ts';
import { until } from '../kit/unit/until.ts';
import {
  ask,
  balancesOf,
  type Call,
  type Economy,
  growEconomy,
  isReady,
  isSuspended,
  payEverywhere,
  restoreInProcess,
} from './drill.ts';
import { restored } from './restored.ts';

const TIMES = 10;
const GAMES = 3;
const LIMIT = 10_000;
/** A run of the command has about as many. */
const MOST_STEPS = 40;

const randomStep = ({ pick, between }: Random): KillPoint => ({
  at: pick(['commit', 'statement in a transaction', 'statement alone', 'call of the chain']),
  when: pick(['before', 'after']),
  match: '',
  nth: between(1, MOST_STEPS),
});

test('one older backup of three games is restored ten times, killed at any step, and ends alike each time', async (t) => {
  const { start, copyDatabase, faulty } = await ranBefore(t, { FOUR_EYES_ABOVE: `${LIMIT}` });
  const first = await start();
  await isReady(first);
  const people = [await createOperator(first), await createOperator(first)];
  const [ada, bea] = people.map(({ session }): ActingOperator => ({ kind: 'person', session }));
  const economies: Economy[] = [];
  for (let i = 0; i < GAMES; i++) {
    const game = await first.createApp();
    await first.issue(game.id, 50_000);
    economies.push(await growEconomy(t, first, game, 20));
  }
  await first.stop();
  const copy = await copyDatabase();

  const second = await start();
  await isReady(second);
  const made: { readonly economy: Economy; readonly calls: readonly Call[]; readonly later: Guests }[] = [];
  for (const economy of economies) {
    const later = await Promise.all(Array.from({ length: 10 }, () => second.createGuest(economy.game)));
    made.push({ economy, later, calls: await payEverywhere(second, economy, later, 30) });
  }
  const prize = {
    ...{ id: randomUUID(), kind: 'issue', reason: 'Prizes of the spring cup' },
    params: { recipient: made[0]!.later[0]!.address, quarters: LIMIT + 1 },
  };
  const issue = async ({ service }: TestService) => {
    const { action } = await performAction(service, ada!, prize);
    assert.equal(action.state, 'waiting');
    await approveAction(service, bea!, { id: action.id, hash: action.paramsHash });
  };
  await issue(second);
  await second.settled();
  const before = await balancesOf(second);
  await second.stop();

  const seed = seedOf('restore');
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let time = 0; time < TIMES; time++) {
    const s = await start(await createDatabase(t, new URL(copy).pathname.slice(1)));
    await isSuspended(s);
    const point = randomStep(random);
    const said = await restoreInProcess(t, s, faulty.proxy.url, point);
    t.diagnostic(`${JSON.stringify(point)}: ${/"resumed"/.test(said) ? 'ended' : 'killed'}`);
    await until('its lock is free', () => s.service.db.transaction(lockAudit));
    if (await readSuspension(s.service.db)) {
      await restored(s);
    }
    await until('payments are accepted', () => !s.service.readiness.suspended);
    assert.deepEqual(await balancesOf(s), before);
    for (const { economy, later, calls } of made) await repeat(s, economy, later, calls);
    await issue(s);
    await s.settled();
    assert.deepEqual(await balancesOf(s), before, 'nothing is paid twice');
    assert.deepEqual((await auditLedger(s.service)).differences, []);
    await s.stop();
  }
});

type Guests = Parameters<typeof payEverywhere>[2];

/** What a game does that knows nothing of a backup. */
async function repeat(s: TestService, { game, batch, file }: Economy, later: Guests, calls: readonly Call[]) {
  for (const { userId } of later) await giveGuestTokens(s.service, asApp(game.id), userId);
  const keyed = calls.filter(({ key }) => key !== null);
  await Promise.all(keyed.map(({ what, body, key }) => ask(s, game, what, body, key)));
  assert.equal((await runCommand(s.service, 'pay', '--file', file, '--batch', batch, '--yes')).code, 0);
}
