import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMining } from '../../../local/anvil/mining.ts';
import { giveEther } from '../../../local/parts.ts';
import { connectRpc } from '../../../src/chain/rpc.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import { startJobs } from '../../../src/jobs/jobs.ts';
import { openService } from '../../../src/process/open-service.ts';
import { createSite } from '../../../src/process/site.ts';
import { until } from '../unit/until.ts';
import { isOnEdr } from './edr.ts';
import { startEvm } from './evm.ts';
import { HOUSE } from './house.ts';
import { inDatabase, onServer, TEMPLATE } from './postgres.ts';
import { isSettled } from './settled.ts';

/**
 * The result of a first start: its keys and deployed contracts. Most tests continue from a copy, which halves the work.
 */
export type Snapshot = {
  /** A database, as a template. */
  readonly database: string;
  /** A file for anvil's `--load-state`. */
  readonly chainState: string;
  readonly masterKey: string;
};

const DATABASE = 'quarters_snapshot';
const MASTER_KEY = 'b'.repeat(64);
const QUIET = { info() {}, warn() {}, error() {} };

/**
 * The run's snapshot. Null without global set-up, or if `env` sets something that only a first start reads: such
 * services begin with nothing.
 */
export function findSnapshot(env: Record<string, string> = {}): Snapshot | null {
  const chainState = process.env.QUARTERS_TEST_CHAIN_STATE;
  return chainState && env.INITIAL_SUPPLY === undefined && !isOnEdr
    ? { database: DATABASE, chainState, masterKey: MASTER_KEY }
    : null;
}

/** Starts a service once, and ends it cleanly. Returns the path of the chain's state, in `folder`. */
export async function takeSnapshot(postgresUrl: string, folder: string): Promise<string> {
  await onServer(postgresUrl, `CREATE DATABASE ${DATABASE} TEMPLATE ${TEMPLATE}`);
  const evm = await startEvm({ args: ['--no-mining'] });
  const rpc = connectRpc([evm.url]);
  const mining = startMining(rpc, 10);
  try {
    const { service, close } = await openService(
      readSettings({ MASTER_KEY, CHAIN_POLL_MS: '20' }),
      {
        house: HOUSE,
        databaseUrl: inDatabase(postgresUrl, DATABASE),
        rpcUrls: [evm.url],
        publicUrl: 'http://localhost',
      },
      QUIET,
      giveEther(rpc),
    );
    const server = await createSite(service);
    const jobs = await startJobs(service);
    await until('the first service has settled', () => isSettled(service));
    await jobs.stop();
    await server.close();
    await close();
    const state = join(folder, 'chain-state.json');
    writeFileSync(state, await evm.dump());
    return state;
  } finally {
    await mining.stop();
    await evm.stop();
  }
}
