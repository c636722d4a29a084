import { isIP } from 'node:net';
import { join } from 'node:path';
import { isLoopback, isPrivateAddress } from '../../../config/development.ts';
import { masterKeySource } from '../../../custody/master-key.ts';
import type { Database } from '../../../db/database.ts';
import type { Finding, HealthCheck } from '../../../diagnostics/findings/finding.ts';
import { checkKit } from '../../../diagnostics/health/copy-checks.ts';
import { checkWebhooks } from '../../../diagnostics/health/delivery-checks.ts';
import { listKeys } from '../../../identity/app-keys.ts';
import { type App, readApps } from '../../../identity/apps.ts';
import { DEMO_OWNER_EMAIL } from '../../../identity/demo-owner.ts';
import { listOperatorRows } from '../../../identity/operators.ts';
import { findUserByEmail } from '../../../identity/users.ts';
import type { Examination } from './examination.ts';

/** A configuration, and what doctor has found of its parts. */
export type Launch = Examination & { readonly found: readonly HealthCheck[] };

/** Whether an item is done, and what is missing if it is not. Null: it cannot be seen from here. */
export type LiveVerdict = { readonly done: true } | { readonly done: false; readonly says: string } | null;
export type LiveCheck = (launch: Launch) => Promise<LiveVerdict> | LiveVerdict;

const DONE: LiveVerdict = { done: true };
const missing = (says: string): LiveVerdict => ({ done: false, says });

/** Nothing is at fault in any part. Warnings are named by the items that they are about. */
export function hasNoFault({ found }: Launch): LiveVerdict {
  const faults = found.filter(({ state }) => state === 'bad').map(({ part }) => part.toLowerCase());
  return faults.length === 0 ? DONE : missing(`It finds faults: ${[...new Set(faults)].join(', ')}.`);
}

/** As doctor has found one part to be. */
export function partInOrder(part: string): LiveCheck {
  return ({ found }) => {
    const [worst] = found.filter((one) => one.part === part && one.state !== 'good');
    if (!worst) return found.some((one) => one.part === part) ? DONE : null;
    return worst.state === 'unknown' ? null : missing(worst.says);
  };
}

/** The first of these that is not done, or cannot be seen. */
export function allOf(...checks: readonly LiveCheck[]): LiveCheck {
  return async (launch) => {
    for (const check of checks) {
      const verdict = await check(launch);
      if (!verdict?.done) return verdict;
    }
    return DONE;
  };
}

export function isForPlayers({ publicUrl }: Launch): LiveVerdict {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol !== 'https:') return missing(`PUBLIC_URL is ${publicUrl}.`);
  if (isLoopback(hostname) || isPrivateAddress(hostname)) return missing(`Nobody else reaches ${hostname}.`);
  return isIP(hostname) === 0 ? DONE : missing('PUBLIC_URL has no name, so no passkey works.');
}

export function hasOwnDatabase({ databaseUrl, embedded }: Launch): LiveVerdict {
  return databaseUrl !== null && !embedded.database ? DONE : missing('DATABASE_URL is not set.');
}

/** An embedded database has one copy. */
export function isOnTwoDisks({ embedded }: Launch): LiveVerdict {
  return embedded.database ? missing('The embedded database is on one disk.') : DONE;
}

export function hasOwnNode({ rpcUrls, embedded }: Launch): LiveVerdict {
  return rpcUrls.length > 0 && !embedded.chain ? DONE : missing('CHAIN_RPC_URL is not set.');
}

export function isMasterKeyGiven({ settings }: Launch): LiveVerdict {
  const source = masterKeySource(settings);
  const isGiven = source.kind !== 'file' || source.path !== join(settings.dataDir, 'master.key');
  return isGiven ? DONE : missing('It is in the data folder, where the first start has made it.');
}

export function hasMailServer({ settings }: Launch): LiveVerdict {
  return settings.smtpUrl ? DONE : missing('SMTP_URL is not set.');
}

export function hasSupport({ settings }: Launch): LiveVerdict {
  return settings.supportUrl ? DONE : missing('SUPPORT_URL is not set.');
}

/** Whether anything reads the metrics is not visible from here. */
export function hasMetrics({ settings }: Launch): LiveVerdict {
  return settings.metrics === 'off' ? missing('METRICS is off.') : null;
}

/** A check of what the database holds. Nothing can be seen before the first start. */
const stored =
  (check: (db: Database) => Promise<LiveVerdict>): LiveCheck =>
  async ({ database, installation }) => {
    const db = await database();
    return db && (await installation()) ? check(db) : null;
  };

const verdictOf = (finding: Finding | null): LiveVerdict =>
  !finding || finding.state === 'good' ? DONE : missing(finding.says);

export const isKitKept = stored(async (db) => verdictOf(await checkKit({ db, development: false })));

export const areEventsTaken = stored(async (db) => verdictOf(await checkWebhooks({ db })));

/** The loss of one device must not lock everybody out. */
export const hasOperators = stored(async (db) => {
  const rows = await listOperatorRows(db);
  if (rows.length === 0) return missing('Nobody is an operator.');
  return rows.length > 1 || rows[0]!.passkeys > 1 ? DONE : missing('There is one operator, with one passkey.');
});

export const isDemoGone = stored(async (db) => {
  const owner = await findUserByEmail(db, DEMO_OWNER_EMAIL);
  const apps = await livingApps(db);
  return ofApps(
    apps.filter(({ ownerId }) => owner !== null && ownerId === owner.id),
    'still there',
  );
});

/** A desktop game may listen on its own computer (RFC 8252), which `localhost` is not for certain. Nobody else's site is there. */
export const areAddressesSafe = stored(async (db) => {
  const isUnsafe = ({ redirectUris, frameAncestors, resultOrigins }: App) =>
    redirectUris.some((address) => /^https?:\/\/localhost\b|^http:\/\/(?!127\.|\[::1\])/.test(address)) ||
    [...frameAncestors, ...resultOrigins].some((site) => /^http:|^https:\/\/localhost\b/.test(site));
  return ofApps((await livingApps(db)).filter(isUnsafe), 'with an address at localhost, or without https');
});

export const haveKeysLimits = stored(async (db) => {
  const apps: App[] = [];
  for (const app of await livingApps(db)) {
    const keys = await listKeys(db, app.id, { living: true });
    if (keys.some(({ scopes, payPerDay }) => scopes.includes('pay') && payPerDay === null)) apps.push(app);
  }
  return ofApps(apps, 'with a key that pays without a daily limit');
});

const livingApps = async (db: Database) => (await readApps(db)).filter(({ deletedAt }) => deletedAt === null);

/** Enough to begin with. */
const MOST_NAMED = 5;

function ofApps(apps: readonly App[], what: string): LiveVerdict {
  if (apps.length === 0) return DONE;
  const named = apps.slice(0, MOST_NAMED).map(({ name, id }) => `${name} (${id})`);
  const more = apps.length > MOST_NAMED ? ` and ${apps.length - MOST_NAMED} more` : '';
  return missing(`Apps ${what}: ${named.join(', ')}${more}.`);
}
