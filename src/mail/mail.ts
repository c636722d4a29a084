import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { lazily } from '../base/lazily.ts';
import type { Settings } from '../config/settings.ts';
import type { Queries, Tx } from '../db/database.ts';

/** A mail to send. Its content is sealed, since it may contain a code. */
export type StoredMail = {
  readonly id: string;
  readonly sealed: Buffer;
  /** Including this one. */
  readonly attempts: number;
  readonly createdAt: Date;
};

export type SealedMail = Pick<StoredMail, 'id' | 'sealed'>;

export const newMailId = () => randomUUID();

/** Queues a sealed mail for sending, exactly if the transaction commits. */
export async function insertMail(tx: Tx, { id, sealed }: SealedMail): Promise<void> {
  await tx.query('INSERT INTO mails (id, sealed) VALUES ($1, $2)', [id, sealed]);
  tx.announce('mails');
}

/**
 * Takes up to `most` due mails; no other process gets them at the same time. Taking schedules the next attempt (after 1, 2, 4 … minutes,
 * at most an hour), so a failure or a crash needs no further update.
 */
export async function takeDueMails({ query }: Queries, most: number): Promise<StoredMail[]> {
  return query<StoredMail>(
    `WITH due AS (
       SELECT id FROM mails WHERE next_attempt_at <= now()
        ORDER BY next_attempt_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
     UPDATE mails SET attempts = attempts + 1, next_attempt_at = now() + interval '1 minute' * least(60, 2 ^ attempts)
       FROM due WHERE mails.id = due.id RETURNING mails.id, sealed, attempts, created_at AS "createdAt"`,
    [most],
  );
}

/** Whether a mail is sealed under another data key than this one. */
export async function hasOlderMails({ query }: Queries, key: Buffer): Promise<boolean> {
  return (await query('SELECT FROM mails WHERE substring(sealed FOR 4) <> $1 LIMIT 1', [key])).length > 0;
}

export async function deleteMail({ query }: Queries, id: string): Promise<void> {
  await query('DELETE FROM mails WHERE id = $1', [id]);
}

/** Those of these mails that are neither delivered nor given up. */
export async function queuedAmong({ query }: Queries, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string }>('SELECT id FROM mails WHERE id = ANY($1::uuid[])', [ids]);
  return new Set(rows.map(({ id }) => id));
}

/** Mails that wait to be sent. `failing`: of these, those that could not be sent so far. Both count up to the given limit. */
export type MailQueue = { readonly waiting: number; readonly failing: number; readonly oldest: Date | null };

export async function readMailQueue({ query }: Queries, most: number): Promise<MailQueue> {
  const [row] = await query<MailQueue>(
    // The mail that is being sent now counts as attempted once.
    `SELECT count(*)::integer AS waiting, count(*) FILTER (WHERE attempts > 1)::integer AS failing, min(created_at) AS oldest
       FROM (SELECT attempts, created_at FROM mails ORDER BY next_attempt_at LIMIT $1) AS counted`,
    [most],
  );
  return row!;
}

/** A mail to one address, as text and, with the same content, as HTML. */
export type OutgoingMail = {
  /** The same at every attempt, so that a mail that arrives twice can be recognised. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
};

/** Resolves once the server has accepted the mail. Rejects if it was refused, or if that is not known. */
export type Mailer = (mail: OutgoingMail) => Promise<void>;

/** Limits the connection, and each reply. */
const TIMEOUT_MS = 10_000;
/**
 * For all steps together, since a server may be slow at each. Well below the minute after which another process tries the same mail.
 * Stopping the service may wait this long for a mail.
 */
const DEADLINE_MS = 40_000;

/** A mail server on this machine: nobody else can read what is sent to it. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Where mails are handed over, and as whom. */
export type MailServer = {
  /** `smtps://…` or `smtp://…` */
  readonly url: string;
  /** The sender of our mails. */
  readonly from: string;
  /** Our own host, as in PUBLIC_URL. */
  readonly host: string;
  /** What this machine calls itself to the server; unset: its own name, or ours. */
  readonly helo: string | undefined;
};

/**
 * Hands mails to an SMTP server (RFC 5321). `smtp://…` requires STARTTLS, because mails hold codes, unless the server is on this
 * machine or the URL says `?requireTLS=false`.
 */
export function smtpMailer(server: MailServer, deadlineMs = DEADLINE_MS): Mailer {
  // Loaded with the first mail, so that a process that sends none starts faster.
  const open = lazily(() => openTransport(server));
  return async ({ id, to, subject, text, html }) => {
    const transport = await open();
    await transport.sendMail({
      from: server.from,
      // An object, since text would be parsed as a list of addresses.
      to: { name: '', address: to },
      subject: oneLine(subject),
      text,
      html,
      messageId: `<${id}@${server.host}>`,
      // Keeps automatic responders from replying (RFC 3834, section 5).
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.timeout(deadlineMs),
    });
  };
}

async function openTransport(server: MailServer) {
  const { createTransport } = await import('nodemailer');
  return createTransport(smtpOptions(server, TIMEOUT_MS));
}

/** How the library connects to the server. */
export function smtpOptions(server: MailServer, timeoutMs: number) {
  const name = heloOf(server);
  return {
    url: server.url,
    ...(name !== null && { name }),
    // The URL's own option overrides this.
    requireTLS: !LOOPBACK.test(new URL(server.url).hostname),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A mail's text must not make the library attach files or fetch addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** A container has a name without a domain, which many servers refuse. Null: the library takes the machine's name. */
function heloOf({ helo, host }: MailServer): string | null {
  if (helo !== undefined) return helo;
  return hostname().includes('.') || !/\.[a-z]/i.test(host) ? null : host;
}

/** Used without a mail server: writes `<folder>/<time>-<id>.txt` and `….html`, which only their owner may read. */
export function folderMailer(folder: string): Mailer {
  return async ({ id, to, subject, text, html }) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${id}`);
    if (html !== undefined) await writeFile(`${path}.html`, html, { mode: 0o600 });
    await writeFile(`${path}.txt`, `To: ${to}\nSubject: ${oneLine(subject)}\n\n${text}\n`, { mode: 0o600 });
  };
}

/** A subject may contain a game's name. Without line breaks it cannot add headers. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** The mail server of the settings; null if none is set. */
export function mailServerOf({ smtpUrl, mailFrom, mailHelo }: MailSettings, publicUrl: string): MailServer | null {
  return smtpUrl ? { url: smtpUrl, from: mailFrom, host: new URL(publicUrl).hostname, helo: mailHelo } : null;
}

type MailSettings = Pick<Settings, 'smtpUrl' | 'mailFrom' | 'mailHelo'>;
