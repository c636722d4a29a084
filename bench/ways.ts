/**
 * Measures the other ways to pay, beside the plain transfer of `transfers.ts`. Each group of them has a service, database and chain of its
 * own. Linux. Alone: `node bench/ways.ts`.
 */
import type { Claim, Effort, Figure } from './claim.ts';
import { perSecond } from './http-limit.ts';
import type { FlowData, FlowName, Payer, Person } from './load-flows.ts';
import type { LoadOrder } from './load-generator.ts';
import { openPayments, type Payments, settledPerSecond } from './payments.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const CONNECTIONS = 256;
/** So that the chain stays small. */
const SECONDS = 6;
const BULK_LINES = 100;
/** In bulk calls as many lines are on their way as in single calls elsewhere. */
const BULK_CONNECTIONS = 4;
const OWN_QUARTERS = 100_000;
/** What each player pays once, so that it can be refunded a quarter at a time. */
const FIRST_PAYMENT = 1_000;
/** Of three quarters two are the player's own, and earn the one that a reward pays next time. */
const REWARDED_QUARTERS = 3;

const SETTINGS = {
  AUTO_APPROVE_PER_TRANSFER: `${FIRST_PAYMENT}`,
  AUTO_APPROVE_PER_DAY: '1000000000',
  REWARDS_PER_USER_PER_DAY: '1000000000',
  REWARDS_PER_APP_PER_DAY: '1000000000',
};

type Scene = {
  readonly stage: Stage;
  readonly appId: string;
  readonly payer: Payer;
  readonly people: readonly Person[];
  readonly payments: Payments;
};

/** A flow with what it needs, and the quarters that each of its payments brings to the app. */
type Prepared<Name extends FlowName = FlowName> = {
  readonly flow: Name;
  readonly data: FlowData<Name>;
  readonly quarters: number;
  readonly connections?: number;
};

type Way = {
  readonly words: string;
  readonly target?: string;
  prepare(scene: Scene): Promise<Prepared> | Prepared;
};

/** What each group of ways shares: a service with these settings, and what is prepared for all of them. */
const GROUPS: readonly {
  readonly settings?: Readonly<Record<string, string>>;
  readonly begin?: (scene: Scene) => Promise<void>;
  readonly ways: readonly Way[];
}[] = [
  {
    ways: [
      {
        words: 'with Idempotency-Key',
        prepare: ({ payer }) => ({ flow: 'transferWithKey', data: payer, quarters: -1 }),
      },
      { words: 'key with a daily limit', prepare: payWithCappedKey },
      { words: `bulk, ${BULK_LINES} lines a call`, prepare: payInBulk },
    ],
  },
  {
    begin: fund,
    ways: [
      { words: 'requests, approved on our page', target: '≥ 1,200', prepare: (scene) => approve(scene, 1) },
      { words: 'refunds', prepare: refund },
      // Spending limits come from the payments that were refunded.
      { words: 'requests, auto-approved', prepare: (scene) => ({ ...approve(scene, 1), flow: 'autoApprove' }) },
    ],
  },
  {
    settings: { REWARD_SHARE_PERCENT: '50' },
    begin: fund,
    ways: [{ words: 'requests, a reward pays a part', prepare: spendRewards }],
  },
];

function payInBulk({ payer }: Scene): Prepared {
  return { flow: 'bulk', data: { ...payer, lines: BULK_LINES }, quarters: -1, connections: BULK_CONNECTIONS };
}

function approve({ appId, people }: Scene, quarters: number) {
  return { flow: 'approve', data: { appId, people, quarters }, quarters } as const;
}

async function payWithCappedKey({ stage, appId, payer }: Scene): Promise<Prepared> {
  const { secret } = await stage.command<{ secret: string }>(
    ...['apps', 'keys', 'issue', appId, '--scope', 'pay', '--pay-per-day', '1000000000', '--json'],
  );
  return { flow: 'transfer', data: { ...payer, serverKeys: [secret] }, quarters: -1 };
}

async function refund(scene: Scene): Promise<Prepared> {
  const requests = await payFirst(scene);
  return { flow: 'refund', data: { ...scene.payer, requests }, quarters: -1 };
}

