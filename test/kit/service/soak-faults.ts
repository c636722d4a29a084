import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../unit/crash-random.ts';
import type { Fault, FaultProxy } from '../unit/fault-proxy.ts';
import { HEADER_LIES, LOG_LIES, lieAbout, lieAboutHeaders } from '../unit/node-lies.ts';
import { rewrite } from './chain-rewrite.ts';
import type { KillPoint } from './crash-service.ts';
import { loseDatabase } from './soak-restore.ts';
import type { SoakStage } from './soak-stage.ts';

/** Resolves when it has struck and healed. What it says is for the log. */
type Strike = (stage: SoakStage, random: Random) => Promise<string>;

/** Of how many faults, of 100, it is the kind. */
export type SoakFault = { readonly name: string; readonly weight: number; readonly strike: Strike };

/** For so long a statement or a call is waited for that a fault strikes. Nothing depends on whether it comes. */
const COMES_WITHIN_MS = 2_000;
/** How many of each a process makes under load in about a second. */
const MOST: Readonly<Record<KillPoint['at'], number>> = {
  commit: 20,
  'statement in a transaction': 100,
  'statement alone': 50,
  'call of the chain': 15,
};
const DEEPEST = 6;
const MOST_CLOCK_MINUTES = 10;

const seatsOf = ({ services }: SoakStage) => services.map((_, seat) => seat);

async function kill(stage: SoakStage, seats: readonly number[]): Promise<void> {
  await Promise.all(seats.map((seat) => stage.services[seat]!.kill()));
}

const killOne: Strike = async (stage, random) => {
  const seat = random.pick(seatsOf(stage));
  const again = random.between(1, 4) === 1;
  const afterMs = random.between(0, 120);
  await kill(stage, [seat]);
  await stage.restart([seat]);
  if (!again) return `process ${seat}`;
  await pause(afterMs);
  await kill(stage, [seat]);
  await stage.restart([seat]);
  return `process ${seat}, and again after ${afterMs} ms`;
};

const killAll: Strike = async (stage) => {
  await kill(stage, seatsOf(stage));
  await stage.restart(seatsOf(stage));
  return 'all processes';
};

const killAtStatement: Strike = async (stage, random) => {
  const seat = random.pick(seatsOf(stage));
  const at = random.pick(Object.keys(MOST) as KillPoint['at'][]);
  const nth = random.between(1, MOST[at]);
  const point: KillPoint = { at, when: random.pick(['before', 'after']), match: '', nth };
  const doomed = stage.services[seat]!;
  await doomed.arm(point);
  const died = await Promise.race([doomed.exited.then(() => true), pause(COMES_WITHIN_MS, false)]);
  await doomed.kill();
  await stage.restart([seat]);
  return `process ${seat}, ${point.when} ${at} ${nth}${died ? '' : ', which did not come'}`;
};

/** Loses what is sent next, or its reply, several times. */
function losing(how: 'loseReplyTo' | 'cutAt', text: string): Strike {
  return async ({ gate }, random) => {
    const times = random.between(1, 4);
    const before = gate.cuts;
    for (let i = 0; i < times; i++) {
      await pause(random.between(0, 200));
      const cuts = gate.cuts;
      gate[how](text);
      for (let waited = 0; gate.cuts === cuts && waited < COMES_WITHIN_MS; waited += 10) await pause(10);
    }
    return `${gate.cuts - before} times`;
  };
}

const CALL_FAULTS: readonly Fault[] = [
  ...(['lose-call', 'lose-reply', 'duplicate', 'delay', 'http-429', 'http-500', 'not-json', 'wrong-shape'] as const),
  ...(['half-body', 'shuffle-replies', 'partial-replies', 'item-errors', 'hang'] as const),
];

/** For a while one endpoint or both do this. */
function throughEndpoints(disturb: (random: Random) => { what: string; begin(one: FaultProxy): void }): Strike {
  return async ({ endpoints }, random) => {
    const which = random.between(0, endpoints.length);
    const forMs = random.between(300, 1_500);
    const { what, begin } = disturb(random);
    const struck = which === endpoints.length ? endpoints : [endpoints[which]!];
    for (const one of struck) begin(one);
    await pause(forMs);
    for (const one of struck) {
      one.heal();
      one.lie(null);
      one.reachable = true;
    }
    return `${what} for ${forMs} ms, ${struck.length === 1 ? `endpoint ${which}` : 'both endpoints'}`;
  };
}

const badReplies = throughEndpoints((random) => {
  const [fault, percent] = [random.pick(CALL_FAULTS), random.pick([5, 20, 50, 100])];
  return { what: `${fault} ${percent} %`, begin: (one) => one.inject({ fault, rate: percent / 100 }) };
});

const lostBroadcasts = throughEndpoints((random) => {
  const fault = random.pick(['lose-call', 'lose-reply', 'duplicate'] as const);
  return {
    what: `${fault} of transactions`,
    begin: (one) => one.inject({ fault, method: 'eth_sendRawTransaction' }),
  };
});

