import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../src/base/problems.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { acceptSuspension } from '../../src/features/repair/accept-suspension.ts';
import { auditAndRepair } from '../../src/features/repair/audited-repair.ts';
import { restoreFromChain } from '../../src/features/restore/restore.ts';
import type { Service } from '../../src/service/service.ts';
import { attachToChain } from '../../src/settlement/attach.ts';
import { mayAct } from '../../src/settlement/may-act.ts';
import { refreshSuspension } from '../../src/settlement/readiness.ts';
import type { Model } from '../kit/unit/model.ts';
import type { Block } from '../kit/unit/synthetic-chain.ts';
import { follow } from './drain.ts';
import {
  isUsed,
  keysPaidOnce,
  learn,
  paymentsAreKnown,
  remember,
  requestsPaidOnce,
  rewardsSpentOnce,
  stateOf,
} from './known-again.ts';
import { LIES, type LieName } from './lies.ts';
import { nonceKey } from './losses.ts';
import { seededRandom } from './random.ts';
import { repeatAndCheck, repeatCall } from './repeats.ts';
import type { Tables } from './tables.ts';
import type { Copied, World } from './world.ts';

/** How a database is lost, and how its installation comes back. */
export type Loss = {
  /** What happens to the node's pool at that moment, in percent. */
  readonly share: number;
  readonly drop: number;
  /**
   * When games repeat their calls: before anybody has read anything; before what waits in a pool is mined; or later in the run, some of
   * them.
   */
  readonly repeats: 'first' | 'at once' | 'later';
  /** The copy before the newest one takes its place. */
  readonly older?: boolean;
  /** The operator resumes payments without reading the chain, and restores later. */
  readonly accepts?: boolean;
  /** The operator repairs the ledger, too, which finds nothing. */
  readonly repairs?: boolean;
  /** The restore ends at so many steps, and is run again; 0: it does not. */
  readonly endsAt?: number;
  /** Between two calls of a first restore, the node loses one, or reorganises its chain, as it does after a restore that ended. */
  readonly disturbedAt?: number;
  readonly reorganises?: boolean;
  /** The database is lost once more at that moment. */
  readonly again?: boolean;
  /** The node is away during the start. Games repeat their calls meanwhile. */
  readonly away?: boolean;
  /** Another process restores, and takes some of the repeated calls. */
  readonly second?: boolean;
  /** One of three endpoints does so, from the start until everything is restored. */
  readonly lies?: LieName | null;
  readonly seed: number;
};

const FOLLOW_EACH_MS = 20;
/** So often a start, or a restore, may end with an error because of what one endpoint says. */
const MOST_TRIES = 3;

/**
 * Throws the database away, starts again with a copy, and has the program restore what the chain knows. Checks what then has to be known,
 * and leaves a model of it: rows that only the lost database had are forgotten, and games claim their guests.
 */
export async function loseDatabase(world: World, loss: Loss, before: Tables): Promise<void> {
  const { chain, copies, losses } = world;
  const copy = (loss.older && copies[1]) || copies[0];
  // Without contracts a start waits for their deployment.
  if (!copy || chain.head.state.contracts.size < 2) return;
  remember(losses, before, world.model);
  chain.calm();
  chain.mine({ ...loss, random: seededRandom(loss.seed) });
  chain.forgetBlocked();
  const random = seededRandom(loss.seed);
  if (loss.lies) chain.lie(LIES[loss.lies], () => random.below(1_000) / 1_000);
  const lost = world.model;
  let services = await startFrom(world, copy, lost, loss);
  let wasSuspended = world.service.readiness.suspended;
  if (loss.endsAt && wasSuspended) {
    await endRestore(services.at(-1)!, loss);
    if (loss.reorganises) {
      reorganise(world, loss);
      await despiteLies(loss, () => follow(world.service));
    }
    if (loss.again) {
      services = await startFrom(world, copy, lost, loss);
      wasSuspended = world.service.readiness.suspended;
    }
    // It may have had fewer steps.
    for (const service of services) await refreshSuspension(service);
  }
  const restoring = services.at(-1)!;
  if (loss.disturbedAt && !loss.lies && world.service.readiness.suspended) await disturbRestore(world, services, loss);
  const isAccepted = loss.accepts && world.service.readiness.suspended;
  if (isAccepted) {
    await acceptSuspension(restoring);
    for (const service of services) await refreshSuspension(service);
    if (loss.repeats === 'first') await repeatCalls(world, services, loss.seed);
  }
  // An earlier restore may have left what was not mined.
  const isResumed = wasSuspended && !world.service.readiness.suspended;
  const waiting = await despiteLies(loss, () => restore(world, copy, isResumed ? copy.at : null, services));
  if (loss.repeats === 'first') await repeatCalls(world, services, loss.seed);
  await learn(world, lost, waiting > 0);
  if (loss.repeats === 'at once') await repeatCalls(world, services, loss.seed);
  if (waiting > 0) {
    const everything = { share: 100, drop: 0, random: seededRandom(loss.seed) };
    chain.mine(everything);
    chain.mine(everything);
    await despiteLies(loss, () => follow(world.service));
    await despiteLies(loss, () => restore(world, copy, copy.at, services));
    await learn(world, lost, false);
  }
  world.trust();
  if (loss.repairs) await repair(world, restoring);
  for (const key of await unknownOf(world)) {
    const decision = chain.head.state.decisions.get(key);
    if (decision?.kind !== 'used') losses.unpaid.add(key);
    if (decision?.kind === 'canceled') world.model.everFailed.add(losses.accepted.get(key)!.id);
  }
}

