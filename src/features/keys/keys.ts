import type { AppId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import { hashSecret } from '../../base/secrets.ts';
import type { Tx } from '../../db/database.ts';
import {
  type AppKey,
  CAPPED_SCOPES,
  endKey,
  insertKey,
  keyIdOf,
  keyNameFrom,
  listKeys,
  MAX_KEY_NAME_CHARACTERS,
  type NewKey,
} from '../../identity/app-keys.ts';
import type { App } from '../../identity/apps.ts';
import { recordChange } from '../../operator-log/record.ts';
import { changeAs } from '../../service/change-as.ts';
import { type AppManager, appFor, type Developer } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';

type Deps = Pick<Service, 'db' | 'security'>;

/** Creates a server API key or a client secret for an app; it is returned only once. */
export async function issueKey(service: Deps, caller: AppManager, id: string, key: NewKey): Promise<string> {
  const app = await appFor(service, caller, id, 'keys');
  const secret = await changeAs(service, caller, app, 'keys', (tx) =>
    insertLoggedKey(tx, app.id, checkedKey(app, key)),
  );
  service.security.note('key-issued', { appId: app.id, what: key.kind });
  return secret;
}

/** Creates a key and records it. Returns the key, as {@link insertKey} does. */
export async function insertLoggedKey(tx: Tx, id: AppId, key: NewKey): Promise<string> {
  const secret = await insertKey(tx, id, key);
  const rights = key.kind === 'server' ? key : { kind: key.kind };
  const { kind, scopes, payPerDay, askPerDay, approvePerDay } = { ...NO_RIGHTS, ...rights };
  const name = key.name || undefined;
  const after = { key: keyIdOf(hashSecret(secret)), name, kind, scopes, payPerDay, askPerDay, approvePerDay };
  await recordChange(tx, { action: 'key-issued', subject: { kind: 'app', id }, after });
  return secret;
}

/** Completes the sentence "the name …". */
export const KEY_NAME_RULE = `must be one line of at most ${MAX_KEY_NAME_CHARACTERS} characters`;

const NO_RIGHTS = { scopes: undefined, payPerDay: undefined, askPerDay: undefined, approvePerDay: undefined };

/** Checks that this app may have the key: each scope that needs a cap has one, and no cap comes without its scope. Normalises its name. */
function checkedKey({ publicClient }: App, { name: typed = '', ...rights }: NewKey): NewKey {
  const name = keyNameFrom(typed);
  if (name === null) throw invalidInput('/name', KEY_NAME_RULE);
  const key: NewKey = { ...rights, name };
  if (publicClient && key.kind === 'client') {
    throw invalidInput('/kind', 'cannot be client: the app is a public client, which keeps no secret');
  }
  if (key.kind === 'client') return key;
  for (const [scope, cap] of Object.entries(CAPPED_SCOPES)) {
    const has = key.scopes.some((held) => held === scope);
    if (has && !key[cap]) throw invalidInput(`/${cap}`, `must be given with the scope ${scope}`);
    if (!has && key[cap]) throw invalidInput(`/${cap}`, `can only be given with the scope ${scope}`);
  }
  return key;
}

/**
 * Creates a second key with the same rights; it is returned only once. The old one works until it is revoked, so that the new one can be
 * deployed first.
 */
export async function rotateKey(
  service: Deps,
  caller: Developer,
  id: string,
  keyId: string,
): Promise<Pick<AppKey, 'kind' | 'scopes'> & { readonly secret: string }> {
  const app = await appFor(service, caller, id, 'keys');
  const key = (await listKeys(service.db, app.id, { living: true })).find((living) => living.id === keyId);
  if (!key) throw noSuchKey(caller, keyId);
  const { kind, scopes } = key;
  const secret = await changeAs(service, caller, app, 'keys', (tx) => insertLoggedKey(tx, app.id, key));
  service.security.note('key-issued', { appId: app.id, what: kind });
  return { kind, scopes, secret };
}

/** Ends one of an app's keys at once, by its id. */
export async function revokeKey(service: Deps, caller: AppManager, id: string, keyId: string): Promise<void> {
  const app = await appFor(service, caller, id, 'revoke-keys');
  await changeAs(service, caller, app, 'revoke-keys', async (tx) => {
    if (!(await endKey(tx, app.id, keyId))) throw noSuchKey(caller, keyId);
    await recordChange(tx, { action: 'key-revoked', subject: { kind: 'app', id: app.id }, before: { key: keyId } });
  });
  service.security.note('key-revoked', { appId: app.id, what: keyId });
}

function noSuchKey({ kind }: AppManager, keyId: string): Problem {
  const detail = kind === 'operator' ? `The app has no active key "${keyId}".` : 'There is no such key of yours.';
  return new Problem('not-found', detail);
}
