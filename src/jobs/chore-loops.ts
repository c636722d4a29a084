import { join } from 'node:path';
import { sendMails } from '../features/mails/mails.ts';
import { grantEarned } from '../features/rewards/grant-earned.ts';
import { webhookSender } from '../features/webhooks/send-webhooks.ts';
import { forgetOldKeys } from '../idempotency/keys.ts';
import { forgetOldAttempts, forgetOldBudgets } from '../identity/attempts.ts';
import { forgetOldCodes } from '../identity/email-codes.ts';
import { forgetOldChallenges } from '../identity/passkeys.ts';
import { pruneBlocksBelow, readCursor } from '../ledger/blocks.ts';
import { markUnswept } from '../ledger/closed-accounts.ts';
import { forgetOrphanedDeposits } from '../ledger/orphaned-deposits.ts';
import { folderMailer, type Mailer, smtpMailer } from '../mail/mail.ts';
import { forgetOldRecords } from '../oauth/records.ts';
import { forgetOldReports } from '../requests/reports.ts';
import { findOutOfTime } from '../requests/requests.ts';
import { suspectStranded } from '../settlement/readiness.ts';
import type { Service } from '../settlement/service.ts';
import { transitionRequests } from '../settlement/transition-requests.ts';
import { forgetOldEvents } from '../webhooks/events.ts';
import { type Loop, repeat } from './repeat.ts';

const PAUSE_MS = 5_000;
/** Expired data may stay for another minute: it is no longer used. */
const FORGETTING_PAUSE_MS = 60_000;
/** Repairs of an earlier version's data scan everything, so they run rarely. */
const THOROUGH_PAUSE_MS = 3_600_000;
const EXPIRE_MOST = 1_000;
const FORGET_MOST = 10_000;
/** Blocks to keep behind the newest, for rewinding after a reorganisation. Older ones would be read from the chain again. */
const BLOCKS_KEPT = 10_000n;

type Chore = (service: Service) => Promise<boolean>;

/** The chores by name. Each does a limited piece of work and resolves with true if more is left. */
const CHORES: Readonly<Record<string, Chore>> = {
  'expire requests': async (service) => (await expireRequests(service, EXPIRE_MOST)) === EXPIRE_MOST,
  'forget idempotency keys': forgetting(forgetOldKeys),
  'forget codes': forgetting(forgetOldCodes),
  'forget attempt budgets': forgetting(forgetOldBudgets),
  'forget attempts': forgetting(forgetOldAttempts),
  'forget challenges': forgetting(forgetOldChallenges),
  'forget reports': forgetting(forgetOldReports),
  'forget events': forgetting(forgetOldEvents),
  'forget OAuth records': forgetting(forgetOldRecords),
  'forget orphaned deposits': forgetting(forgetOrphanedDeposits),
  'forget blocks': async ({ db, settings }) => {
    const cursor = await readCursor(db);
    if (cursor) await pruneBlocksBelow(db, cursor.number - BLOCKS_KEPT - BigInt(settings.finalAfter));
    return false;
  },
  'check closed accounts': async ({ db }) => (await markUnswept(db, FORGET_MOST)) === FORGET_MOST,
  // A slow, complete search for transfers without a transaction. Other code raises the same flag when it suspects one.
  'suspect stranded transfers': async (service) => {
    suspectStranded(service);
    return false;
  },
};

/**
 * Starts the periodic chores, each in its own loop: one that fails or has much to do must not delay the others. They begin one
 * after the other, because all at once would take most of the database's connections.
 */
export function choreLoops(service: Service, firstAfterMs: number): Loop[] {
  const chores = Object.entries(CHORES);
  return chores.map(([name, chore], i) =>
    repeat(name, service.log, pauseOf(name), () => chore(service), firstAfterMs + (i * PAUSE_MS) / chores.length),
  );
}

function pauseOf(name: string): number {
  if (name.startsWith('check')) return THOROUGH_PAUSE_MS;
  return name.startsWith('forget') ? FORGETTING_PAUSE_MS : PAUSE_MS;
}

/** Skips rows that another process has locked until the next turn, so two processes never wait for each other. */
function forgetting(forget: (db: Service['db'], most: number) => Promise<number>): Chore {
  return async ({ db }) => (await forget(db, FORGET_MOST)) === FORGET_MOST;
}

/** Marks pending requests that have run out of time as expired, at most `most`. Returns how many. */
export async function expireRequests({ db }: Pick<Service, 'db'>, most: number): Promise<number> {
  const ids = await findOutOfTime(db, most);
  return (await db.transaction((tx) => transitionRequests(tx, ids, 'expire', 'clock'))).length;
}

/** New mails are announced. Polling finds mails that are due again and those of a process that died. */
const MAIL_PAUSE_MS = 5_000;

/** Sends queued mails. */
export function mailLoop(service: Service, firstAfterMs: number): Loop {
  const send = mailer(service);
  const loop = repeat('mail', service.log, MAIL_PAUSE_MS, () => sendMails(service, send), firstAfterMs);
  service.db.onAnnounced('mails', loop.wake);
  return loop;
}

/** Without a mail server, the codes are in the log and in the data folder, for trying out the service. */
function mailer({ settings, publicUrl, log }: Service): Mailer {
  const { smtpUrl, mailFrom, dataDir } = settings;
  if (smtpUrl) return smtpMailer(smtpUrl, mailFrom, new URL(publicUrl).hostname);
  const folder = join(dataDir, 'mail');
  const write = folderMailer(folder);
  return async (mail) => {
    await write(mail);
    log.info({ to: mail.to, subject: mail.subject, text: mail.text, folder }, 'a mail, as no SMTP_URL is set');
  };
}

const REWARDS_PAUSE_MS = 1_000;

/** Grants earned rewards, shortly after they are earned. Returns no loop if every rule is off. */
export function rewardsLoop(service: Service, firstAfterMs: number): Loop[] {
  const { welcomeReward, rewardSharePercent } = service.settings;
  if (welcomeReward === 0n && rewardSharePercent === 0) return [];
  const grant = async () => !service.readiness.suspended && grantEarned(service);
  return [repeat('rewards', service.log, REWARDS_PAUSE_MS, grant, firstAfterMs)];
}

/** New deliveries are announced. Polling finds those that are due again and those of a process that died. */
const WEBHOOK_PAUSE_MS = 2_000;

/** Delivers webhooks to apps. */
export function webhookLoop(service: Service, firstAfterMs: number): Loop {
  const sender = webhookSender(service, () => loop.wake());
  const loop: Loop = repeat('webhooks', service.log, WEBHOOK_PAUSE_MS, () => sender.sendDue(), firstAfterMs);
  service.db.onAnnounced('deliveries', loop.wake);
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await sender.idle();
    },
  };
}
