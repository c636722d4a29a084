import { isLoopback } from '../../../config/development.ts';
import { type Environment, startFaults } from '../../../config/read-settings.ts';
import { SETTINGS, type Settings } from '../../../config/settings.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import type { Examination } from './examination.ts';
import { misspeltNames } from './misspelt-names.ts';

const DOCS = 'docs/operate/settings.md';

/** Whether each setting can be read, and whether the settings fit each other. */
export async function checkSettings(examination: Examination): Promise<Finding | Finding[]> {
  const { env, faults, settings } = examination;
  const wrong = faults.map((fault) => bad(`${fault}.`, 'Correct it. Until then the service does not start.'));
  const misspelt = misspeltNames(Object.keys(env), NAMES).map(({ given, meant }) =>
    warning(`${given} is not a setting, so it has no effect.`, `Did you mean ${meant}?`),
  );
  const found = [...wrong, ...misspelt, ...missing(examination), ...contradictions(examination)];
  if (found.length > 0) return found;
  const given = NAMES.filter((name) => env[name]?.trim()).length;
  return good('All given settings can be read and fit each other.', [
    { name: 'Given', value: `${given} of ${NAMES.length}` },
    { name: 'Players use', value: examination.publicUrl },
    { name: 'Completed after', value: `${settings.completeAfter} blocks` },
  ]);
}

const NAMES = Object.values(SETTINGS).map(({ name }) => name);

const bad = (says: string, remedy: string, docs = DOCS): Finding => ({
  state: 'bad',
  says,
  remedy: { says: remedy, docs },
});
const warning = (says: string, remedy: string, docs = DOCS): Finding => ({
  state: 'warning',
  says,
  remedy: { says: remedy, docs },
});

function missing({ databaseUrl, rpcUrls, unreadable }: Examination): Finding[] {
  const lacks = (name: string, what: string) =>
    bad(`${name} is not set, and no service with its own ${what} runs here.`, `Set ${name}, or run npm start.`, START);
  return [
    ...(databaseUrl === null && !unreadable.has('DATABASE_URL') ? [lacks('DATABASE_URL', 'database')] : []),
    ...(rpcUrls.length === 0 && !unreadable.has('CHAIN_RPC_URL') ? [lacks('CHAIN_RPC_URL', 'chain')] : []),
  ];
}

const START = 'docs/operate/start.md#on-real-servers';
const NETWORK = 'docs/operate/network.md';
const WITHDRAWALS = 'docs/operate/withdrawals.md';

function contradictions({ settings, publicUrl, embedded, env }: Examination): Finding[] {
  const { host, protocol } = new URL(publicUrl);
  const isPublic = !isLoopback(new URL(publicUrl).hostname);
  return [
    ...startFaults(settings).map((fault) => bad(`${fault}.`, 'Set one of them.', `${NETWORK}#mail`)),
    ...(isPublic ? ofPublicServices(settings, protocol === 'https:', host) : ofLocalServices(settings, embedded, env)),
    ...(settings.demo === 'on' && settings.databaseUrl !== undefined
      ? [bad('DEMO_APP=on works only with npm start.', 'Unset DEMO_APP.')]
      : []),
    ...(settings.completeAfter > Number(settings.finalAfter)
      ? [
          warning(
            `COMPLETE_AFTER (${settings.completeAfter}) is more than FINAL_AFTER (${settings.finalAfter}).`,
            'Set FINAL_AFTER to the depth from which your chain does not reorganise any more.',
            'docs/operate/chain.md#depths-and-final-blocks',
          ),
        ]
      : []),
    ...ofWithdrawals(settings),
    ...(settings.maxBacklogPerApp > settings.maxBacklog
      ? [
          warning(
            `MAX_BACKLOG_PER_APP (${settings.maxBacklogPerApp}) is more than MAX_BACKLOG (${settings.maxBacklog}).`,
            'Lower it, so that one app cannot take the places of all others.',
          ),
        ]
      : []),
  ];
}

/** Withdrawals need a mail that arrives: its link is how an owner stops a thief's address. */
function ofWithdrawals({ withdrawals, withdrawalUserDayLimit, withdrawalDayLimit, smtpUrl }: Settings): Finding[] {
  if (withdrawals === 'off') return [];
  const found: Finding[] = [];
  if (!smtpUrl) {
    found.push(
      warning(
        'WITHDRAWALS is on without a mail server, so no player learns of a new address.',
        'Set SMTP_URL.',
        WITHDRAWALS,
      ),
    );
  }
  if (withdrawalUserDayLimit > withdrawalDayLimit) {
    found.push(
      warning(
        `WITHDRAWAL_USER_DAY_LIMIT (${withdrawalUserDayLimit}) is more than WITHDRAWAL_DAY_LIMIT (${withdrawalDayLimit}).`,
        'Lower it, so that one player cannot use up the limit of all.',
        WITHDRAWALS,
      ),
    );
  }
  return found;
}

/** What only matters where strangers reach the service. */
function ofPublicServices(settings: Settings, isSecure: boolean, host: string): Finding[] {
  const found: Finding[] = [];
  if (!isSecure) {
    found.push(
      bad(
        `PUBLIC_URL is http, so passwords and sessions travel to ${host} unencrypted.`,
        'Let a proxy end TLS, and set PUBLIC_URL to its https origin.',
        'docs/operate/start.md#encryption',
      ),
    );
  }
  if (isLoopback(settings.host) && settings.trustProxy === 0) {
    found.push(
      warning(
        `HOST is ${settings.host}, so players of ${host} come through a proxy, but TRUST_PROXY is 0.`,
        'Set TRUST_PROXY to the number of proxies. Otherwise all players share the limits of one address.',
        `${NETWORK}#addresses`,
      ),
    );
  }
  if (settings.webhookPrivateTargets === 'on') {
    found.push(
      bad(
        'WEBHOOK_PRIVATE_TARGETS is on, so every developer of an app can reach your internal network.',
        'Unset it.',
        `${NETWORK}#webhooks`,
      ),
    );
  }
  if (settings.metrics === 'public' && settings.metricsPort === undefined) {
    found.push(
      warning(
        'METRICS is public, so everyone reads the volume of your business.',
        'Set METRICS_PORT and keep that port inside your network, or unset METRICS.',
        'docs/operate/monitoring.md#metrics',
      ),
    );
  }
  if (settings.mailWithoutSmtp === 'on' && !settings.smtpUrl) {
    found.push(
      warning(
        'MAIL_WITHOUT_SMTP is on: players get no mail, and their codes are in the log.',
        'Set SMTP_URL.',
        `${NETWORK}#mail`,
      ),
    );
  }
  return found;
}

function ofLocalServices(settings: Settings, embedded: Examination['embedded'], env: Environment): Finding[] {
  const found: Finding[] = [];
  if (settings.trustProxy > 0) {
    found.push(
      warning(
        `TRUST_PROXY is ${settings.trustProxy}, but PUBLIC_URL is of this machine: callers choose the address they are counted by.`,
        'Set PUBLIC_URL to the origin of the proxy, or unset TRUST_PROXY.',
        `${NETWORK}#addresses`,
      ),
    );
  }
  if (!env.PUBLIC_URL?.trim() && !embedded.database && settings.databaseUrl !== undefined) {
    found.push(
      warning(
        'PUBLIC_URL is not set, so only browsers on this machine can use the pages.',
        'Set it to the origin that players use.',
        `${NETWORK}#addresses`,
      ),
    );
  }
  return found;
}
