import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asAddress, toChecksum } from '../src/base/address.ts';
import type { AppId } from '../src/base/ids.ts';
import { asQuarters } from '../src/base/quarters.ts';
import { createApp } from '../src/features/apps/create-app.ts';
import { updateApp } from '../src/features/apps/update-app.ts';
import { issueKey, revokeKey } from '../src/features/keys/keys.ts';
import { issueQuarters } from '../src/features/payments/issue-quarters.ts';
import { ensureDemoOwner } from '../src/features/sessions/sign-in-link.ts';
import { DEVELOPMENT_KEY, listKeys, MAX_LIVING_KEYS, type NewKey, USUAL_KEY } from '../src/identity/app-keys.ts';
import { type App, lookUpApp, lookUpNamedLivingApp, readApps } from '../src/identity/apps.ts';
import { type Account, available, findTreasury, lookUpAccountOfApp } from '../src/ledger/accounts.ts';
import { readFields, writePrivateFile } from '../src/process/data-folder.ts';
import { OPERATOR } from '../src/service/managers.ts';
import type { Service } from '../src/service/service.ts';
import { hasTransferTo } from '../src/settlement/tables/transfers.ts';

/** The demo app's credentials. A file (mode 0600) keeps them, so that each start can show them. */
export type DemoApp = {
  readonly id: AppId;
  readonly address: string;
  readonly serverKey: string;
  /** For the OAuth token endpoint. */
  readonly clientSecret: string;
};

/** `keyIsNew` says that this start created the server key. */
export type FoundDemoApp = DemoApp & { readonly keyIsNew: boolean };

/** The example game's (`examples/arcade`). */
const NAME = 'Flipside';
/** What releases up to 1.0.0 called it. */
const FORMER_NAME = 'Demo Arcade';

const FUNDS = asQuarters(1_000_000);

const FUNDED_WITHIN_MS = 60_000;

/**
 * Creates an app with a funded account on the first start, and finds it again later. Returns null if other apps exist, or if it was deleted:
 * then nobody wants it again.
 * It may be interrupted anywhere and called again. If payments are suspended or the node is down, a later start funds it.
 */
export async function demoApp(service: Service): Promise<FoundDemoApp | null> {
  const known = await knownDemo(service);
  const demo = known ?? (await newDemo(service));
  if (demo && service.development) await giveOwner(service, demo.id);
  // An earlier start may have been interrupted before this step, so it also runs for a known app.
  const { chain, suspended } = service.readiness;
  const canBeFunded = chain === 'ok' && !suspended;
  if (demo && canBeFunded && !(await hasTransferTo(service.db, asAddress(demo.address)))) {
    await waitUntilFunded(() => findTreasury(service.db));
    // The idempotency key keeps this one issue, even if it is repeated before its outcome is known.
    await issueQuarters(service, { recipient: demo.id, amount: FUNDS, key: `funds of ${demo.id}` });
    await waitUntilFunded(() => lookUpAccountOfApp(service.db, demo.id));
  }
  return demo && { ...demo, keyIsNew: !known };
}

const fileIn = (service: Service) => join(service.settings.dataDir, 'demo-app.json');

async function knownDemo(service: Service): Promise<DemoApp | null> {
  const { id, address, serverKey, clientSecret } = (await readFields(fileIn(service))) ?? {};
  if (typeof id !== 'string' || typeof address !== 'string') return null;
  if (typeof serverKey !== 'string' || typeof clientSecret !== 'string') return null;
  const app = await lookUpNamedLivingApp(service.db, id);
  if (app?.name === FORMER_NAME) await updateApp(service, OPERATOR, app.id, { name: NAME });
  return app && { id: app.id, address, serverKey, clientSecret };
}

async function newDemo(service: Service): Promise<DemoApp | null> {
  const [only, ...others] = await readApps(service.db);
  if (others.length > 0 || (only && (![NAME, FORMER_NAME].includes(only.name) || only.deletedAt))) return null;
  const demo = only ? await withNewKeys(service, only) : await registerDemo(service);
  const picture = await readFile(new URL('./demo-app.webp', import.meta.url));
  await updateApp(service, OPERATOR, demo.id, { name: NAME, picture });
  await writePrivateFile(fileIn(service), demo);
  return demo;
}

/** An app of an earlier version, or of a start that was cut off, has no owner. One that somebody else owns stays theirs. */
async function giveOwner(service: Service, id: AppId): Promise<void> {
  const ownerId = await ensureDemoOwner(service);
  const app = await lookUpApp(service.db, id);
  if (app?.ownerId === null) await updateApp(service, OPERATOR, id, { ownerId });
}

async function registerDemo(service: Service): Promise<DemoApp> {
  const { app, address, serverKey, clientSecret } = await createApp(service, OPERATOR, {
    name: NAME,
    autoApprove: true,
    testQuarters: false,
  });
  if (!clientSecret) throw new Error('The demo app has no client secret');
  return { id: app.id, address, serverKey, clientSecret };
}

/** Issues new keys: the file with the old ones was lost, or a start was cut off before it wrote the file. */
async function withNewKeys(service: Service, { id }: App): Promise<DemoApp> {
  const account = await lookUpAccountOfApp(service.db, id);
  if (!account) throw new Error(`The app ${id} has no account`);
  const serverKey = await newKey(service, id, service.development ? DEVELOPMENT_KEY : USUAL_KEY);
  const clientSecret = await newKey(service, id, { kind: 'client' });
  return { id, address: toChecksum(account.address), serverKey, clientSecret };
}

async function newKey(service: Service, id: AppId, key: NewKey): Promise<string> {
  const living = (await listKeys(service.db, id, { living: true })).filter(({ kind }) => kind === key.kind);
  const [oldest] = living;
  if (oldest && living.length >= MAX_LIVING_KEYS) await revokeKey(service, OPERATOR, id, oldest.id);
  return issueKey(service, OPERATOR, id, key);
}

/** Waits until the account holds the funds: they arrive with the block that carries their transfer. */
async function waitUntilFunded(find: () => Promise<Account | null>): Promise<void> {
  const deadline = performance.now() + FUNDED_WITHIN_MS;
  for (;;) {
    const account = await find();
    if (account && available(account) >= FUNDS) return;
    if (performance.now() > deadline)
      throw new Error('The demo app was not funded within a minute. Check that the chain is producing blocks.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
