import { resolve } from 'node:path';
import { MAX_QUARTERS } from '../base/quarters.ts';
import {
  amount,
  amountOrNone,
  blocks,
  explorerUrl,
  httpOrigin,
  masterKey,
  oneOf,
  optional,
  type Parse,
  path,
  postgresUrl,
  rpcUrls,
  smtpUrl,
  wholeNumber,
} from './parse.ts';

type Setting<T> = { name: string; help: string; fallback: string; parse: Parse<T> };

const setting = <T>(name: string, fallback: string, parse: Parse<T>, help: string): Setting<T> => ({
  name,
  help,
  fallback,
  parse,
});

/** Every setting of the service, in the order the documentation lists them. An empty value counts as unset. */
export const SETTINGS = {
  port: setting('PORT', '8080', wholeNumber(0, 65535), 'TCP port of the API and the pages; 0 takes a free one'),
  host: setting('HOST', 'localhost', (text) => text, 'address the port is opened on'),
  publicUrl: setting(
    'PUBLIC_URL',
    '',
    optional(httpOrigin),
    'origin players and games reach, and the OAuth issuer; default http://localhost:PORT',
  ),
  apiUrl: setting('API_URL', '', optional(httpOrigin), 'origin of the API (`{base_url}`); default PUBLIC_URL'),
  devApiUrl: setting(
    'DEV_API_URL',
    '',
    optional(httpOrigin),
    'origin guests are created at (`{dev_base_url}`); default API_URL',
  ),
  signupPath: setting(
    'SIGNUP_PATH',
    '',
    optional(path),
    'path before `/guest`: `{signup_url}` is PUBLIC_URL with it; default none',
  ),
  approvalPath: setting(
    'APPROVAL_PATH',
    '',
    optional(path),
    'path before `/requests/…`: `{approval_url}` is PUBLIC_URL with it; default none',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '0',
    wholeNumber(0, 10),
    'reverse proxies in front, whose `X-Forwarded-For` tells the caller’s address; 0: none is believed',
  ),
  dataDir: setting(
    'QUARTERS_DATA_DIR',
    './data',
    (text) => resolve(text),
    'folder of the embedded parts and the master key',
  ),
  databaseUrl: setting('DATABASE_URL', '', optional(postgresUrl), 'PostgreSQL ≥ 15; unset starts an embedded one'),
  chainRpcUrls: setting(
    'CHAIN_RPC_URL',
    '',
    rpcUrls,
    'JSON-RPC endpoints, comma-separated, first is preferred; unset starts an embedded chain',
  ),
  completeAfter: setting(
    'COMPLETE_AFTER',
    '1',
    blocks(1),
    'depth in blocks at which a transfer counts; 1 is the newest block',
  ),
  finalAfter: setting('FINAL_AFTER', '64', blocks(1), 'depth in blocks beyond which a reorganisation is an alarm'),
  pollMilliseconds: setting('CHAIN_POLL_MS', '250', wholeNumber(20, 60_000), 'pause between two looks at the chain'),
  inFlightWindow: setting(
    'IN_FLIGHT_WINDOW',
    '512',
    wholeNumber(1, 100_000),
    'unmined transactions of one relayer given to the node at once',
  ),
  replaceAfterBlocks: setting(
    'REPLACE_AFTER_BLOCKS',
    '10',
    blocks(1),
    'blocks after which an unmined transaction is sent again with a higher fee',
  ),
  maxBacklog: setting(
    'MAX_BACKLOG',
    '20000',
    wholeNumber(1, 10_000_000),
    'signed, unmined transactions above which new transfers are refused with 503',
  ),
  transfersPerTransaction: setting(
    'TRANSFERS_PER_TRANSACTION',
    '1',
    wholeNumber(1, 200),
    'transfers packed into one Ethereum transaction',
  ),
  relayers: setting('RELAYERS', '1', wholeNumber(1, 64), 'accounts that pay gas for settlement'),
  maxFeePerGasGwei: setting('MAX_FEE_PER_GAS_GWEI', '200', wholeNumber(1, 1_000_000), 'highest gas price ever offered'),
  priorityFeeGwei: setting('PRIORITY_FEE_GWEI', '1', wholeNumber(0, 100_000), "block producer's tip"),
  lowGasTransactions: setting(
    'LOW_GAS_TRANSACTIONS',
    '500',
    wholeNumber(1, 1_000_000),
    'a relayer whose ether pays for fewer transactions than this is warned about',
  ),
  initialSupply: setting(
    'INITIAL_SUPPLY',
    '1000000000000',
    amount,
    'quarters minted to the treasury when the contracts are deployed',
  ),
  maxAmount: setting('MAX_AMOUNT', String(MAX_QUARTERS), amount, 'largest single transfer'),
  welcomeReward: setting(
    'WELCOME_REWARD',
    '0',
    amountOrNone,
    "reward in quarters for a full user's first approved transfer; 0 is none",
  ),
  rewardSharePercent: setting(
    'REWARD_SHARE_PERCENT',
    '0',
    wholeNumber(0, 50),
    'percent of what full users spend in apps that they are granted as a reward; 0 is none',
  ),
  rewardsPerUserPerDay: setting(
    'REWARDS_PER_USER_PER_DAY',
    '1000',
    amount,
    'quarters that the share grants one user a day (UTC) at the most',
  ),
  rewardsPerAppPerDay: setting(
    'REWARDS_PER_APP_PER_DAY',
    '100000',
    amount,
    'quarters that welcome and share grant for spends in one app a day (UTC) at the most',
  ),
  requestTtlSeconds: setting(
    'REQUEST_TTL_SECONDS',
    '900',
    wholeNumber(10, 86_400),
    'a request nobody decides expires after this time',
  ),
  guestTokenDays: setting(
    'GUEST_TOKEN_DAYS',
    '365',
    wholeNumber(1, 36_500),
    "a guest's tokens expire this long after their last use",
  ),
  guestsPerDay: setting('GUESTS_PER_DAY', '100000', wholeNumber(1, 1_000_000_000), 'guests one app may make a day'),
  rateLimitPerSecond: setting(
    'RATE_LIMIT_PER_SECOND',
    '100',
    wholeNumber(0, 1_000_000),
    'calls a second of one credential of the API, over all processes; 0: no limit',
  ),
  rateLimitPerAddress: setting(
    'RATE_LIMIT_PER_ADDRESS',
    '200',
    wholeNumber(0, 1_000_000),
    'calls without a good credential, and requests for pages, a second from one address; 0: no limit',
  ),
  smtpUrl: setting(
    'SMTP_URL',
    '',
    optional(smtpUrl),
    'mail server, `smtp://user:password@host:587` or `smtps://…`; unset: mails go to the data folder and the console',
  ),
  mailFrom: setting('MAIL_FROM', 'Quarters <quarters@localhost>', (text) => text, 'sender of our mails'),
  standingPerTransfer: setting(
    'AUTO_APPROVE_PER_TRANSFER',
    '100',
    amount,
    'quarters a standing approval allows at a time; at most AUTO_APPROVE_PER_DAY',
  ),
  webhookPrivateTargets: setting(
    'WEBHOOK_PRIVATE_TARGETS',
    'off',
    oneOf('on', 'off'),
    'on: webhooks may go to `http://` and to addresses inside our network; for development only',
  ),
  standingPerDay: setting('AUTO_APPROVE_PER_DAY', '1000', amount, 'quarters a standing approval allows a day'),
  standingDays: setting('AUTO_APPROVE_DAYS', '30', wholeNumber(1, 3650), 'days a standing approval lasts'),
  confirmAbove: setting(
    'CONFIRM_ABOVE',
    '10000',
    amountOrNone,
    'a payment above so many quarters is approved only within five minutes of giving password or passkey; not by guests, who have none; 0: never asked',
  ),
  explorerUrl: setting(
    'EXPLORER_URL',
    '',
    optional(explorerUrl),
    'a block explorer’s page of a transaction, such as `https://etherscan.io/tx/{tx}`; unset: hashes are shown as text',
  ),
  masterKeyFile: setting(
    'MASTER_KEY_FILE',
    '',
    (text) => text && resolve(text),
    'file with the 32-byte master key in hex; default QUARTERS_DATA_DIR/master.key',
  ),
  masterKey: setting('MASTER_KEY', '', optional(masterKey), 'the master key itself, 64 hex digits, instead of a file'),
  auditEverySeconds: setting(
    'AUDIT_EVERY_SECONDS',
    '3600',
    wholeNumber(0, 2_592_000),
    'pause between two audits of the ledger against the chain; 0 turns them off',
  ),
  metrics: setting(
    'METRICS',
    'local',
    oneOf('local', 'public', 'off'),
    'who gets `/metrics`: callers on this machine, everybody, nobody',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'what is logged',
  ),
  demo: setting(
    'DEMO_APP',
    'auto',
    oneOf('auto', 'on', 'off'),
    'a demo app, made on the first start, and the example game that uses it; auto: where database and chain are embedded',
  ),
  arcadePort: setting(
    'ARCADE_PORT',
    '8081',
    wholeNumber(0, 65535),
    'TCP port of the example game, on 127.0.0.1; 0, or where it is taken: a free one',
  ),
} as const;

export type Settings = { readonly [K in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[K]['parse']> };

/** Thrown with every fault of the environment at once, one sentence each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Environment → checked, frozen settings. Throws {@link SettingsError} with all faults. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, { name, fallback, parse }] of Object.entries(SETTINGS)) {
    const text = env[name]?.trim() || fallback;
    try {
      values[key] = parse(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
    }
  }
  if (env.MASTER_KEY?.trim() && env.MASTER_KEY_FILE?.trim()) {
    faults.push('MASTER_KEY and MASTER_KEY_FILE are both set: keep one of them');
  }
  const { standingPerTransfer, standingPerDay } = values as Partial<Settings>;
  if (standingPerTransfer && standingPerDay && standingPerTransfer > standingPerDay) {
    faults.push(
      `AUTO_APPROVE_PER_TRANSFER (${standingPerTransfer}) is more than AUTO_APPROVE_PER_DAY (${standingPerDay})`,
    );
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.freeze(values) as Settings;
}