/** Starts processes on the copy. What callers know of the time since then is all that is left of it. */
async function startFrom(world: World, copy: Copied, lost: Model, loss: Loss): Promise<Service[]> {
  world.model = copy.model.copy();
  world.model.keyed.splice(0, Infinity, ...lost.keyed);
  for (const id of lost.everFailed) world.model.everFailed.add(id);
  world.chain.leave(loss.away === true);
  await world.startFromCopy(copy, loss.lies ? loss.seed % 3 : undefined);
  forgetGivenAnew(world, copy);
  if (loss.away) {
    await actInTheDark(world);
    world.chain.leave(false);
  }
  if (loss.away || loss.lies) await despiteLies(loss, () => attachToChain(world.service));
  await despiteLies(loss, () => follow(world.service));
  return [world.service, ...(loss.second ? [await world.startSecond()] : [])];
}

/** One whose lie was found out is not asked any more. */
async function despiteLies<T>({ lies }: Loss, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!lies || tries === MOST_TRIES || error instanceof assert.AssertionError) throw error;
    }
  }
}

/** Before the database was compared with the chain, nothing is paid, granted, decided or ended. */
async function actInTheDark({ service, model, read }: World): Promise<void> {
  const before = await read();
  for (const call of model.keyed) {
    await repeatCall(service, model, call).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
    });
  }
  assert.ok(!mayAct(service.readiness), 'the loops wait');
  const after = await read();
  const byId = (rows: readonly { readonly id: string }[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const known = new Set(before.requests.map(({ id }) => id));
  assert.deepEqual(byId(after.transfers), byId(before.transfers), 'nothing is paid');
  assert.deepEqual(byId(after.rewards), byId(before.rewards), 'nothing is granted');
  const decided = after.requests.filter(({ id }) => known.has(id));
  assert.deepEqual(byId(decided), byId(before.requests), 'nothing is decided');
}

/** The copy gives nonces anew that an earlier loss had taken away. */
function forgetGivenAnew({ losses: { places } }: World, { tables: { relayers } }: Copied): void {
  for (const { address, next_nonce } of relayers) {
    for (const place of places) {
      const [relayer, nonce] = place.split('/');
      if (relayer === address && Number(nonce) >= next_nonce) places.delete(place);
    }
  }
}

/** The transfers that were accepted once and that the database does not have. */
async function unknownOf({ losses, read }: World): Promise<string[]> {
  const known = new Set((await read()).transfers.map(nonceKey));
  return [...losses.accepted.keys()].filter((key) => !known.has(key));
}

/** The last block that the copy has of the chain as it is now; -1 if there is none. */
function lastShared({ chain }: World, { tables: { blocks } }: Copied): number {
  return Math.max(-1, ...blocks.filter(({ hash }) => chain.isCanonical(hash)).map(({ number }) => number));
}

/** Runs the program's restore in the last of these processes. Returns how many transactions still wait in the pool. */
async function restore(world: World, copy: Copied, since: Date | null, services: readonly Service[]): Promise<number> {
  const { service, chain } = world;
  if (!since && !service.readiness.suspended) {
    // What the copy had read itself is no longer news: a cancelled authorization, found by an earlier restore, has no transfer.
    const read = lastShared(world, copy);
    const lost = (await unknownOf(world)).filter((key) => (chain.head.state.decisions.get(key)?.block ?? -1n) > read);
    assert.deepEqual(lost, [], 'payments are suspended if the chain knows more');
    return 0;
  }
  // A service looks again and again. One look may have ended because two endpoints contradicted each other.
  await follow(service);
  return withoutWaiting(async (hurry) => {
    const report = await restoreFromChain(services.at(-1)!, since, hurry);
    assert.deepEqual(report.audit.differences, []);
    assert.ok(report.resumed);
    for (const one of services) await refreshSuspension(one);
    return report.waiting;
  });
}

/** Runs a restore that ends after so many steps. */
async function endRestore(service: Service, { endsAt = 0, lies }: Loss): Promise<void> {
  let step = 0;
  await withoutWaiting(async (hurry) => {
    const restoring = restoreFromChain(service, null, (what) => {
      hurry(what);
      if (++step >= endsAt) throw new Error('The restore was ended');
    });
    await restoring.catch((error: Error) => assert.match(error.message, lies ? /./ : /was ended/));
  });
}

/** Runs a restore while the node fails, or changes its mind. It may end with an error, and is to be run again. */
async function disturbRestore(world: World, services: readonly Service[], loss: Loss): Promise<void> {
  const { chain, service } = world;
  const { disturbedAt = 0, seed } = loss;
  if (loss.reorganises) chain.schedule(disturbedAt, () => reorganise(world, loss));
  else chain.loseCall(disturbedAt, seed % 2 === 0);
  const faultsBefore = chain.faults;
  try {
    await whileFollowing(service, () => withoutWaiting((hurry) => restoreFromChain(services.at(-1)!, null, hurry)));
  } catch (error) {
    if (error instanceof assert.AssertionError || chain.faults === faultsBefore) throw error;
  }
  chain.calm();
  await follow(service);
  for (const one of services) await refreshSuspension(one);
}

function reorganise({ chain }: World, loss: Loss): void {
  const depth = Math.min(1 + (loss.seed % 4), blocksAboveContracts(chain.head));
  chain.reorganise(depth, 1 + (loss.seed % 6), { ...loss, random: seededRandom(loss.seed) });
}

/** Without contracts nothing can be restored. */
function blocksAboveContracts(head: Block): number {
  let blocks = 0;
  for (let at = head; at.parent && at.parent.state.contracts.size === 2; at = at.parent) blocks++;
  return blocks;
}

/** The audit of a chain that was reorganised waits for the service. Nothing else follows here. */
async function whileFollowing<T>(service: Service, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const following = (async () => {
    // It fails as the node does.
    for (; !isOver; await delay(FOLLOW_EACH_MS)) await follow(service).catch(() => {});
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await following;
  }
}

/** What is not mined is waited for by the clock. */
async function withoutWaiting<T>(work: (hurry: (what: string) => void) => Promise<T>): Promise<T> {
  const now = performance.now.bind(performance);
  let ahead = 0;
  const clock = mock.method(performance, 'now', () => now() + ahead);
  try {
    return await work((what) => {
      if (what.startsWith('Waiting')) ahead += 60_000;
    });
  } finally {
    clock.mock.restore();
  }
}

/**
 * `quarters audit --repair` of all blocks. What a stranger submitted after the loss is undecided until somebody restores what was paid since.
 */
async function repair(world: World, service: Service): Promise<void> {
  const unknown = await unknownOf(world);
  const isLate = unknown.some((key) => world.chain.head.state.decisions.get(key)?.kind === 'used');
  const report = await auditAndRepair(service, service.chain.startBlock, {
    during: (_step, work) => work(() => {}),
    agree: async (plan) => {
      assert.deepEqual([plan.blocks.length, plan.accounts.length], [0, 0], 'there is nothing to repair');
      return true;
    },
    noteWithdrawn() {},
  });
  const differences = report!.differences.filter(({ kind }) => !(isLate && kind === 'undecided'));
  assert.deepEqual(differences, []);
}

/** All games and operators repeat all their calls, in any order. */
async function repeatCalls({ model, read }: World, services: readonly Service[], seed: number): Promise<void> {
  const random = seededRandom(seed);
  const calls = [...model.keyed];
  while (calls.length > 0) {
    const [call] = calls.splice(random.below(calls.length), 1);
    await repeatAndCheck(services[random.below(services.length)]!, model, call!, await read());
  }
}

/** At the end of a run, when everything was mined: each payment of ours is known, and none was made twice, whatever was lost. */
export async function assertLossesRepaired(world: World, tables: Tables): Promise<void> {
  const { losses, model, service } = world;
  if (losses.accepted.size === 0) return;
  remember(losses, tables, model);
  const state = stateOf(world, tables);
  const late = (await unknownOf(world)).filter((key) => losses.unpaid.has(key) && isUsed(state, key));
  // The audit names them, and the operator looks once more.
  const [copy] = world.copies;
  if (late.length > 0) await restore(world, copy!, world.copies.at(-1)!.at, [service]);
  paymentsAreKnown(await world.read(), losses, state);
  keysPaidOnce(losses, state, model);
  requestsPaidOnce(losses, state, model);
  rewardsSpentOnce(losses, state, model);
  assert.deepEqual((await auditLedger(service)).differences, []);
}
