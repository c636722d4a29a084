/**
 * Fills a database with an economy of 100,000 players, 20 apps and a year, and measures how fast the ledger is counted into its figures,
 * how fast these are read, and every page of the operators' console. Linux. Alone: `node bench/economy.ts`. Options: `--postings 20000000`
 * (2,000,000), `--quick`; `--keep` lets the service run on the filled database until Ctrl-C, to look at it.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { readSettings } from '../src/config/read-settings.ts';
import { type Database, openDatabase } from '../src/db/database.ts';
import { connect } from '../src/process/connect.ts';
import { houseOf } from '../src/service/house.ts';
import { PURPOSES } from '../src/settlement/purpose.ts';
import { replaceIndexPlaceholders } from '../src/settlement/tables/block-index.ts';
import { PERIOD_KINDS, periodAt, periodBefore } from '../src/wings/economy/base/periods.ts';
import { noteEconomy } from '../src/wings/economy/features/note-accounts.ts';
import { type Bite, countBite } from '../src/wings/economy/store/count-bite.ts';
import { lockEconomy, readEconomyCursor, setWhole } from '../src/wings/economy/store/cursor.ts';
import { startOver } from '../src/wings/economy/store/undo.ts';
import { readAppFlows, readEconomy } from '../src/wings/economy/views/read-economy.ts';
import { WINGS } from '../src/wings.ts';
import { addOperator } from '../test/kit/service/operator-acts.ts';
import { storePasskey } from '../test/kit/service/passkey.ts';
import { createPerson } from '../test/kit/service/people.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { measureConsole } from './console-pages.ts';
import { writeEconomy } from './economy-history.ts';
import { openPayments, settledPerSecond } from './payments.ts';
import { processorTimeBetween } from './processor-time.ts';
import { measureClaims } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const BITE = 20_000;
/** How often a running service looks for new postings. */
const LOOK_SECONDS = 15;
/** The postings of the last day are counted as a running service does. */
const BUSY_DAY = 40_000;
const FINAL_AFTER = 64;
/** Nothing is final: each bite keeps how to take it back. */
const NEVER_FINAL = 10 ** 12;

const options = { postings: 0, keep: false };

async function measureEconomy(most: number, effort: Effort): Promise<Figure[]> {
  const postings = options.postings || (effort.quick ? 50_000 : most);
  const busyDay = effort.quick ? BUSY_DAY / 2 : BUSY_DAY;
  const size = { postings, busyDay, players: Math.min(100_000, postings / 4), apps: 20 };
  const stage = await startStage({ INITIAL_SUPPLY: '100000000000' });
  const db = openDatabase(stage.databaseUrl, { maxConnections: 4 });
  try {
    const transfer = await measureTransfer(stage, effort);
    // While it stands still, nobody else counts.
    await stopBetweenTransactions(stage);
    const began = performance.now();
    await writeEconomy({ database: stage.database, url: stage.databaseUrl }, size, (text) =>
      console.error(`  ${text}`),
    );
    const filled = (performance.now() - began) / 1000;
    // Filling may cancel autovacuum in its work. A running service mends what that leaves within an hour.
    await replaceIndexPlaceholders(db);
    // The service has counted the first transfers as of now. Times never go back, so the whole year would count as of now too.
    await db.transaction(startOver);
    const counted = await measureCounting(stage, db, { transfer, busyDay });
    const figures = [
      ...counted,
      ...(await measureReading(db)),
      ...(await measurePages(stage)),
      { name: 'filling the database took', value: filled, unit: 's' },
    ];
    if (options.keep) await keep(stage);
    return figures;
  } finally {
    await db.close();
    await stage.stop();
  }
}

/** Stops the service where it holds no lock. */
async function stopBetweenTransactions({ database, servicePid }: Stage): Promise<void> {
  for (;;) {
    process.kill(servicePid(), 'SIGSTOP');
    const { rows } = await database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
    );
    if (rows.length === 0) return;
    process.kill(servicePid(), 'SIGCONT');
    await delay(20);
  }
}

/** Processor time of a transfer in this run, of service and PostgreSQL. */
type Transfer = { readonly microseconds: number; readonly perSecond: number };

async function measureTransfer(stage: Stage, effort: Effort): Promise<Transfer> {
  const { appId, ...payer } = await stage.createPayer(50);
  const payments = await openPayments(stage, appId);
  const order = { port: stage.port, flow: 'transfer', data: payer, connections: 64 } as const;
  await payments.settle(stage.load.run({ ...order, seconds: 2 }));
  const settled = await payments.settle(stage.load.run({ ...order, seconds: effort.quick ? 3 : 8 }));
  await payments.stop();
  const { service, postgres } = settled.cpu;
  return { microseconds: (service! + postgres!) * 1000, perSecond: settledPerSecond(settled) };
}

const WHY_MORE =
  'In 15 seconds most payers pay once. Half of the time goes to finding and writing two rows for each of them, in their app and in all.';

