import pg from 'pg';
import { endClient } from './client.ts';
import { SESSION_LIMITS } from './pool.ts';
import { isDirect, poolerOf } from './pooler.ts';

const LEAST_VERSION = 150_000;
const ANSWERS_WITHIN_MS = 5_000;

/** Every role may run the function that `CONFIRMED` needs, unless somebody has revoked that. */
const READ = `
  SELECT current_setting('server_version_num')::int AS version, current_user AS role,
         (SELECT bool_and(has_function_privilege(oid, 'EXECUTE')) FROM pg_proc
           WHERE proname = 'pg_logical_emit_message' AND proargtypes[1] = 'text'::regtype) AS "mayConfirm"`;

/** Says in one sentence why the database at `url` cannot be used, without its password; null if it can be used. */
export async function databaseFault(url: string): Promise<string | null> {
  const { pathname } = new URL(url);
  const host = placeOf(url);
  const client = new pg.Client({
    connectionString: url,
    // A pooler may refuse them.
    ...SESSION_LIMITS,
    connectionTimeoutMillis: ANSWERS_WITHIN_MS,
    query_timeout: ANSWERS_WITHIN_MS,
  });
  // The current query rejects with the same error. Without a listener, the event would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number; role: string; mayConfirm: boolean }>(READ);
    const [{ version, role, mayConfirm }] = rows as [(typeof rows)[0]];
    if (version < LEAST_VERSION)
      return `PostgreSQL at ${host} is version ${Math.floor(version / 10_000)}; 15 or newer is needed`;
    if (!mayConfirm)
      return `the role ${role} of the database at ${host} may not run pg_logical_emit_message, which lets the service wait for a standby. Grant it EXECUTE on that function`;
    if (!(await isDirect(client)) && (await poolerOf(url)) === 'transaction') return poolsTransactions(host);
    return null;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (/unsupported startup parameter/.test(message))
      return `${message}, says the connection pooler at ${host}. ${POOLER_NEEDS}`;
    const advice = UNKNOWN_AUTHORITY.test(`${code}`) ? OWN_AUTHORITY : '';
    return `the database ${pathname.slice(1) || '(default)'} at ${host} cannot be reached: ${message || code}${advice}`;
  } finally {
    await endClient(client);
  }
}

/** The errors of OpenSSL for a certificate whose issuer Node.js does not know. */
const UNKNOWN_AUTHORITY =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|GET_ISSUER_CERT_LOCALLY|VERIFY_LEAF_SIGNATURE))$/;
const OWN_AUTHORITY =
  '. If an authority of your own has signed its certificate, name the file of that authority in NODE_EXTRA_CA_CERTS';

/** The host, or the folder of a socket (`postgres:///quarters?host=/var/run/postgresql`). */
function placeOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return searchParams.get('host') || decodeURIComponent(host) || 'this machine';
}

const POOLER_NEEDS = 'docs/operate/start.md#a-connection-pooler says what it needs';

function poolsTransactions(host: string): string {
  return `the connection pooler at ${host} pools transactions, which would lose prepared statements and notices. Set its pool_mode to session, or connect to PostgreSQL itself`;
}
