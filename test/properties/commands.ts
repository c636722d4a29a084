import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Problem } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { grantEarned } from '../../src/features/rewards/grant-earned.ts';
import { expireRequests } from '../../src/jobs/chore-loops.ts';
import { pruneBlocksBelow } from '../../src/ledger/blocks.ts';
import { suspectStranded } from '../../src/settlement/readiness.ts';
import { replaceLowest } from '../../src/settlement/replace.ts';
import { forgetOldNonces } from '../../src/settlement/tables/nonces.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { freeze, resume, suspend, unfreeze } from '../kit/service/stopping.ts';
import { letRequestExpire } from '../rows/requests.ts';

import { type Act, expectedRefusal, type KeyedAct, perform, pick } from './acts.ts';
import { broadcastAll, followOnce, letTimePass, recover } from './drain.ts';

import { assertCovered, assertInvariants, isOpen } from './invariants.ts';
import { LIES, type LieName } from './lies.ts';
import { type Loss, loseDatabase } from './lost-database.ts';
import { seededRandom } from './random.ts';
import { isFrozen, refusedForWant } from './refusals.ts';
import { digest, type Tables } from './tables.ts';
import { addApp, addGuest, type World } from './world.ts';

/** One step of a run. It is plain data, so a printed failure can be run again. */
export type Command =
  | Act
  | { readonly act: 'together'; readonly acts: readonly Act[] }
  | { readonly act: 'guest'; readonly app: number }
  | { readonly act: 'app'; readonly autoApprove: boolean }
  | { readonly act: 'issue'; readonly to: number; readonly amount: number }
  | { readonly act: 'broadcast' | 'replace' | 'follow' | 'recover' | 'grant earned'; readonly by: 'one' | 'both' }
  | {
      readonly act: 'mine';
      readonly blocks: number;
      readonly share: number;
      readonly drop: number;
      readonly seed: number;
    }
  | (Reorganisation & { readonly act: 'reorganise' })
  | (Reorganisation & { readonly act: 'reorganise during'; readonly calls: number })
  | { readonly act: 'lose a call'; readonly after: number; readonly replyLost: boolean }
  | { readonly act: 'deposit'; readonly to: number; readonly amount: number }
  | { readonly act: 'stranger submits'; readonly transfers: readonly number[] }
  | { readonly act: 'stranger cancels'; readonly transfer: number }
  | { readonly act: 'operator cancels'; readonly transfer: number; readonly onItsWay: boolean }
  | { readonly act: 'nonce taken'; readonly relayer: number }
  | { readonly act: 'pause'; readonly paused: boolean }
  /** The operator freezes a guest or suspends an app, or lifts that. */
  | { readonly act: 'stop'; readonly what: 'guest' | 'app'; readonly at: number; readonly isStopped: boolean }
  | { readonly act: 'run out of time'; readonly request: number }
  | { readonly act: 'clock' | 'later' | 'restart' }
  | { readonly act: 'zombie pays'; readonly guest: number; readonly amount: number }
  | { readonly act: 'prune'; readonly keep: number }
  /** A copy of the database is taken, in place of an earlier one. */
  | { readonly act: 'copy' }
  | (Loss & { readonly act: 'lose' });

type Reorganisation = {
  readonly depth: number;
  readonly blocks: number;
  readonly share: number;
  readonly drop: number;
  readonly seed: number;
};

const small = fc.nat({ max: 9 });
const amount = fc.integer({ min: 1, max: 250 });
const by = fc.constantFrom('one', 'both');
const seed = fc.nat({ max: 999 });
const percent = (...values: number[]) => fc.constantFrom(...values);
const is = <const T extends string>(act: T) => fc.constant(act);