const nodeAway = throughEndpoints(() => ({
  what: 'away',
  begin(one) {
    one.reachable = false;
  },
}));

/** One lies, the other is honest. */
const lies: Strike = async ({ endpoints }, random) => {
  const which = random.between(0, endpoints.length - 1);
  const isOfLogs = random.between(0, 1) === 0;
  const name = random.pick(Object.keys(isOfLogs ? LOG_LIES : HEADER_LIES));
  const forMs = random.between(500, 2_000);
  endpoints[which]!.lie(isOfLogs ? lieAbout(LOG_LIES[name]!) : lieAboutHeaders(name));
  await pause(forMs);
  endpoints[which]!.lie(null);
  return `endpoint ${which}, ${isOfLogs ? `${name} logs` : `falsifies ${name} of headers`}, for ${forMs} ms`;
};

const reorganise: Strike = async ({ chain }, random) => {
  const depth = random.between(1, DEEPEST);
  const keepsAll = random.between(0, 1) === 0;
  const chance = () => (keepsAll ? 1 - 2 ** -20 : random.between(0, 2 ** 20 - 1) / 2 ** 20);
  await chain.stopMining();
  const blocks = await chain.newestTransactions(depth);
  await chain.reorganise(depth, rewrite(blocks, chance));
  chain.startMining();
  return `${depth} blocks with ${blocks.flat().length} transactions, ${keepsAll ? 'all' : 'some'} of them mined again`;
};

const forgetPool: Strike = async ({ chain }) => {
  await chain.evm.rpc('anvil_dropAllTransactions');
  return 'all that waited';
};

const crashDatabase: Strike = async (stage, random) => {
  const { database } = stage;
  const forMs = random.between(0, 500);
  await database.kill();
  await pause(forMs);
  await database.start();
  stage.useDatabase(database);
  return `down for ${forMs} ms`;
};

const failOver: Strike = async (stage, random) => {
  const former = stage.database;
  const afterMs = random.between(0, 500);
  const standby = await former.copy();
  // What is acknowledged is on the standby.
  await former.waitFor('*');
  await pause(afterMs);
  await former.kill();
  await standby.promote();
  stage.useDatabase(standby);
  await former.remove();
  return `${afterMs} ms after the standby streamed`;
};

const moveClock: Strike = async (stage, random) => {
  const minutes = stage.services.map(() => random.between(-MOST_CLOCK_MINUTES, MOST_CLOCK_MINUTES));
  for (const [seat, ahead] of minutes.entries()) stage.moveClock(seat, ahead * 60_000);
  return `processes by ${minutes.join(' and ')} minutes`;
};

const moveChainClock: Strike = async ({ chain }, random) => {
  const seconds = random.between(1, 60);
  await chain.evm.rpc('evm_increaseTime', [seconds]);
  return `the chain by ${seconds} s`;
};

export const KILLS: readonly SoakFault[] = [
  { name: 'a process is killed', weight: 3, strike: killOne },
  { name: 'all processes are killed', weight: 1, strike: killAll },
];

/** All that can go wrong. The weights are their shares of 100. */
export const SOAK_FAULTS: readonly SoakFault[] = [
  { name: 'a process is killed', weight: 10, strike: killOne },
  { name: 'all processes are killed', weight: 4, strike: killAll },
  { name: 'a process is killed at a statement or call', weight: 19, strike: killAtStatement },
  { name: 'the reply to a COMMIT is lost', weight: 10, strike: losing('loseReplyTo', 'COMMIT\0') },
  { name: 'a COMMIT is lost', weight: 4, strike: losing('cutAt', 'COMMIT\0') },
  { name: 'a connection to the database is cut', weight: 4, strike: losing('cutAt', '') },
  { name: 'replies of a node are lost, late, doubled or wrong', weight: 12, strike: badReplies },
  { name: 'transactions on their way to a node are lost or doubled', weight: 6, strike: lostBroadcasts },
  { name: 'a node is away', weight: 3, strike: nodeAway },
  { name: 'a node lies', weight: 8, strike: lies },
  { name: 'the chain is reorganised', weight: 8, strike: reorganise },
  { name: 'a node forgets its pool', weight: 2, strike: forgetPool },
  { name: 'the database server is killed', weight: 2, strike: crashDatabase },
  { name: 'a standby takes over', weight: 2, strike: failOver },
  { name: 'the database is lost, and an older copy restored', weight: 2, strike: loseDatabase },
  { name: 'the clocks of processes are moved', weight: 3, strike: moveClock },
  { name: 'the clock of the chain is moved', weight: 1, strike: moveChainClock },
];

assert.equal(
  SOAK_FAULTS.reduce((sum, { weight }) => sum + weight, 0),
  100,
);
