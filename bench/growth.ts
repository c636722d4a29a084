/**
 * Measures the same payments with a million accounts and twenty million postings, and with ten thousand accounts: CPU, write-ahead
 * log, lists, and a start while many transfers are on their way. The chain is a recorded one. Linux. Alone: `node bench/growth.ts`;
 * ACCOUNTS and BACKLOG set the sizes.
 */
import { connectRpc } from '../src/chain/rpc.ts';
import type { BenchChain } from './chain.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { writeHistory } from './growth-history.ts';
import { measureLookup, type Pages, readPages } from './growth-profile.ts';
import { endProcess, nextMessage, startBenchProcess } from './load.ts';
import { openPayments, type Payments, settledPerSecond } from './payments.ts';
import { peakMegabytes } from './processor-time.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const POSTINGS_EACH = 20;
const CONNECTIONS = 256;
const FEW = 10_000;
/** Of checkpoints at full rate, at the `max_wal_size` of the embedded server. */
const CYCLE_SECONDS = 150;
const AFTER_CHECKPOINT_SECONDS = 3;

type RecordedChain = BenchChain & { readonly hold: (isHeld: boolean) => void };

/** A node that only records, in a process of its own. While it is held, it makes no block. */
async function startRecordedChain(): Promise<RecordedChain> {
  const node = startBenchProcess('recorded-node.ts');
  const url = `http://127.0.0.1:${await nextMessage<number>(node)}`;
  return {
    pid: node.pid!,
    url,
    rpc: connectRpc([url], { timeoutMs: 60_000 }),
    hold: (isHeld) => void node.send(isHeld ? 'hold' : 'release'),
    stop: () => endProcess(node),
  };
}

type Scene = {
  readonly stage: Stage;
  readonly chain: RecordedChain;
  readonly payments: Payments;
  readonly order: {
    readonly port: number;
    readonly flow: 'random';
    readonly data: { readonly address: string; readonly serverKeys: readonly string[]; readonly accounts: number };
    readonly connections: number;
  };
};

/** Figures by name, without words about the size. */
async function measureAt(accounts: number, effort: Effort): Promise<Figure[]> {
  let chain: RecordedChain | undefined;
  const startChain = async () => {
    chain = await startRecordedChain();
    return chain;
  };
  const stage = await startStage({}, { chain: startChain });
  try {
    const { appId, address, serverKeys } = await stage.createPayer(1);
    await writeHistory(stage.database, { appId, accounts, postingsEach: POSTINGS_EACH });
    const ready = await stage.restart();
    const payments = await openPayments(stage, appId);
    const order = {
      port: stage.port,
      flow: 'random',
      data: { address, serverKeys, accounts },
      connections: CONNECTIONS,
    } as const;
    const scene = { stage, chain: chain!, payments, order };
    const figures = [
      ...(await measurePayments(scene, effort)),
      ...(await measureWal(scene)),
      ...(await measureLists(scene, effort)),
      { name: 'start: ready after', value: ready / 1000, unit: 's' },
      ...(await measureRestart(scene, effort)),
    ];
    await payments.stop();
    return figures;
  } finally {
    await stage.stop();
  }
}

const WHY_SLOWER = 'Pages that are logged whole after the checkpoint, and lookups that miss the processor’s caches.';

/** From one checkpoint on, about as long as until the next: most pages are logged whole once. */
async function measurePayments({ stage, payments, order }: Scene, effort: Effort): Promise<Figure[]> {
  await payments.settle(stage.load.run({ ...order, seconds: effort.quick ? 3 : 5 }));
  await stage.database.query('CHECKPOINT');
  const before = await readPages(stage.database);
  const full = await payments.settle(stage.load.run({ ...order, seconds: effort.quick ? 5 : CYCLE_SECONDS }));
  const pages = await readPages(stage.database);
  const each = (name: keyof Pages) => (pages[name] - before[name]) / full.accepted;
  const { cpu, wal } = full;
  return [
    { name: 'settled', value: settledPerSecond(full), unit: '/s', target: '≥ 90 %', whyMissed: WHY_SLOWER },
    { name: 'CPU of PostgreSQL', value: cpu.postgres!, unit: 'ms', target: '≤ 115 %', whyMissed: WHY_SLOWER },
    { name: 'CPU of the service', value: cpu.service!, unit: 'ms' },
    { name: 'WAL', value: wal, unit: 'kB', target: '≤ 110 %', whyMissed: WHY_SLOWER },
    { name: 'pages that a transfer touches', value: each('touched'), unit: '' },
    { name: 'of them read into the buffers', value: each('read'), unit: '' },
    { name: 'of them logged whole', value: each('logged'), unit: '' },
    { name: 'pages that autovacuum touches for a transfer', value: each('vacuumed'), unit: '' },
    {
      name: 'CPU of finding an account at random',
      value: await measureLookup(stage.database, effort.quick ? 20_000 : 200_000),
      unit: 'µs',
    },
  ];
}

