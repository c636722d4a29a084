import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Mining, startMining } from '../../../local/anvil/mining.ts';
import { asQuarters } from '../../../src/base/quarters.ts';
import { listRelayers } from '../../../src/chain/relayers.ts';
import { connectRpc } from '../../../src/chain/rpc.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import { createApp } from '../../../src/features/apps/create-app.ts';
import { issueQuarters } from '../../../src/features/payments/issue-quarters.ts';
import { openService } from '../../../src/process/open-service.ts';
import { OPERATOR } from '../../../src/service/managers.ts';
import type { Log, Service } from '../../../src/service/service.ts';
import { endLeases, forgetProcesses } from '../../rows/transfers.ts';
import { atEnd } from '../unit/at-end.ts';
import { until } from '../unit/until.ts';
import type { FaultyChain } from './chain-faults.ts';
import { type KillPoint, runCommandProcess, type ServiceProcess, startServiceProcess } from './crash-service.ts';
import { createDatabase } from './database.ts';
import { type Evm, startEvm } from './evm.ts';
import { HOUSE } from './house.ts';
import type { TestApp } from './service.ts';
import { unsettled } from './settled.ts';
import { findSnapshot, type Snapshot } from './snapshot.ts';

/** `tree`: the folder of another release. `isEarlier`: it has tables that this one cannot read. */
type StartOptions = { seat?: number; env?: Record<string, string>; tree?: string; isEarlier?: boolean };

