import { join } from 'node:path';
import { asAddress, toChecksum } from '../base/address.ts';
import type { AppId } from '../base/ids.ts';
import { asQuarters } from '../base/quarters.ts';
import { listKeys, MAX_LIVING_KEYS, type NewKey, USUAL_KEY } from '../identity/app-keys.ts';
import { type App, findApp, listApps } from '../identity/apps.ts';
import { type Account, available, findAccountOfApp, findTreasury } from '../ledger/accounts.ts';
import { hasTransferTo } from '../transfers/transfers.ts';
import { createApp } from '../usecases/operator/create-app.ts';
import { issueKey } from '../usecases/operator/issue-key.ts';
import { issueQuarters } from '../usecases/operator/issue-quarters.ts';
import { revokeKey } from '../usecases/operator/revoke-key.ts';
import type { Service } from '../usecases/service.ts';
import { readFields, writePrivateFile } from './private-file.ts';

/** The demo app's credentials. They stand in a file (mode 0600) so that each start can show them: it is a demo. */
export type DemoApp = {
  readonly id: AppId;
  readonly address: string;
  readonly serverKey: string;
  /** For the OAuth token endpoint. */
  readonly clientSecret: string;
};

/** `keyIsNew`: its server key was made just now. */
export type FoundDemoApp = DemoApp & { readonly keyIsNew: boolean };

const NAME = 'Demo Arcade';

const FUNDS = asQuarters(1_000_000);

const FUNDED_WITHIN_MS = 60_000;

/**
 * On the first start makes an app with a funded account; later finds it again. Null where there are other apps already. It may be
 * interrupted anywhere and called again. Where payments are suspended, or the node is away, a later start funds it.
 */
export async function demoApp(service: Service): Promise<FoundDemoApp | null> {
  const known = await knownDemo(service);
  const demo = known ?? (await newDemo(service));
  // Also where an earlier start was interrupted just here.
  const { chain, suspended } = service.readiness;
  const canBeFunded = chain === 'ok' && !suspended;
  if (demo && canBeFunded && !(await hasTransferTo(service.db, asAddress(demo.address)))) {
    await holdsFunds(() => findTreasury(service.db));
    // By a key, so that it is one issue also where this is repeated before it is known whether it was done.
    await issueQuarters(service, { recipient: demo.id, amount: FUNDS, key: `funds of ${demo.id}` });
    await holdsFunds(() => findAccountOfApp(service.db, demo.id));
  }
  return demo && { ...demo, keyIsNew: !known };
}

const fileIn = (service: Service) => join(service.settings.dataDir, 'demo-app.json');

async function knownDemo(service: Service): Promise<DemoApp | null> {
  const { id, address, serverKey, clientSecret } = (await readFields(fileIn(service))) ?? {};
  if (typeof id !== 'string' || typeof address !== 'string') return null;
  if (typeof serverKey !== 'string' || typeof clientSecret !== 'string') return null;
  return (await findApp(service.db, id as AppId)) ? { id: id as AppId, address, serverKey, clientSecret } : null;
}

async function newDemo(service: Service): Promise<DemoApp | null> {
  const [only, ...others] = await listApps(service.db);
  if (others.length > 0 || (only && only.name !== NAME)) return null;
  const demo = only ? await withNewKeys(service, only) : await registerDemo(service);
  await writePrivateFile(fileIn(service), demo);
  return demo;
}

async function registerDemo(service: Service): Promise<DemoApp> {
  const { app, address, serverKey, clientSecret } = await createApp(service, { name: NAME, autoApprove: true });
  if (!clientSecret) throw new Error('The demo app has no client secret');
  return { id: app.id, address, serverKey, clientSecret };
}

/** Its file was lost, or never written: a start was cut off right after registering it. The keys are nowhere else. */
async function withNewKeys(service: Service, { id }: App): Promise<DemoApp> {
  const account = await findAccountOfApp(service.db, id);
  if (!account) throw new Error(`The app ${id} has no account`);
  const serverKey = await newKey(service, id, USUAL_KEY);
  const clientSecret = await newKey(service, id, { kind: 'client' });
  return { id, address: toChecksum(account.address), serverKey, clientSecret };
}

async function newKey(service: Service, id: AppId, key: NewKey): Promise<string> {
  const living = (await listKeys(service.db, id, { living: true })).filter(({ kind }) => kind === key.kind);
  const [oldest] = living;
  if (oldest && living.length >= MAX_LIVING_KEYS) await revokeKey(service, id, oldest.id);
  return issueKey(service, id, key);
}

/** Quarters are there once the block that brings them is followed. */
async function holdsFunds(find: () => Promise<Account | null>): Promise<void> {
  const deadline = Date.now() + FUNDED_WITHIN_MS;
  for (;;) {
    const account = await find();
    if (account && available(account) >= FUNDS) return;
    if (Date.now() > deadline)
      throw new Error('The demo app was not funded within a minute: is the chain making blocks?');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