const keyed = fc.boolean();
const ask = fc.record({ act: is('ask'), guest: small, amount, byServer: fc.boolean(), keyed });
const approve = fc.record({ act: is('approve'), request: small, mandate: fc.boolean() });
const decline = fc.record({ act: is('decline'), request: small });
const auto = fc.record({ act: is('auto'), request: small, byServer: fc.boolean(), keyed });
const cancel = fc.record({ act: is('cancel'), request: small, keyed });
const refund = fc.record({
  act: is('refund'),
  request: small,
  amount: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 })),
  keyed,
});
const pay = fc.record({ act: is('pay'), guest: small, amount, keyed, byAddress: fc.boolean() });
const repeat = fc.record({ act: is('repeat'), payment: small });
const spend = fc.record({ act: is('spend'), guest: small, amount, keyed });
const grant = fc.record({ act: is('grant'), guest: small, amount, key: fc.nat({ max: 99 }) });
const lines = fc.array(fc.record({ guest: small, amount: fc.integer({ min: 1, max: 90 }) }), {
  minLength: 1,
  maxLength: 4,
});
/** Calls that always have a key, and forms. */
const keyedAct: fc.Arbitrary<KeyedAct> = fc.oneof(
  fc.record({ act: is('guest with a key'), app: small }),
  fc.record({ act: is('tokens'), guest: small }),
  fc.record({ act: is('pay many'), app: small, lines }),
  fc.record({ act: is('issue with a key'), to: small, amount, byForm: fc.boolean() }),
  fc.record({ act: is('test quarters'), app: small }),
  fc.record({ act: is('refund in the console'), request: small, amount: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ act: is('withdraw'), guest: small, amount: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ act: is('pay a file'), app: fc.option(small), rows: lines }),
);
const act: fc.Arbitrary<Act> = fc.oneof(
  { arbitrary: keyedAct, weight: 5 },
  { arbitrary: ask, weight: 3 },
  { arbitrary: approve, weight: 5 },
  { arbitrary: decline, weight: 1 },
  { arbitrary: auto, weight: 2 },
  { arbitrary: cancel, weight: 1 },
  { arbitrary: refund, weight: 4 },
  { arbitrary: pay, weight: 5 },
  { arbitrary: repeat, weight: 2 },
  { arbitrary: spend, weight: 6 },
  { arbitrary: grant, weight: 3 },
);

const reorganisation = {
  depth: fc.oneof({ arbitrary: fc.integer({ min: 1, max: 6 }), weight: 5 }, { arbitrary: fc.constant(99), weight: 1 }),
  blocks: fc.nat({ max: 8 }),
  share: percent(0, 50, 80, 100),
  drop: percent(0, 0, 20, 100),
  seed,
};

const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

export const copy: fc.Arbitrary<Command> = fc.record({ act: is('copy') });

const lie: fc.Arbitrary<LieName> = fc.constantFrom(...(Object.keys(LIES) as LieName[]));

/** The database is lost, and the copy takes its place. */
export const lose: fc.Arbitrary<Command> = fc.record({
  act: is('lose'),
  share: percent(0, 50, 100, 100),
  drop: percent(0, 0, 50, 100),
  repeats: fc.constantFrom('first', 'at once', 'later'),
  older: fc.constantFrom(false, false, true),
  accepts: fc.constantFrom(false, false, false, true),
  repairs: fc.constantFrom(false, false, true),
  endsAt: fc.constantFrom(0, 0, 1, 2, 3, 4, 5, 6),
  again: fc.boolean(),
  away: fc.constantFrom(false, false, false, true),
  disturbedAt: fc.constantFrom(0, 0, 0, 1, 3, 6, 10, 20, 40),
  reorganises: fc.boolean(),
  second: fc.boolean(),
  lies: fc.oneof(fc.constant(null), lie),
  seed,
});

export const command: fc.Arbitrary<Command> = fc.oneof(
  weighted(16, act),
  weighted(6, fc.record({ act: is('together'), acts: fc.array(act, { minLength: 2, maxLength: 7 }) })),
  weighted(1, fc.record({ act: is('guest'), app: small })),
  weighted(1, fc.record({ act: is('app'), autoApprove: fc.boolean() })),
  weighted(2, fc.record({ act: is('issue'), to: small, amount })),
  weighted(8, fc.record({ act: is('broadcast'), by })),
  weighted(
    10,
    fc.record({
      act: is('mine'),
      blocks: fc.integer({ min: 1, max: 3 }),
      share: percent(50, 80, 100, 100),
      drop: percent(0, 0, 0, 20),
      seed,
    }),
  ),
  weighted(10, fc.record({ act: is('follow'), by })),
  weighted(7, fc.record({ act: is('recover'), by })),
  weighted(3, fc.record({ act: is('replace'), by })),
  weighted(4, fc.record({ act: is('grant earned'), by })),
  weighted(4, fc.record({ act: is('reorganise'), ...reorganisation })),
  weighted(2, fc.record({ act: is('reorganise during'), calls: small, ...reorganisation })),
  weighted(2, fc.record({ act: is('lose a call'), after: small, replyLost: fc.boolean() })),
  weighted(2, fc.record({ act: is('deposit'), to: small, amount })),
  weighted(2, fc.record({ act: is('stranger submits'), transfers: fc.array(small, { minLength: 1, maxLength: 3 }) })),
  weighted(1, fc.record({ act: is('stranger cancels'), transfer: small })),
  weighted(2, fc.record({ act: is('operator cancels'), transfer: small, onItsWay: fc.boolean() })),
  weighted(2, fc.record({ act: is('nonce taken'), relayer: small })),
  weighted(1, fc.record({ act: is('pause'), paused: fc.boolean() })),
  weighted(
    2,
    fc.record({
      act: is('stop'),
      what: fc.constantFrom('guest', 'app'),
      at: small,
      isStopped: fc.constantFrom(true, false, false),
    }),
  ),
  weighted(2, fc.record({ act: is('run out of time'), request: small })),
  weighted(5, fc.record({ act: fc.constantFrom('clock', 'later', 'later', 'restart', 'restart') })),
  weighted(3, fc.record({ act: is('zombie pays'), guest: small, amount })),
  weighted(1, fc.record({ act: is('prune'), keep: small })),
);

