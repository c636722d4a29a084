import { toChecksum } from '../../base/address.ts';
import type { AppId, TransferId, UserId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import { createAppKey } from '../../custody/new-keys.ts';
import type { Tx } from '../../db/database.ts';
import { DEVELOPMENT_KEY, type NewKey, USUAL_KEY } from '../../identity/app-keys.ts';
import { type App, type AppDetails, insertApp, lockAppCount, lookUpApp, type NewApp } from '../../identity/apps.ts';
import type { KeyScope } from '../../identity/key-scopes.ts';
import { openAccount } from '../../ledger/accounts.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { AppManager, Developer, Operator } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { insertLoggedKey } from '../keys/keys.ts';
import { nameWhatBelongsTo } from '../restore/name-payments.ts';
import { checkedDetails, refuseImitation } from './app-details.ts';
import { appFacts } from './record-app-change.ts';
import { TEST_QUARTERS, testTransferOf, tryToGiveTestQuarters } from './test-quarters.ts';

/** The secrets are shown only once; only their hashes are stored. */
export type CreatedApp = {
  readonly app: App;
  readonly address: `0x${string}`;
  readonly serverKey: string;
  readonly serverKeyScopes: readonly KeyScope[];
  /** Null for a public client, which could not keep it secret. */
  readonly clientSecret: string | null;
  /** What the app gets to try payments with, at once or soon. Null outside of development mode. */
  readonly testQuarters: Quarters | null;
};

/** Fields that are left out are empty, or off. `testQuarters: false`: the caller funds the app. */
export type AppInput = Pick<NewApp, 'name'> &
  Partial<NewApp> & {
    readonly testQuarters?: false;
    /** Of an app that a restored database lacks: it gets its account back. */
    readonly id?: AppId;
  };

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
 * Registers an app with an account of its own. A developer registers it for themselves, up to 20 apps.
 *
 * In development mode the app gets test quarters and a first key with more rights.
 */
export async function createApp(service: Service, caller: Operator, input: AppInput): Promise<CreatedApp>;
export async function createApp(service: Service, caller: Developer, input: DeveloperInput): Promise<CreatedApp>;
export async function createApp(service: Service, caller: AppManager, input: AppInput): Promise<CreatedApp> {
  const given: NewApp = { ...DEFAULTS, autoApproveConsent: service.settings.defaultConsent, ...input };
  const newApp = { ...given, ...checkedDetails(service, given) };
  await refuseImitation(service, null, newApp.name);
  if (input.id && (await lookUpApp(service.db, input.id))) throw invalidInput('/id', 'is the id of an app that exists');
  const account = createAppKey(service.vault, input.id);
  const firstKey = service.development ? DEVELOPMENT_KEY : USUAL_KEY;
  const testTransferId =
    service.development && input.testQuarters !== false ? testTransferOf(service, account.appId) : null;
  const { app, ...secrets } = await service.db.transaction(async (tx) => {
    const store = (app: NewApp) => storeNewApp(tx, app, account, { firstKey, testTransferId });
    if (caller.kind === 'operator') return store(newApp);
    const { userId: ownerId } = caller.session;
    await refuseTooManyApps(tx, ownerId);
    return store({ ...newApp, autoApprove: false, ownerId });
  });
  if (input.id) await nameWhatBelongsTo(service, account.address);
  service.security.note('app-registered', { appId: app.id });
  if (testTransferId) await tryToGiveTestQuarters(service, { appId: app.id, transferId: testTransferId });
  return {
    app,
    address: toChecksum(account.address),
    ...secrets,
    serverKeyScopes: firstKey.scopes,
    testQuarters: testTransferId && TEST_QUARTERS,
  };
}

/** Stores a checked app with its account and its first credentials. */
async function storeNewApp(
  tx: Tx,
  input: NewApp,
  { appId, address, keyId }: ReturnType<typeof createAppKey>,
  { firstKey, testTransferId }: { readonly firstKey: NewKey; readonly testTransferId: TransferId | null },
): Promise<Pick<CreatedApp, 'app' | 'serverKey' | 'clientSecret'>> {
  const app = await insertApp(tx, appId, input, testTransferId);
  await openAccount(tx, address, { kind: 'app', appId }, keyId);
  await recordChange(tx, { action: 'app-registered', subject: { kind: 'app', id: app.id }, after: appFacts(app) });
  const serverKey = await insertLoggedKey(tx, app.id, firstKey);
  const clientSecret = app.publicClient ? null : await insertLoggedKey(tx, app.id, { kind: 'client' });
  return { app, serverKey, clientSecret };
}

export const MAX_APPS = 20;

/** Until the transaction ends, nobody else can register an app for this owner. */
async function refuseTooManyApps(tx: Tx, ownerId: UserId): Promise<void> {
  const count = await lockAppCount(tx, ownerId);
  if (count === null) throw new Problem('not-found', 'There is no such user.');
  if (count >= MAX_APPS) throw new Problem('limit-reached', `You already have ${MAX_APPS} apps.`);
}