/** A database and a chain that outlive the service, and ways to start and inspect it. */
export type World = {
  readonly evm: Evm;
  /** Starts a service process; the second and further ones get a data folder of their own by `seat`. */
  start(options?: StartOptions & { killPoint?: KillPoint }): Promise<ServiceProcess>;
  /** Starts a service process that must become ready. */
  startReady(options?: StartOptions): Promise<ServiceProcess>;
  /** Runs a command of the command line beside the service; resolves with its output. `tree`: of another release. */
  command(args: readonly string[], killPoint?: KillPoint, tree?: string): Promise<string>;
  /** Makes blocks while transactions wait, or none at all. */
  mine(on: boolean): Promise<void>;
  /** A service as an operator's command has it: no loops, nothing started. Available after the first start. */
  operator(): Promise<Service>;
  /** The next one is opened anew, as after another database took the place of the first. */
  closeOperator(): Promise<void>;
  createApp(): Promise<TestApp>;
  /** Issues from the treasury; resolves when the instruction is accepted. */
  issue(recipient: string, amount: number): Promise<void>;
  /** What the treasury has issued, for the audit: `address/amount` → how often. */
  readonly issued: Map<string, number>;
  /** kill -9 of all running processes. */
  killAll(): Promise<void>;
  /** Makes the leases of dead processes expire now instead of in some seconds. */
  leasesRunOut(): Promise<void>;
  /** Resolves when nothing is on its way and the ledger is at the chain's head. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

const SILENT: Log = { info() {}, warn() {}, error() {} };
/** There are hundreds of starts, so compiled code is reused. */
const COMPILED = new URL('../../../node_modules/.cache/quarters-tests', import.meta.url).pathname;

/** A world after a first start, if there is a snapshot to copy. It ends with the test. */
export async function openWorldFromSnapshot(
  t: TestContext,
  options: { env?: Record<string, string> } = {},
): Promise<World> {
  const snapshot = findSnapshot();
  const world = await openWorld(await createDatabase(t, snapshot?.database), { ...options, snapshot });
  atEnd(t, () => world.close());
  return world;
}

/** `databaseUrl`: for the services; `operatorUrl`: for this process, if it uses another way. `chain`: one that its opener ends. */
export async function openWorld(
  databaseUrl: string,
  options: {
    env?: Record<string, string>;
    operatorUrl?: string;
    blockMs?: number;
    snapshot?: Snapshot | null;
    chain?: Pick<FaultyChain, 'evm' | 'startMining' | 'stopMining'>;
  } = {},
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-crash-'));
  const chain = options.chain ?? (await ownChain(options));
  const { evm } = chain;
  chain.startMining();
  const masterKey = options.snapshot?.masterKey ?? randomBytes(32).toString('hex');
  const environment = (seat: number) => ({
    PATH: process.env.PATH,
    HOME: folder,
    NODE_COMPILE_CACHE: COMPILED,
    NODE_OPTIONS: process.env.NODE_OPTIONS,
    QUARTERS_DATA_DIR: join(folder, `seat-${seat}`),
    DATABASE_URL: databaseUrl,
    CHAIN_RPC_URL: evm.url,
    MASTER_KEY: masterKey,
    PUBLIC_URL: 'http://quarters.test',
    DEMO_APP: 'off',
    LOG_LEVEL: 'warn',
    CHAIN_POLL_MS: '40',
    CONFIRM_ABOVE: '0',
    AUTO_APPROVE_PER_TRANSFER: '9000000000',
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_PER_ADDRESS: '0',
    AUTO_APPROVE_PER_DAY: '9000000000',
    ...options.env,
  });
  const running = new Set<ServiceProcess>();
  let opened: ReturnType<typeof openService> | undefined;
  const issued = new Map<string, number>();

  async function giveEtherTo(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) await evm.rpc('anvil_setBalance', [address, `0x${(10n ** 24n).toString(16)}`]);
  }

  const world: World = {
    evm,
    issued,
    async start({ seat = 0, killPoint, env = {}, tree, isEarlier = false } = {}) {
      for (;;) {
        const service = await startServiceProcess({ ...environment(seat), ...env }, killPoint, tree);
        running.add(service);
        void service.exited.then(() => running.delete(service));
        if (service.ready && isEarlier) return service;
        if (service.ready) {
          // The relayers that this start has created.
          const relayers = await listRelayers((await world.operator()).db);
          await giveEtherTo(relayers.map(({ address }) => address));
          return service;
        }
        const poor = /have no ether: ([^.]+)\./.exec(service.output())?.[1]?.match(/0x[0-9a-fA-F]{40}/g);
        if (!poor) return service;
        // Does what the message asks for.
        await giveEtherTo(poor);
      }
    },
    async startReady(how = {}) {
      const service = await world.start(how);
      if (!service.ready) throw new Error(`The service did not start:\n${service.output()}`);
      return service;
    },
    command: (args, killPoint, tree) => runCommandProcess(args, environment(0), killPoint, tree),
    async mine(on) {
      await chain.stopMining();
      if (on) chain.startMining();
    },
    async operator() {
      const url = options.operatorUrl ?? databaseUrl;
      const settings = readSettings({ ...environment(0), DATABASE_URL: url });
      opened ??= openService(
        settings,
        { house: HOUSE, databaseUrl: url, rpcUrls: [evm.url], publicUrl: 'http://quarters.test' },
        SILENT,
        async () => {},
      );
      return (await opened).service;
    },
    async closeOperator() {
      await (await opened?.catch(() => undefined))?.close();
      opened = undefined;
    },
    async createApp() {
      const service = await world.operator();
      const { app, address, serverKey } = await createApp(service, OPERATOR, {
        name: 'Crash Test Game',
        redirectUris: ['https://game.test/'],
        autoApprove: true,
      });
      return { id: app.id, address, serverKey };
    },
    async issue(recipient, amount) {
      const paid = await issueQuarters(await world.operator(), { recipient, amount: asQuarters(amount) });
      const key = `${paid.recipient.toLowerCase()}/${amount}`;
      issued.set(key, (issued.get(key) ?? 0) + 1);
    },
    async killAll() {
      await Promise.all([...running].map((service) => service.kill()));
    },
    async leasesRunOut() {
      const { db } = await world.operator();
      await endLeases(db);
      await forgetProcesses(db);
    },
    async settled() {
      const service = await world.operator();
      let open: string[] = [];
      await until(
        'all is settled',
        async () => {
          open = await unsettled(service).catch(({ message }: Error) => [`the database does not answer: ${message}`]);
          return open.length === 0;
        },
        () => [open.join('; '), ...[...running].map((process) => process.output())].join('\n'),
      );
    },
    async close() {
      await world.killAll();
      await world.closeOperator();
      await chain.stopMining();
      if (!options.chain) await evm.stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return world;
}

async function ownChain({ snapshot, blockMs = 40 }: { snapshot?: Snapshot | null; blockMs?: number }) {
  const evm = await startEvm({ args: ['--no-mining', '--gas-limit', '1000000000'], state: snapshot?.chainState });
  const rpc = connectRpc([evm.url]);
  let mining: Mining | null = null;
  return {
    evm,
    startMining() {
      mining ??= startMining(rpc, blockMs);
    },
    async stopMining() {
      await mining?.stop();
      mining = null;
    },
  };
}
