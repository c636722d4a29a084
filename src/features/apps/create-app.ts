import { type Address, toChecksum } from '../../base/address.ts';
import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { createKey } from '../../custody/signer.ts';
import type { Tx } from '../../db/database.ts';
import { insertKey, USUAL_KEY } from '../../identity/app-keys.ts';
import { type App, type AppDetails, insertApp, lockAppCount, type NewApp } from '../../identity/apps.ts';
import { openAccount } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';
import { checkedDetails, refuseImitation } from './app-details.ts';

/** The secrets are shown only once; only their hashes are stored. */
export type CreatedApp = {
  readonly app: App;
  readonly address: `0x${string}`;
  readonly serverKey: string;
  /** Null for a public client, which could not keep it secret. */
  readonly clientSecret: string | null;
};

/** An app's own Ethereum account, created before the transaction that stores it. */
export type NewAppAccount = { readonly address: Address; readonly sealedKey: Uint8Array };

const newAccount = ({ vault }: Pick<Service, 'vault'>): NewAppAccount => createKey(vault);

/** Stores a checked app with its account and its first credentials. */
async function storeNewApp(tx: Tx, input: NewApp, { address, sealedKey }: NewAppAccount): Promise<CreatedApp> {
  const app = await insertApp(tx, input);
  await openAccount(tx, address, { kind: 'app', appId: app.id }, sealedKey);
  const serverKey = await insertKey(tx, app.id, USUAL_KEY);
  const clientSecret = app.publicClient ? null : await insertKey(tx, app.id, { kind: 'client' });
  return { app, address: toChecksum(address), serverKey, clientSecret };
}

const NOTHING = {
  redirectUris: [],
  frameAncestors: [],
  resultOrigins: [],
  publicClient: false,
  autoApprove: false,
  ownerId: null,
};

/** Fields that are left out count as none, or no. */
export type AppInput = Pick<NewApp, 'name'> & Partial<NewApp>;

/** Registers an app with an account of its own. Throws `invalid-input`. */
export async function createApp(
  service: Pick<Service, 'db' | 'vault' | 'security'>,
  given: AppInput,
): Promise<CreatedApp> {
  const input: NewApp = { ...NOTHING, ...given };
  const details = checkedDetails(input);
  await refuseImitation(service, null, details.name);
  const account = newAccount(service);
  const created = await service.db.transaction((tx) => storeNewApp(tx, { ...input, ...details }, account));
  service.security.note('app-registered', { appId: created.app.id });
  return created;
}

const MAX_APPS = 20;

/** A developer registers an app of their own. Throws `invalid-input`, `limit-reached`, `not-found`. */
export async function registerApp(
  service: Service,
  ownerId: UserId,
  input: AppDetails & { readonly publicClient: boolean },
): Promise<CreatedApp> {
  const details = checkedDetails(input);
  await refuseImitation(service, null, details.name);
  const account = newAccount(service);
  const created = await service.db.transaction(async (tx) => {
    const count = await lockAppCount(tx, ownerId);
    if (count === null) throw new Problem('not-found', 'There is no such user.');
    if (count >= MAX_APPS) {
      throw new Problem('limit-reached', `You already have ${MAX_APPS} apps.`);
    }
    return storeNewApp(tx, { ...details, publicClient: input.publicClient, autoApprove: false, ownerId }, account);
  });
  service.security.note('app-registered', { appId: created.app.id });
  return created;
}
