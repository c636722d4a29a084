/**
 * Measures `quarters restore`: 100,000 accounts are made and paid after a copy of the database, the copy is restored, and the chain gives
 * them back. Next to its limits: deriving their keys, writing the same rows, and reading the logs from the node. Linux. Alone:
 * `node bench/recovering.ts --runs 1`; ACCOUNTS sets how many.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Address } from '../src/base/address.ts';
import { readNewestBlock } from '../src/chain/state.ts';
import { readShownAuthorizations } from '../src/chain/token-logs.ts';
import { KEY_ID_BYTES, type KeyId, seedOf } from '../src/custody/seed.ts';
import { addressOfKey } from '../src/custody/signer.ts';
import { startChain } from './chain.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { openPayments } from './payments.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';
import { watchCommand } from './watched-command.ts';

const PACKED = 50;
/** Accounts that are made and paid at a time: few enough for the chain to keep up. */
const AT_ONCE = 5_000;
const LINES = 1_000;
const READ_WITHIN_MS = 1_800_000;
const COPY = 'copied';
/** Logs of all blocks are read. Each state is a copy of all slots: more of them would take all memory with a million accounts. */
const KEEPING = { transactions: 1_000_000, states: 64 };

async function measureRecovering(most: number, { quick }: Effort): Promise<Figure[]> {
  const accounts = Number(process.env.ACCOUNTS ?? (quick ? 5_000 : most));
  const stage = await startStage(
    { TRANSFERS_PER_TRANSACTION: `${PACKED}`, CHAIN_PROOF: 'receipts' },
    { chain: (folder) => startChain(folder, KEEPING) },
  );
  try {
    const payer = await stage.createPayer(1);
    const copyUrl = new URL(stage.databaseUrl);
    const now = copyUrl.pathname.slice(1);
    copyUrl.pathname = COPY;
    // Both databases exist from here on. The service continues on the first.
    await stage.restartOn(stage.databaseUrl, () => stage.database.query(`CREATE DATABASE ${COPY} TEMPLATE ${now}`));
    await payAccounts(stage, payer, accounts);
    await stage.restartOn(copyUrl.href, async () => {});
    const copy = new pg.Client({ connectionString: copyUrl.href });
    await copy.connect();
    try {
      const followed = await secondsOf(() => untilFollowed(stage, copy));
      const restored = await watchCommand(['restore', '--yes', '--json'], stage.env());
      const { accounts: found, differences, resumed } = JSON.parse(restored.output);
      if (found !== accounts || differences > 0 || !resumed)
        throw new Error(`Not all was restored: ${restored.output}`);
      const derived = await secondsOf(async () => deriveKeys(accounts));
      const written = await secondsOf(() => writeAgain(copy));
      const read = await secondsOf(() => readLogs(stage, copy));
      const size = accounts.toLocaleString('en');
      // The goals are those of 100,000. For more, time grows with the accounts, and memory does not.
      const wanted = (seconds: number) => `≤ ${Math.round(seconds * Math.max(1, accounts / 100_000))}`;
      return [
        {
          name: `${size} accounts recovered`,
          value: restored.seconds,
          unit: 's',
          limit: { name: 'their keys derived, rows written, logs read', value: derived + written + read },
          target: wanted(47),
        },
        { name: 'accounts a second', value: accounts / restored.seconds, unit: '/s' },
        { name: 'its processor time', value: restored.processorSeconds, unit: 's', target: wanted(10) },
        { name: 'its most memory', value: restored.megabytes, unit: 'MB', target: '≤ 600' },
        { name: 'before it, the service read the chain for', value: followed, unit: 's' },
        { name: 'the keys derived', value: derived, unit: 's' },
        { name: 'the same rows written in three statements', value: written, unit: 's' },
        { name: 'the logs read from the node', value: read, unit: 's' },
      ];
    } finally {
      await copy.end();
    }
  } finally {
    await stage.stop();
  }
}

type Payer = Awaited<ReturnType<Stage['createPayer']>>;

/** Makes guests, and pays each of them one quarter. */
async function payAccounts(stage: Stage, { appId, address, serverKeys }: Payer, accounts: number): Promise<void> {
  const { port, load } = stage;
  const payments = await openPayments(stage, appId);
  for (let left = accounts; left > 0; left -= AT_ONCE) {
    const turns = Math.min(left, AT_ONCE);
    const order = {
      port,
      flow: 'guest',
      data: { serverKey: serverKeys[0]! },
      connections: 64,
      turns,
      keep: true,
    } as const;
    const users = (await load.run(order)).kept.map((text) => (JSON.parse(text) as { userId: string }).userId);
    const lines = Math.min(LINES, turns);
    const data = { address, serverKeys, users, lines };
    await payments.settle(load.run({ port, flow: 'bulk', data, connections: 2, turns: Math.ceil(turns / lines) }));
  }
  await payments.stop();
}

/** The follower reads the chain again from the copy on. */
async function untilFollowed({ chain }: Stage, copy: pg.Client): Promise<void> {
  const { number } = await readNewestBlock(chain.rpc);
  for (const deadline = Date.now() + READ_WITHIN_MS; Date.now() < deadline; await delay(50)) {
    const { rows } = await copy.query<{ number: string | null }>(
      'SELECT max(number) AS number FROM blocks WHERE complete',
    );
    if (BigInt(rows[0]!.number ?? 0) >= number) return;
  }
  throw new Error('The service did not read the chain.');
}

function deriveKeys(count: number): void {
  const seed = seedOf(randomBytes(32));
  for (let i = 0; i < count; i++) addressOfKey({ seed }, randomBytes(KEY_ID_BYTES) as unknown as KeyId);
}

/** With their indexes, and the log of writes. */
async function writeAgain(copy: pg.Client): Promise<void> {
  for (const table of ['accounts', 'transfers', 'recovered_payments']) {
    await copy.query(`CREATE TABLE again_${table} (LIKE ${table} INCLUDING DEFAULTS INCLUDING INDEXES)`);
    await copy.query(`INSERT INTO again_${table} SELECT * FROM ${table}`);
  }
}

async function readLogs({ chain }: Stage, copy: pg.Client): Promise<void> {
  const { rows } = await copy.query<{ token: Address; first: string }>('SELECT token, start_block AS first FROM chain');
  const { number } = await readNewestBlock(chain.rpc);
  for await (const _shown of readShownAuthorizations(chain.rpc, rows[0]!.token, BigInt(rows[0]!.first), number));
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

export const recovering: Claim = {
  name: 'recovering',
  title: 'Accounts recovered from the chain',
  method: `An app makes guests and pays each one quarter, ${PACKED} payments a transaction, after a copy of the database was taken. The service starts \
on the copy and reads the chain. Then the command \`restore\` runs. Its time, processor time and memory are those of its process.`,
  measure: (effort) => measureRecovering(100_000, effort),
};

export const largeRecovering: Claim = {
  name: 'recovering-large',
  title: 'A million accounts recovered from the chain',
  method: 'As with 100,000, ten times as many.',
  measure: (effort) => measureRecovering(1_000_000, effort),
};

if (import.meta.main) await runAlone(recovering);