/** Just after a checkpoint each page that is changed for the first time is written whole. */
async function measureWal({ stage, payments, order }: Scene): Promise<Figure[]> {
  const figures: Figure[] = [];
  const name = new URL(stage.databaseUrl).pathname.slice(1);
  for (const compression of ['off', 'on']) {
    // Unlike the server's own setting, that of a database can be changed whatever the server was started with. It is for new sessions.
    await stage.database.query(`ALTER DATABASE ${name} SET wal_compression = ${compression}`);
    await stage.restart();
    await stage.database.query('CHECKPOINT');
    const { wal, cpu } = await payments.settle(stage.load.run({ ...order, seconds: AFTER_CHECKPOINT_SECONDS }));
    const words = `just after a checkpoint, wal_compression ${compression}`;
    figures.push({ name: `WAL ${words}`, value: wal, unit: 'kB' });
    figures.push({ name: `CPU of PostgreSQL ${words}`, value: cpu.postgres!, unit: 'ms' });
  }
  await stage.database.query(`ALTER DATABASE ${name} RESET wal_compression`);
  return figures;
}

async function measureLists({ stage, order }: Scene, effort: Effort): Promise<Figure[]> {
  const { address, serverKeys } = order.data;
  const figures: Figure[] = [];
  for (const path of [
    '/v1/requests?limit=50',
    '/v1/requests?limit=50&status=completed',
    '/v1/transfers?limit=50',
    `/v1/events?limit=50`,
    `/v1/accounts/${address}/balance`,
  ]) {
    const data = { paths: [path], tokens: serverKeys };
    const { p99 } = await stage.load.run({
      ...{ port: order.port, flow: 'read', data, connections: 2, seconds: effort.quick ? 1 : 3 },
    });
    figures.push({ name: `GET ${path.replace(address, '{address}')}: p99`, value: p99, unit: 'ms', target: '≤ 20' });
  }
  return figures;
}

/** Kills the service while transfers are on their way that no block has yet, and starts it again. */
async function measureRestart({ stage, chain, payments, order }: Scene, { quick }: Effort): Promise<Figure[]> {
  const backlog = Number(process.env.BACKLOG ?? (quick ? 2_000 : 100_000));
  let ready = 0;
  const interrupted = async () => {
    chain.hold(true);
    const load = await stage.load.run({ ...order, turns: backlog });
    ready = await stage.restart();
    chain.hold(false);
    return load;
  };
  await payments.settle(interrupted());
  const words = `start with ${backlog.toLocaleString('en')} transfers on their way`;
  return [
    { name: `${words}: ready after`, value: ready / 1000, unit: 's', target: '≤ 5' },
    {
      name: `${words}: memory until all are settled`,
      value: peakMegabytes(stage.servicePid()),
      unit: 'MB',
      target: '≤ 512',
    },
  ];
}

async function measureGrowth(effort: Effort): Promise<Figure[]> {
  const accounts = Number(process.env.ACCOUNTS ?? 1_000_000);
  const few = new Map((await measureAt(FEW, effort)).map(({ name, value }) => [name, value]));
  const many = await measureAt(accounts, effort);
  return many.map((figure) => ({
    ...figure,
    name: `${accounts.toLocaleString('en')} accounts: ${figure.name}`,
    limit: { name: `with ${FEW.toLocaleString('en')} accounts`, value: few.get(figure.name)! },
  }));
}

export const growth: Claim = {
  name: 'growth',
  title: 'Growth',
  method: `The history is written as rows: ${POSTINGS_EACH} postings for each account, and for one payment of each a request, a transfer, a \
transaction and an event. One app then pays users chosen at random, over ${CONNECTIONS} connections. The node only records, because a real one \
computes over its whole state. Payments go on for ${CYCLE_SECONDS} s from a checkpoint on. The \
start begins with kill -9, while no block is made.`,
  measure: measureGrowth,
};

if (import.meta.main) await runAlone(growth);
