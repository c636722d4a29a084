import { resolve } from 'node:path';
import { coresOr, httpOrigin, optional, orFile, path, postgresUrl, setting, wholeNumber } from './parse.ts';
import { parseWings } from './wings.ts';

/** Where the service listens, its public addresses, its data. */
export const SERVICE_SETTINGS = {
  port: setting('PORT', '8080', wholeNumber(0, 65535), 'TCP port of the API and the pages; 0 picks a free port'),
  workers: setting(
    'WORKERS',
    '1',
    coresOr(wholeNumber(1, 64)),
    'worker processes of one start, behind one port; auto: one for each core that this process may use',
  ),
  host: setting('HOST', 'localhost', (text) => text, 'address that PORT listens on'),
  publicUrl: setting(
    'PUBLIC_URL',
    '',
    optional(httpOrigin),
    'origin that players and games use, and the OAuth issuer; default http://localhost:PORT',
  ),
  apiUrl: setting('API_URL', '', optional(httpOrigin), 'origin of the API (`{base_url}`); default PUBLIC_URL'),
  devApiUrl: setting(
    'DEV_API_URL',
    '',
    optional(httpOrigin),
    'origin where guests are created (`{dev_base_url}`); default API_URL',
  ),
  signupPath: setting(
    'SIGNUP_PATH',
    '',
    optional(path),
    'path before `/guest`: `{signup_url}` is PUBLIC_URL plus this path; default none',
  ),
  approvalPath: setting(
    'APPROVAL_PATH',
    '',
    optional(path),
    'path before `/requests/…`: `{approval_url}` is PUBLIC_URL plus this path; default none',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '0',
    wholeNumber(0, 10),
    'number of reverse proxies in front, whose `X-Forwarded-For` gives the caller’s address; 0 trusts none',
  ),
  drainSeconds: setting(
    'DRAIN_SECONDS',
    '',
    optional(wholeNumber(0, 60)),
    'seconds that SIGTERM leaves the service serving, with a red `/readyz` for proxies; unset: 5 with TRUST_PROXY, otherwise 0',
  ),
  wings: setting(
    'WINGS',
    'all',
    parseWings,
    'products beside the core that run here (docs/inside/wings.md): all, none, names such as `doctor,economy`, or all but some: `-doctor,-economy`',
  ),
  dataDir: setting(
    'QUARTERS_DATA_DIR',
    './data',
    (text) => resolve(text),
    'folder of the embedded database, the embedded chain and the master key',
  ),
  databaseUrl: orFile(
    setting('DATABASE_URL', '', optional(postgresUrl), 'PostgreSQL 15 or newer; if unset, `npm start` brings its own'),
  ),
  databaseReadUrl: orFile(
    setting(
      'DATABASE_READ_URL',
      '',
      optional(postgresUrl),
      'streaming standby that consoles, exports and lists are read from (docs/operate/high-availability.md)',
    ),
  ),
} as const;
