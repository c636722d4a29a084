import { type Address, toChecksum } from '../../base/address.ts';
import { createKey } from '../../custody/signer.ts';
import type { Tx } from '../../db/database.ts';
import { issueKey, USUAL_KEY } from '../../identity/app-keys.ts';
import { type App, insertApp, type NewApp } from '../../identity/apps.ts';
import { openAccount } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';

/** The secrets are shown only once; only their hashes are stored. */
export type CreatedApp = {
  readonly app: App;
  readonly address: `0x${string}`;
  readonly serverKey: string;
  /** Null for a public client, which could not keep it secret. */
  readonly clientSecret: string | null;
};

/** An app's own Ethereum account, created before the transaction that stores it. */
export type NewAccount = { readonly address: Address; readonly sealedKey: Uint8Array };

export const newAccount = ({ vault }: Pick<Service, 'vault'>): NewAccount => createKey(vault);

/** Stores a checked app with its account and its first credentials. */
export async function storeNewApp(tx: Tx, input: NewApp, { address, sealedKey }: NewAccount): Promise<CreatedApp> {
  const app = await insertApp(tx, input);
  await openAccount(tx, address, { kind: 'app', appId: app.id }, sealedKey);
  const serverKey = await issueKey(tx, app.id, USUAL_KEY);
  const clientSecret = app.publicClient ? null : await issueKey(tx, app.id, { kind: 'client' });
  return { app, address: toChecksum(address), serverKey, clientSecret };
}