async function measureCounting(
  stage: Stage,
  db: Database,
  { transfer, busyDay }: { readonly transfer: Transfer; readonly busyDay: number },
): Promise<Figure[]> {
  const { rows } = await stage.database.query<{ count: string }>('SELECT count(*) AS count FROM postings');
  const most = Number(rows[0]!.count);
  const old = await count(stage, db, { most: BITE, finalAfter: FINAL_AFTER }, (done) => done < most - busyDay);
  const found = Math.ceil(transfer.perSecond * LOOK_SECONDS);
  const live = await count(stage, db, { most: found, finalAfter: NEVER_FINAL }, () => true);
  if (!(await noteEconomy({ db }))) throw new Error('What was counted differs from the accounts.');
  return [
    { name: `counting ${most.toLocaleString('en')} postings`, value: old.postings / old.seconds, unit: '/s' },
    {
      name: 'CPU of one posting',
      value: old.microseconds,
      unit: 'µs',
      limit: { name: 'of one transfer', value: transfer.microseconds },
    },
    {
      name: 'CPU of one posting, as many as 15 seconds of transfers at once, not final',
      value: live.microseconds,
      unit: 'µs',
      limit: { name: 'of one transfer', value: transfer.microseconds },
      target: '≤ 3 %',
      whyMissed: WHY_MORE,
    },
    { name: 'longest transaction', value: old.longest, unit: 'ms' },
  ];
}

type Counted = {
  readonly postings: number;
  readonly seconds: number;
  readonly microseconds: number;
  readonly longest: number;
};

/** Counts while `goesOn`, given how many postings are counted, or until nothing is left. */
async function count(
  stage: Stage,
  db: Database,
  limits: { readonly most: number; readonly finalAfter: number },
  goesOn: (done: number) => boolean,
): Promise<Counted> {
  const [before, own, began] = [stage.processorTime(), process.cpuUsage(), performance.now()];
  let [postings, longest, isMore] = [0, 0, true];
  while (isMore && goesOn(postings)) {
    const start = performance.now();
    const bite: Bite | null = await db.transaction(async (tx) => {
      if (!(await lockEconomy(tx))) throw new Error('Another process is counting.');
      const counted = await countBite(tx, await readEconomyCursor(tx), limits, PURPOSES);
      if (counted && !counted.isMore) await setWhole(tx, counted.head!);
      return counted;
    });
    if (!bite) throw new Error('The cursor is lost.');
    postings += bite.postings;
    longest = Math.max(longest, performance.now() - start);
    isMore = bite.isMore;
  }
  const { user, system } = process.cpuUsage(own);
  const { postgres } = processorTimeBetween(before, stage.processorTime());
  const seconds = (performance.now() - began) / 1000;
  return { postings, seconds, longest, microseconds: (postgres! * 1000 + user + system) / postings };
}

async function measureReading(db: Database): Promise<Figure[]> {
  const now = new Date();
  const readings: [string, () => Promise<unknown>][] = PERIOD_KINDS.flatMap((kind) => {
    const current = periodAt(kind, now);
    return [
      [`this ${kind}`, () => readEconomy({ reads: db }, current, now)],
      [`the ${kind} before`, () => readEconomy({ reads: db }, periodBefore(current), now)],
    ] as [string, () => Promise<unknown>][];
  });
  const { from, until } = periodBefore(periodAt('month', now));
  readings.push(["a month of all apps' accounts", () => readAppFlows({ reads: db }, from, until)]);
  const figures: Figure[] = [];
  for (const [name, read] of readings) {
    const times: number[] = [];
    for (let i = 0; i < 6; i++) {
      const began = performance.now();
      await read();
      times.push(performance.now() - began);
    }
    // The first one also prepares its statements.
    figures.push({ name: `reading ${name}`, value: Math.max(...times.slice(1)), unit: 'ms', target: '≤ 200' });
  }
  return figures;
}

/** On the filled database, as a new start finds it. */
async function measurePages(stage: Stage): Promise<Figure[]> {
  await stage.restart();
  const { service, close } = await connect(readSettings(stage.env()), pino({ level: 'silent' }), houseOf(WINGS));
  try {
    const { userId, email, cookie } = await createPerson({ service }, { methods: ['hwk'] });
    await storePasskey({ service }, userId, 'Security key');
    await addOperator(service, email);
    return await measureConsole(`http://localhost:${stage.port}`, cookie);
  } finally {
    await close();
  }
}

/** Lets somebody look at the filled database. */
async function keep(stage: Stage): Promise<void> {
  console.log(`The service runs on this database at http://localhost:${stage.port} until you press Ctrl-C.`);
  console.log(`Its database is ${stage.databaseUrl}`);
  console.log(
    `For commands: QUARTERS_DATA_DIR=${stage.env().QUARTERS_DATA_DIR} DATABASE_URL=… CHAIN_RPC_URL=${stage.chain.url} npx quarters …`,
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}

const METHOD = `A year of 20 apps and up to 100,000 players is written as rows: users, accounts, requests, transfers, postings and rewards. Then \
the service's own functions count the ledger, ${BITE.toLocaleString('en')} postings at a time, and at the end a few that could be taken back. The sums must equal the \
accounts. Each reading is the slowest of five.`;

export const economy: Claim = {
  name: 'economy',
  title: 'The figures of the economy, 20 million postings',
  method: METHOD,
  measure: (effort) => measureEconomy(effort.quick ? 2_000_000 : 20_000_000, effort),
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: { postings: { type: 'string' }, keep: { type: 'boolean' }, quick: { type: 'boolean', default: false } },
  });
  Object.assign(options, { postings: Number(values.postings ?? 0), keep: values.keep ?? false });
  await measureClaims([economy], {
    ...{ write: false, growth: false, only: [], runs: 1 },
    effort: { quick: values.quick, seconds: values.quick ? 6 : 30 },
  });
}
