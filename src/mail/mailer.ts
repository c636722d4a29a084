import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lazily } from '../base/lazily.ts';

/** Plain text to one address. */
export type OutgoingMail = {
  /** The same at every attempt: a mail that arrives twice is recognised by it. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
};

/** Resolves once the mail is handed over; rejects where it was refused or that is not known. */
export type Mailer = (mail: OutgoingMail) => Promise<void>;

/** For the connection, and for each answer. */
const TIMEOUT_MS = 10_000;
/**
 * For all of it, since a server may be slow at each step: well below the minute after which another process tries the same
 * mail, and as long as a mail may hold up the stop.
 */
const DEADLINE_MS = 40_000;

/** A mail server on this machine: nobody can read what is sent to it. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Hands mails to an SMTP server (RFC 5321). `url`: `smtps://…`, or `smtp://…`, where STARTTLS is required, as mails hold codes, unless the
 * server is on this machine or the address says `?requireTLS=false`.
 */
export function smtpMailer(url: string, from: string, host: string, deadlineMs = DEADLINE_MS): Mailer {
  const options = {
    url,
    // The address has the last word.
    requireTLS: !LOOPBACK.test(new URL(url).hostname),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // A mail is only what is in it, whatever its text says.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  // Loaded with the first mail: a process that sends none starts the sooner.
  const open = lazily(() => import('nodemailer').then(({ createTransport }) => createTransport(options)));
  return async ({ id, to, subject, text }) => {
    const transport = await open();
    await transport.sendMail({
      from,
      // As an object and not as text, which would be read as a list of addresses.
      to: { name: '', address: to },
      subject: oneLine(subject),
      text,
      messageId: `<${id}@${host}>`,
      // No answering machine replies (RFC 3834, section 5).
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.timeout(deadlineMs),
    });
  };
}

/** Where there is no mail server: `<folder>/<time>-<id>.txt`, which its owner alone may read. */
export function folderMailer(folder: string): Mailer {
  return async ({ id, to, subject, text }) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${id}.txt`;
    await writeFile(join(folder, name), `To: ${to}\nSubject: ${oneLine(subject)}\n\n${text}\n`, { mode: 0o600 });
  };
}

/** A subject may hold a game's name: it ends where its line ends, so nobody adds headers. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** Whether the server has refused the address for good (RFC 5321, section 4.2.1); every other failure may pass. */
export function isRefusedForGood(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500;
}
