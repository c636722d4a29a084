import { isLoopback } from '../../../config/development.ts';
import { RELEASE } from '../../../config/release.ts';
import type { Database } from '../../../db/database.ts';
import { databaseFault } from '../../../db/database-fault.ts';
import {
  type DatabaseTraits,
  measureRoundTrip,
  readDatabaseTraits,
  readSizeOf,
  tryToWrite,
} from '../../../db/inspection.ts';
import { compareMigrations } from '../../../db/migrate.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { readLevel } from '../../../membership/join.ts';
import type { Examination } from './examination.ts';

const START = 'docs/operate/start.md#on-real-servers';
const RELEASES = 'docs/operate/releases.md#what-may-run-together';
const DOWN = 'docs/operate/runbook.md#quartersdatabasedown';
/** At a round trip of this length, groups of payments wait noticeably (docs/operate/scaling.md). */
const SLOW_MS = 5;

/** Whether the database can be used, how far away it is, and whether it is set as the service needs it. */
export async function checkDatabaseTraits(examination: Examination): Promise<Finding | Finding[] | null> {
  const { databaseUrl } = examination;
  if (databaseUrl === null) return null;
  const fault = await databaseFault(databaseUrl);
  const db = fault === null ? await examination.database() : null;
  if (!db) {
    const says = `${fault ?? 'The database cannot be reached'}.`;
    const remedy = { says: 'Start it, or correct DATABASE_URL.', docs: DOWN };
    return { state: 'bad', says: says[0]!.toUpperCase() + says.slice(1), remedy };
  }
  const [traits, roundTripMs] = [await readDatabaseTraits(db), await measureRoundTrip(db, SLOW_MS)];
  const found = [
    ...rights(traits, examination.embedded.database),
    ...(await writes(db, traits)),
    ...defaults(traits),
    ...distance(roundTripMs),
    ...encryption('DATABASE_URL', databaseUrl, examination.env),
    ...(examination.embedded.database ? [] : slowing({ ...traits, touched: await readSizeOf(db, TOUCHED) })),
  ];
  if (found.length > 0) return found;
  return good(`PostgreSQL ${major(traits)} takes writes, ${roundTripMs.toFixed(1)} ms away.`, [
    { name: 'Version', value: traits.version },
    { name: 'Role', value: traits.role },
    { name: 'Connections', value: `${traits.mostConnections} at most` },
  ]);
}

const major = ({ version }: DatabaseTraits) => version.split('.', 1)[0];

/** The role of an embedded database is its only one. */
function rights({ role, isSuperuser, mayCreate, encoding }: DatabaseTraits, isEmbedded: boolean): Finding[] {
  const found: Finding[] = [];
  if (!mayCreate) {
    const says = `The role ${role} may not create tables in its schema.`;
    const remedy = { says: `GRANT CREATE ON SCHEMA public TO "${role}"; updates of tables need it.`, docs: START };
    found.push({ state: 'bad', says, remedy });
  }
  if (isSuperuser && !isEmbedded) {
    const remedy = { says: 'Make a role that owns this database and nothing else.', docs: START };
    found.push({ state: 'warning', says: `The role ${role} is a superuser, which the service does not need.`, remedy });
  }
  if (encoding !== 'UTF8') {
    const remedy = { says: 'Create the database with ENCODING UTF8: players have names in all scripts.', docs: START };
    found.push({ state: 'bad', says: `The database stores text as ${encoding}.`, remedy });
  }
  return found;
}

/** Without the right to create a table, the test proves nothing. */
async function writes(db: Database, { isStandby, isReadOnly, mayCreate }: DatabaseTraits): Promise<Finding[]> {
  if (isStandby || isReadOnly) {
    const says = isStandby ? 'DATABASE_URL leads to a standby, which takes no writes.' : 'The database is read-only.';
    return [{ state: 'bad', says, remedy: { says: 'Let DATABASE_URL lead to the primary.', docs: DOWN } }];
  }
  const reason = mayCreate ? await tryToWrite(db).catch((error: Error) => error) : undefined;
  if (!reason) return [];
  const remedy = { says: 'See the log of PostgreSQL. The disk may be full.', docs: DOWN };
  return [{ state: 'bad', says: `The database refuses a write: ${reason.message}.`, remedy }];
}