async function spendRewards(scene: Scene): Promise<Prepared> {
  // Only full users get rewards. Signing up costs a mail and a password each, and is not what is measured.
  const { database } = scene.stage;
  await database.query(
    `UPDATE users SET kind = 'full', email = lower(id) || '@bench.example', email_verified = true WHERE id = ANY ($1)`,
    [scene.people.map(({ userId }) => userId)],
  );
  return approve(scene, REWARDED_QUARTERS);
}

/** Gives each player quarters to spend. */
async function fund({ stage, payer, people, payments }: Scene): Promise<void> {
  const lines = Math.min(BULK_LINES, people.length);
  const data = { ...payer, amount: OWN_QUARTERS, lines };
  const load = stage.load.run({ ...callsOf(stage, 'bulk', data), connections: 1, turns: people.length / lines });
  await payments.settle(load, -OWN_QUARTERS);
}

/** Each player approves one payment, and sets a spending limit. Resolves with the ids of the requests. */
async function payFirst(scene: Scene): Promise<readonly string[]> {
  const { stage, people, payments } = scene;
  const data = { ...approve(scene, FIRST_PAYMENT).data, limit: true };
  const calls = { ...callsOf(stage, 'approve', data), connections: 16, turns: people.length, keep: true };
  const { kept } = await payments.settle(stage.load.run(calls), FIRST_PAYMENT);
  return kept;
}

function callsOf<Name extends FlowName>({ port }: Stage, flow: Name, data: FlowData<Name>) {
  return { port, flow, data } satisfies Partial<LoadOrder<Name>>;
}

async function measureWay(
  scene: Scene,
  { words, target, prepare }: Way,
  { quick, seconds }: Effort,
): Promise<Figure[]> {
  const { stage, payments } = scene;
  const { flow, data, quarters, connections = CONNECTIONS } = await prepare(scene);
  const calls = { ...callsOf(stage, flow, data), connections };
  await payments.settle(stage.load.run({ ...calls, seconds: quick ? 1 : 3 }), quarters);
  const run = stage.load.run({ ...calls, seconds: Math.min(SECONDS, seconds) });
  const full = await payments.settle(run, quarters);
  const { cpu } = full;
  return [
    { name: 'settled', value: settledPerSecond(full), unit: '/s', ...(target && { target }) },
    { name: 'accepted', value: perSecond(full), unit: '/s' },
    { name: 'CPU of the service', value: cpu.service!, unit: 'ms' },
    { name: 'CPU of PostgreSQL', value: cpu.postgres!, unit: 'ms' },
    { name: 'CPU of the node', value: cpu.node!, unit: 'ms' },
  ].map((figure) => ({ ...figure, name: `${words}: ${figure.name}` }));
}

async function measureGroup({ settings, begin, ways }: (typeof GROUPS)[number], effort: Effort): Promise<Figure[]> {
  const stage = await startStage({ ...SETTINGS, ...settings });
  try {
    const { appId, people, ...payer } = await stage.createPayer(effort.quick ? 100 : 1_000);
    const payments = await openPayments(stage, appId);
    const scene = { stage, appId, payer, people, payments };
    await begin?.(scene);
    const figures: Figure[] = [];
    for (const way of ways) figures.push(...(await measureWay(scene, way, effort)));
    await payments.verify();
    return figures;
  } finally {
    await stage.stop();
  }
}

export const ways: Claim = {
  name: 'ways',
  title: 'The other ways to pay',
  method: `As single transfers above, over ${CONNECTIONS} connections, for at most ${SECONDS} seconds each. Bulk: ${BULK_CONNECTIONS} calls at a \
time. Refunds: one quarter each, of payments that players approved before. Approved on our page: three calls, as the game asks with the player's \
token, and the player opens the page and sends its form. Auto-approved: two calls, under the player's spending limit. Reward: two transfers in \
one transaction, after a first payment that earned it.`,
  async measure(effort) {
    const figures: Figure[] = [];
    for (const group of GROUPS) figures.push(...(await measureGroup(group, effort)));
    return figures;
  },
};

if (import.meta.main) await runAlone(ways);