/**
 * Runs one command and checks every invariant after it. `before`: the current tables. Returns the tables afterwards.
 */
export async function step(world: World, next: Command, before: Tables): Promise<Tables> {
  const payers = new Set<string>();
  const unchanged = await execute(world, next, before, payers);
  const after = await world.read();
  for (const { id, status } of after.transfers) if (status === 'failed') world.model.everFailed.add(id);
  if (unchanged) assert.equal(digest(after), digest(before), 'a refusal changes nothing');
  assertInvariants(after, world);
  assertCovered(after, payers);
  return after;
}

/** Returns true if it must have changed nothing. */
async function execute(world: World, next: Command, before: Tables, payers: Set<string>): Promise<boolean> {
  const { service, chain, model } = world;
  const everyone = () => model.apps.map((app) => app.address).concat(model.guests.map((guest) => guest.address));
  switch (next.act) {
    case 'together': {
      const results = await Promise.all(next.acts.map((single) => perform(service, model, single)));
      for (const { payer } of results) if (payer) payers.add(payer);
      return false;
    }
    case 'guest': {
      const app = pick(model.apps, next.app)!;
      const adding = addGuest(service, model, app);
      if (isFrozen(before, app)) {
        await assert.rejects(adding, { code: 'app-suspended' });
        return true;
      }
      await adding;
      return false;
    }
    case 'app':
      model.apps.push(await addApp(service, next.autoApprove));
      return false;
    case 'issue': {
      const recipient = pick(everyone(), next.to)!;
      const treasury = before.accounts.find(({ kind }) => kind === 'treasury')!;
      const issuing = issueQuarters(service, { recipient, amount: asQuarters(next.amount) });
      const code = refusedForWant(before, treasury.address, next.amount);
      if (code) {
        await assert.rejects(issuing, { code });
        return true;
      }
      const { transferId } = await issuing;
      model.promise(transferId, { requestId: null, from: treasury.address, to: recipient, amount: next.amount });
      payers.add(treasury.address);
      return false;
    }
    case 'broadcast':
      await inEach(world, next.by, broadcastAll);
      return false;
    case 'replace':
      await inEach(world, next.by, async (process) => {
        for (const relayer of process.settlement.leases) await replaceLowest(process, relayer);
      });
      return false;
    case 'follow':
      await inEach(world, next.by, followOnce);
      return false;
    case 'recover':
      await inEach(world, next.by, recover);
      return false;
    case 'grant earned':
      await inEach(world, next.by, grantEarned);
      return false;
    case 'mine':
      for (let i = 0; i < next.blocks; i++) chain.mine({ ...next, random: seededRandom(next.seed + i) });
      return false;
    case 'reorganise':
      chain.reorganise(next.depth, next.blocks, { ...next, random: seededRandom(next.seed) });
      return false;
    case 'reorganise during':
      chain.schedule(next.calls, () =>
        chain.reorganise(next.depth, next.blocks, { ...next, random: seededRandom(next.seed) }),
      );
      return false;
    case 'lose a call':
      chain.loseCall(next.after, next.replyLost);
      return false;
    case 'deposit':
      chain.deposit(pick([...everyone(), `0x${'ab'.repeat(20)}`], next.to)!, BigInt(next.amount));
      return false;
    case 'stranger submits': {
      const chosen = next.transfers.flatMap((at) => pick(before.transfers, at) ?? []);
      chain.submitAuthorizations(
        chosen.map(({ authorization_nonce, from_address, to_address, amount }) => ({
          from: from_address,
          to: to_address,
          amount: BigInt(amount),
          nonce: authorization_nonce,
        })),
      );
      return false;
    }
    case 'stranger cancels': {
      const transfer = pick(before.transfers, next.transfer);
      if (transfer) chain.cancelAuthorization(transfer.from_address, transfer.authorization_nonce);
      return false;
    }
    case 'operator cancels': {
      const open = before.transfers.filter(isOpen);
      const transfer = pick(next.onItsWay ? open : before.transfers, next.transfer);
      if (!transfer) return false;
      const refusal = await cancelTransfer(service, transfer.id).catch((error: unknown) => error);
      if (!(refusal instanceof Error)) return false;
      assert.ok(refusal instanceof Problem && refusal.code === 'request-decided', String(refusal));
      return true;
    }
    case 'nonce taken':
      // Taking the deployer's first nonces would make the contracts impossible, beyond any repair.
      if (chain.head.state.contracts.size === 2) chain.takeNonce(pick(before.relayers, next.relayer)!.address);
      return false;
    case 'pause':
      chain.pause(next.paused);
      return false;
    case 'stop': {
      const { what, at, isStopped } = next;
      const [guest, app] = [pick(model.guests, at), pick(model.apps, at)];
      if (what === 'guest' && guest) await (isStopped ? freeze : unfreeze)(service, guest.userId);
      if (what === 'app' && app) await (isStopped ? suspend : resume)(service, app.id);
      return false;
    }
    case 'run out of time': {
      const request = pick(model.requests, next.request);
      if (request) await letRequestExpire(service.db, request.id);
      return false;
    }
    case 'clock':
      await expireRequests(service, 1000);
      return false;
    case 'later':
      await letTimePass(service);
      suspectStranded(service);
      return false;
    case 'restart':
      await world.restart();
      return false;
    case 'zombie pays': {
      // A process that has lost its relayers may still take their nonces, because they come from the row.
      const { guest, amount } = next;
      return world.zombie ? decideIn(world, world.zombie, { act: 'pay', guest, amount }, before, payers) : true;
    }
    case 'copy':
      await world.takeCopy();
      return false;
    case 'lose':
      await loseDatabase(world, next, before);
      return false;
    case 'prune': {
      // As the chores prune: downwards from the cursor, which itself always stays.
      const newest = Math.max(...before.blocks.map(({ number }) => number));
      if (before.blocks.length === 0) return false;
      const kept = BigInt(newest - next.keep);
      await service.db.transaction((tx) => pruneBlocksBelow(tx, kept, 1_000));
      await service.db.transaction((tx) => forgetOldNonces(tx, kept));
      return false;
    }
    default:
      return decideIn(world, service, next, before, payers);
  }
}