/** The service sets its own time limits, but a migration has none of its own. */
function defaults({ isolation, replicationRole, defaults, role }: DatabaseTraits): Finding[] {
  const found: Finding[] = [];
  const reset = (name: string) => ({
    says: `ALTER ROLE "${role}" RESET ${name}, or the same for the database.`,
    docs: START,
  });
  if (isolation !== 'read committed') {
    const says = `default_transaction_isolation is ${isolation}; the service needs read committed.`;
    found.push({ state: 'bad', says, remedy: reset('default_transaction_isolation') });
  }
  if (replicationRole !== 'origin') {
    const says = `session_replication_role is ${replicationRole}, so foreign keys are not checked.`;
    found.push({ state: 'bad', says, remedy: reset('session_replication_role') });
  }
  const limit = defaults.find((each) => /^(statement|transaction)_timeout=(?!0)/.test(each));
  if (limit) {
    const says = `The role or the database has ${limit}, which may cut off an update of the tables.`;
    found.push({ state: 'warning', says, remedy: reset(limit.split('=', 1)[0]!) });
  }
  return found;
}

function distance(roundTripMs: number): Finding[] {
  if (roundTripMs < SLOW_MS) return [];
  const remedy = {
    says: 'Put service and database close together.',
    docs: 'docs/operate/scaling.md#what-limits-one-process',
  };
  const says = `A round trip to the database takes ${roundTripMs.toFixed(0)} ms. Each group of payments takes three.`;
  return [{ state: 'warning', says, remedy }];
}

/** Payments to many players touch them at random: what does not fit into the buffers is read again and again. */
const TOUCHED = ['accounts', 'requests_by_user'];
const SETTINGS = 'docs/operate/scaling.md#postgresqls-settings';

/** What makes each payment dearer than it has to be. `touched`: the bytes of {@link TOUCHED}. */
export function slowing({
  walCompression,
  buffers,
  touched,
}: Pick<DatabaseTraits, 'walCompression' | 'buffers'> & { readonly touched: number }): Finding[] {
  const found: Finding[] = [];
  if (walCompression === 'pglz') {
    const says = 'wal_compression is pglz: after a checkpoint it takes as much processor time as the payments.';
    found.push({ state: 'warning', says, remedy: { says: 'Set it to lz4, or off.', docs: SETTINGS } });
  }
  if (touched > buffers) {
    const megabytes = (bytes: number) => `${Math.round(bytes / 1024 ** 2).toLocaleString('en')} MB`;
    const says = `shared_buffers is ${megabytes(buffers)}. The accounts and their indexes take ${megabytes(touched)}.`;
    const remedy = { says: 'Raise it, up to a quarter of the memory.', docs: SETTINGS };
    found.push({ state: 'warning', says, remedy });
  }
  return found;
}

/** A host without a name is a socket of this machine. The driver takes the mode from the address or from PGSSLMODE. */
export function encryption(setting: string, databaseUrl: string, env: Examination['env']): Finding[] {
  const url = new URL(databaseUrl);
  if (url.hostname === '' || isLoopback(url.hostname) || url.searchParams.get('host')?.startsWith('/')) return [];
  const mode =
    url.searchParams.get('sslmode') ?? env.PGSSLMODE ?? (url.searchParams.has('ssl') ? 'verify-full' : 'disable');
  if (['verify-full', 'verify-ca', 'require', 'prefer'].includes(mode)) return [];
  const isEncrypted = mode === 'no-verify';
  return [
    {
      state: 'warning',
      says: isEncrypted
        ? `The certificate of the database at ${url.host} is not verified.`
        : `The connection to the database at ${url.host} is not encrypted.`,
      remedy: { says: `Add ?sslmode=verify-full to ${setting}.`, docs: 'docs/operate/start.md#encryption' },
    },
  ];
}

/** Whether this version can work with the tables. Those of a later release of its level are in order, so that an upgrade can go back. */
export async function checkTables({ database }: Examination): Promise<Finding | null> {
  const db = await database();
  if (!db) return null;
  const { pending, later, isNew } = await compareMigrations(db);
  const docs = 'docs/operate/start.md#a-new-version';
  if (isNew) return good('The database is empty. The first start makes the tables.');
  const unknown = later.length > 0 ? [{ name: 'Unknown here', value: later.join(', ') }] : [];
  if ((await readLevel(db)) > RELEASE.compatibility) {
    const remedy = { says: 'Start the later version, or restore the backup from before it.', docs: RELEASES };
    return { state: 'bad', says: 'The tables are those of a later version.', facts: unknown, remedy };
  }
  if (pending.length > 0) {
    const facts = [{ name: 'Missing updates', value: pending.join(', ') }];
    const remedy = {
      says: 'Make a backup. The next start updates them, or this does:',
      command: 'quarters migrate',
      docs,
    };
    return { state: 'warning', says: 'The tables are older than this version.', facts, remedy };
  }
  if (later.length > 0) return good('A later version has updated the tables. This one works with them.', unknown);
  return good('The tables are those of this version.');
}
