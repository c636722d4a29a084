import { toChecksum } from '../../base/address.ts';
import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { createKey } from '../../custody/signer.ts';
import type { Tx } from '../../db/database.ts';
import { insertKey, USUAL_KEY } from '../../identity/app-keys.ts';
import { type App, type AppDetails, insertApp, lockAppCount, type NewApp } from '../../identity/apps.ts';
import { openAccount } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';
import { checkedDetails, refuseImitation } from './app-details.ts';
import type { AppManager, Developer, Operator } from './managers.ts';

/** The secrets are shown only once; only their hashes are stored. */
export type CreatedApp = {
  readonly app: App;
  readonly address: `0x${string}`;
  readonly serverKey: string;
  /** Null for a public client, which could not keep it secret. */
  readonly clientSecret: string | null;
};

type Deps = Pick<Service, 'db' | 'vault' | 'security'>;

/** Fields that are left out are empty, or off. */
export type AppInput = Pick<NewApp, 'name'> & Partial<NewApp>;

type DeveloperInput = AppDetails & Pick<NewApp, 'publicClient'>;

const DEFAULTS = {
  redirectUris: [],
  frameAncestors: [],
  resultOrigins: [],
  topUpUrl: null,
  publicClient: false,
  autoApprove: false,
  ownerId: null,
};

/**
 * Registers an app with an account of its own. A developer registers it for themselves, up to 20 apps. Throws
 * `invalid-input`, and for a developer `limit-reached` and `not-found`.
 */
export async function createApp(service: Deps, caller: Operator, input: AppInput): Promise<CreatedApp>;
export async function createApp(service: Deps, caller: Developer, input: DeveloperInput): Promise<CreatedApp>;
export async function createApp(service: Deps, caller: AppManager, input: AppInput): Promise<CreatedApp> {
  const given: NewApp = { ...DEFAULTS, ...input };
  const newApp = { ...given, ...checkedDetails(given) };
  await refuseImitation(service, null, newApp.name);
  // Sealed before the transaction that stores it.
  const account = createKey(service.vault);
  const created = await service.db.transaction(async (tx) => {
    if (caller.kind === 'operator') return storeNewApp(tx, newApp, account);
    const { userId: ownerId } = caller.session;
    await refuseTooManyApps(tx, ownerId);
    return storeNewApp(tx, { ...newApp, autoApprove: false, ownerId }, account);
  });
  service.security.note('app-registered', { appId: created.app.id });
  return created;
}

/** Stores a checked app with its account and its first credentials. */
async function storeNewApp(
  tx: Tx,
  input: NewApp,
  { address, sealedKey }: ReturnType<typeof createKey>,
): Promise<CreatedApp> {
  const app = await insertApp(tx, input);
  await openAccount(tx, address, { kind: 'app', appId: app.id }, sealedKey);
  const serverKey = await insertKey(tx, app.id, USUAL_KEY);
  const clientSecret = app.publicClient ? null : await insertKey(tx, app.id, { kind: 'client' });
  return { app, address: toChecksum(address), serverKey, clientSecret };
}

export const MAX_APPS = 20;

/** Until the transaction ends, nobody else can register an app for this owner. */
async function refuseTooManyApps(tx: Tx, ownerId: UserId): Promise<void> {
  const count = await lockAppCount(tx, ownerId);
  if (count === null) throw new Problem('not-found', 'There is no such user.');
  if (count >= MAX_APPS) throw new Problem('limit-reached', `You already have ${MAX_APPS} apps.`);
}