async function decideIn(
  { model }: World,
  process: World['service'],
  act: Act,
  before: Tables,
  payers: Set<string>,
): Promise<boolean> {
  const expected = expectedRefusal(before, model, act);
  const { refused, payer } = await perform(process, model, act);
  if (expected !== undefined) assert.equal(refused, expected, `the answer to ${act.act}`);
  if (payer) payers.add(payer);
  // A payment that is refused leaves the request it made. So do forms leave what they were about.
  return refused !== null && act.act !== 'spend' && expected !== undefined && !isRepeatOfForm(model, act);
}

/** What an operator asks for is recorded, however it ends. */
function isRepeatOfForm(model: World['model'], act: Act): boolean {
  return act.act === 'repeat' && pick(model.keyed, act.payment)?.kind !== 'pay';
}

/**
 * A loop's work in this process, or in this one and its predecessor at once. Errors that a loop survives are survived
 * here.
 */
async function inEach(
  { chain, service, zombie }: World,
  by: 'one' | 'both',
  work: (service: World['service']) => Promise<unknown>,
): Promise<void> {
  const faultsBefore = chain.faults;
  const services = by === 'both' && zombie ? [service, zombie] : [service];
  const results = await Promise.allSettled(services.map(work));
  for (const result of results) {
    // Without contracts, the node refuses to call them.
    const isExpected = chain.faults > faultsBefore || chain.head.state.contracts.size < 2;
    if (result.status === 'rejected' && !isExpected) throw result.reason;
  }
}
