import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { UserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { Outgoing } from '../../src/chain/outgoing.ts';
import { type RelayerPurpose, takeLeases } from '../../src/chain/relayers.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { createApp } from '../../src/features/apps/create-app.ts';
import { createGuest } from '../../src/features/guests/create-guest.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { findTreasury } from '../../src/ledger/accounts.ts';
import { openService } from '../../src/process/open-service.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import type { Log, Service } from '../../src/service/service.ts';
import { checkChain } from '../../src/settlement/attach.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import type { EnsureGas } from '../../src/settlement/prepare-chain.ts';
import { refreshSuspension } from '../../src/settlement/readiness.ts';
import { createDatabase } from '../kit/service/database.ts';
import { addMember } from '../kit/service/developer.ts';
import { makeFull } from '../kit/service/full-user.ts';
import { HOUSE } from '../kit/service/house.ts';
import { signIn } from '../kit/service/people.ts';
import { softPasskey } from '../kit/service/soft-passkey.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asApp } from '../kit/unit/callers.ts';
import { createModel, type Model, type ModelApp, type ModelGuest } from '../kit/unit/model.ts';
import { createSyntheticChain, type SyntheticChain } from '../kit/unit/synthetic-chain.ts';
import { endLeases, forgetProcesses } from '../rows/transfers.ts';
import { perform } from './acts.ts';
import { drain, forgetBroadcasts } from './drain.ts';
import { createLosses, type Losses } from './losses.ts';
import { MAX_PENDING } from './refusals.ts';
import { COPY_PLACES, type CopyPlace, openTables, type Tables } from './tables.ts';

const SILENT: Log = { info() {}, warn() {}, error() {} };
const LEASE_SECONDS = 1_000_000;
const NOWHERE = 'http://127.0.0.1:9';

/** What the commands of a property act on: the service's features, a chain, and the answers that callers got. */
export type World = {
  readonly chain: SyntheticChain;
  /** The process that holds the relayers. */
  service: Service;
  /**
   * An earlier process that does not know it was replaced. It may still follow, send, take nonces and look after
   * transfers.
   */
  zombie: Service | null;
  model: Model;
  read(): Promise<Tables>;
  /** Resets everything for the next run. */
  reset(): Promise<void>;
  restart(): Promise<void>;
  /** The newest copies of the database, as backups, the last one first. */
  readonly copies: readonly Copied[];
  takeCopy(): Promise<void>;
  /**
   * Ends all processes, puts the database back to a copy, and starts one process, as after a restored backup. `liar`: which of three
   * endpoints, from 0, may lie; until {@link trust}, processes ask all of them. Undefined: there is one, which does not.
   */
  startFromCopy(copy: Copied, liar?: number): Promise<void>;
  /** From now on there is one endpoint again, which tells the truth. */
  trust(): void;
  /** A second process beside the first, which does not follow the chain; or a command. */
  startSecond(): Promise<Service>;
  readonly losses: Losses;
};

export type Copied = {
  readonly place: CopyPlace;
  readonly model: Model;
  readonly tables: Tables;
  readonly at: Date;
};

/** Above the keys that runs use. */
const FIRST_KEY = 1000;

/** Low enough for runs to reach them. */
export const CAPS = { REWARDS_PER_USER_PER_DAY: '60', REWARDS_PER_APP_PER_DAY: '120' };

/** What is granted without an operator: once, and of what is paid. */
export const RULES = { welcome: 30, share: 0.4 };

const KEY_CAPS = { askPerDay: asQuarters(500), approvePerDay: asQuarters(120) };

/** Each world's settings, with small numbers so that windows, bundles and depths are reached. */
export type WorldOptions = Record<string, string>;

export async function openWorld(t: TestContext, options: WorldOptions): Promise<World> {
  const databaseUrl = await createDatabase(t);
  const chain = createSyntheticChain();
  const server = await chain.listen();
  atEnd(t, server.close);
  const settings = readSettings({
    MASTER_KEY: '5'.repeat(64),
    INITIAL_SUPPLY: '1000000',
    AUTO_APPROVE_PER_TRANSFER: '60',
    AUTO_APPROVE_PER_DAY: '150',
    RELAYERS: '2',
    IN_FLIGHT_WINDOW: '6',
    FINAL_AFTER: '4',
    REPLACE_AFTER_BLOCKS: '2',
    MAX_PENDING_REQUESTS: `${MAX_PENDING}`,
    WITHDRAWALS: 'on',
    WELCOME_REWARD: `${RULES.welcome}`,
    REWARD_SHARE_PERCENT: `${RULES.share * 100}`,
    ...CAPS,
    ...options,
  });

  /**
   * A separate process. It starts over HTTP like any other; from then on calls reach the chain directly, unless there are several endpoints.
   * Without `ensureGas` it compares nothing.
   */
  async function open(ensureGas: EnsureGas | null, takesLeases = true) {
    const rpcUrls = endpoints ?? [ensureGas ? server.url : NOWHERE];
    const where = { house: HOUSE, databaseUrl, rpcUrls, publicUrl: 'http://localhost:8080' };
    const chosen = endpoints ? { ...settings, chainProof: 'agreement' as const } : settings;
    const opened = await openService(chosen, where, SILENT, ensureGas);
    const service: Service = { ...opened.service, ...(!endpoints && { rpc: chain.rpc }) };
    if (!ensureGas) {
      Object.assign(service.readiness, { compared: 'done' });
      await checkChain({ ...service, rpc: connectRpc(endpoints ?? [server.url]) });
    }
    if (!takesLeases) return { service, close: opened.close };
    // An earlier holder of the relayers has lost them by now, perhaps without noticing.
    await endLeases(service.db);
    const take = (purpose: RelayerPurpose) => takeLeases(service.db, purpose, randomUUID(), LEASE_SECONDS, 99);
    (service as Engine).settlement.leases = [...(await take('settlement')), ...(await take('operator'))];
    return { service, close: opened.close };
  }

  let endpoints: string[] | null = null;
  const first = await open(async () => {});
  let later: (typeof first)[] = [];
  atEnd(t, async () => {
    for (const { close } of [first, ...later]) await close();
  });
  // The treasury has its quarters once the contracts' blocks are followed.
  await drain({ service: first.service, chain });
  const model = await populate(first.service);
  let copies: Copied[] = [];
  const world: World = {
    chain,
    service: first.service,
    zombie: null,
    model,
    read: () => tables.read(),
    async reset() {
      for (const { close } of later) await close();
      later = [];
      endpoints = null;
      chain.reset(start);
      await tables.reset();
      Object.assign(first.service.settlement, settlement, { outgoing: new Outgoing() });
      forgetBroadcasts(first.service);
      world.service = first.service;
      world.zombie = null;
      world.model = model.copy();
      copies = [];
      world.losses.clear();
    },
    async restart() {
      // A start would find nonces used elsewhere and suspend payments, but these runs are about continuing with them.
      const next = await open(null);
      later.push(next);
      world.zombie = world.service;
      world.service = next.service;
    },
    get copies() {
      return copies;
    },
    losses: createLosses(),
    async takeCopy() {
      const place = COPY_PLACES.find((one) => one !== copies[0]?.place)!;
      await tables.copy(place);
      const copy = { place, model: world.model.copy(), tables: await tables.read(), at: new Date() };
      copies = [copy, ...copies].slice(0, COPY_PLACES.length);
    },
    async startFromCopy({ place }, liar) {
      for (const { close } of later) await close();
      await tables.restoreCopy(place);
      endpoints = liar === undefined ? null : [0, 1, 2].map((i) => `${server.url}/${i === liar ? 'liar' : i}`);
      const next = await open(async () => {});
      // Those of the copy do not run any more, and this one has no loop that hears what others ask of it.
      await forgetProcesses(next.service.db);
      later = [next];
      world.zombie = null;
      world.service = next.service;
    },
    trust() {
      endpoints = null;
      chain.lie(null);
      for (const { service } of later) {
        Object.assign(service, { rpc: chain.rpc });
        Object.assign(service.readiness, { proof: 'node', unproven: null });
      }
    },
    async startSecond() {
      const second = await open(null, false);
      later.push(second);
      await forgetProcesses(second.service.db);
      await refreshSuspension(second.service);
      return second.service;
    },
  };
  // The start of each run: everybody has some quarters or a reward, and nothing is on its way.
  await drain(world);
  for (const [guest, { full }] of model.guests.entries()) {
    if (full) await perform(first.service, model, { act: 'grant', guest, amount: 70, key: FIRST_KEY + guest });
  }
  const tables = await openTables(first.service.db);
  for (const { id, from_address: from, to_address: to, amount } of (await tables.read()).transfers) {
    model.promise(id, { requestId: null, from, to, amount });
  }
  const start = chain.head;
  const settlement = { ...first.service.settlement };
  world.model = model.copy();
  return world;
}

async function populate(service: Service): Promise<Model> {
  const model = createModel();
  for (const autoApprove of [true, false]) {
    model.apps.push(await addApp(service, autoApprove));
    await addGuest(service, model, model.apps.at(-1)!);
  }
  for (let i = 0; i < 2; i++) await addGuest(service, model, model.apps[0]!, true);
  model.treasury = (await findTreasury(service.db)).address;
  const { session } = model.guests.at(-1)!.person!;
  for (const { id } of model.apps) await addMember({ service }, id, session, 'admin');
  model.developer = session;
  for (const [i, { address }] of [...model.apps, ...model.guests].entries()) {
    await issueQuarters(service, { recipient: address, amount: asQuarters(i < 2 ? 800 : 200) });
  }
  return model;
}

export async function addApp(service: Service, autoApprove: boolean): Promise<ModelApp> {
  const input = { name: 'Game', autoApprove };
  const { app, address } = await createApp(service, OPERATOR, input);
  const key = {
    kind: 'server',
    scopes: ['create-requests', 'approve-requests'],
    payPerDay: null,
    ...KEY_CAPS,
  } as const;
  const keyHash = hashSecret(await issueKey(service, OPERATOR, app.id, key));
  return { id: app.id, address: address.toLowerCase(), autoApprove, keyHash };
}

export async function addGuest(service: Service, model: Model, app: ModelApp, full = false): Promise<void> {
  const { userId, address, pageToken } = await createGuest(service, asApp(app.id));
  const person = full ? await makePerson(service, userId) : null;
  model.guests.push({ userId, address, pageToken, app, full, ...(person && { person }) });
}

async function makePerson(service: Service, userId: UserId): Promise<NonNullable<ModelGuest['person']>> {
  await makeFull(service, userId);
  const { session } = await signIn({ service }, userId);
  return { session, passkey: await softPasskey({ service }, userId) };
}
