import { join } from 'node:path';
import type { AppId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { noteRefusedInvitation } from '../../identity/app-invitations.ts';
import { isDemoAddress } from '../../identity/demo-owner.ts';
import { noteRefusedCode } from '../../identity/email-codes.ts';
import { listFormerEmails } from '../../identity/former-emails.ts';
import { minutesToStop } from '../../identity/minutes-to-stop.ts';
import { findUserByEmail, type User } from '../../identity/users.ts';
import { listUnannounced, startWaits } from '../../identity/withdrawal-addresses.ts';
import {
  deleteMail,
  insertMail,
  type Mailer,
  newMailId,
  type OutgoingMail,
  queuedAmong,
  type SealedMail,
  type StoredMail,
  takeDueMails,
} from '../../mail/mail.ts';
import { forgetRefusedMails, recordRefusedMail, refusalOf, replyWithout } from '../../mail/refusals.ts';
import type { Service } from '../../service/service.ts';
import { languageOf } from '../../words/languages.ts';
import { type Brand, htmlOf, textOf, type WriteMail } from './mail-layout.ts';

/** Where mails are written, if there is no mail server. */
export function mailFolder({ dataDir }: Service['settings']): string {
  return join(dataDir, 'mail');
}

/** The same for a page that waits for a mail. Null if it is sent, and outside of development mode, where it helps no player. */
export function mailFolderToShow({ settings, development }: Pick<Service, 'settings' | 'development'>): string | null {
  return development && !settings.smtpUrl ? mailFolder(settings) : null;
}

/**
 * A mail to one address. `codeId`: the code that it brings, for the page that waits for it. `invitedTo`: the app to whose team it invites.
 */
export type Mail = {
  readonly to: string;
  readonly write: WriteMail;
  /** The language of the page that it answers, or of the person (BCP 47), for an address of no account. */
  readonly locale?: string | null | undefined;
  readonly codeId?: string;
  readonly invitedTo?: AppId;
};

/** As it is stored. One that an older version queued has no `html`. */
type Written = Omit<OutgoingMail, 'id'> & Pick<Mail, 'codeId' | 'invitedTo'>;

/**
 * Queues a mail for sending, at least once, exactly if the caller's transaction commits. Nobody waits for the mail
 * server, so the response time reveals nothing about the recipient. Nothing is sent to the demo app's owner. Returns the mail's id; null if
 * there is none.
 */
export async function queueMail(service: Writing, tx: Tx, mail: Mail): Promise<string | null> {
  const locale = (await findUserByEmail(tx, mail.to))?.locale ?? mail.locale;
  const sealed = await sealMail(service, { ...mail, locale });
  if (sealed) await insertMail(tx, sealed);
  return sealed?.id ?? null;
}

/**
 * The same to somebody's e-mail address and to those that they had in the last 30 days: whoever has taken the account over may have changed
 * it. Returns the ids of the mails.
 */
export async function queueWarning(
  service: Writing,
  tx: Tx,
  user: Pick<User, 'id' | 'email' | 'locale'>,
  write: WriteMail,
): Promise<string[]> {
  const ids: string[] = [];
  for (const to of [user.email, ...(await listFormerEmails(tx, user))]) {
    const id = await queueMail(service, tx, { to, locale: user.locale, write });
    if (id !== null) ids.push(id);
  }
  return ids;
}

type Writing = Pick<Service, 'vault' | 'languages'> & { readonly settings: Brand };

/** Writes and seals a mail in the language of its `locale`, to be queued by others; null if nothing is sent to its address. */
export async function sealMail(
  { vault, settings, languages }: Writing,
  { to, write, locale, codeId, invitedTo }: Mail,
): Promise<SealedMail | null> {
  if (isDemoAddress(to)) return null;
  const id = newMailId();
  const words = (locale && languageOf(languages, locale)) || languages.fallback;
  const content = write(words);
  const { subject } = content;
  const written = { to, subject, text: textOf(content), html: await htmlOf(content, settings, words) };
  const mail: Written = { ...written, ...(codeId !== undefined && { codeId }), ...(invitedTo && { invitedTo }) };
  return { id, sealed: vault.seal(Buffer.from(JSON.stringify(mail)), mailContext(id)) };
}

/** The context that a mail is sealed for. */
const mailContext = (id: string) => `mail ${id}`;

type Sending = Pick<Service, 'db' | 'vault' | 'log' | 'development'>;

/** Mails sent at the same time. */
const AT_ONCE = 4;
/** The reason for a mail is long past by then. */
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

/**
 * Sends mails that are due; returns true if there may be more. Each is sent at least once: if the process dies between
 * handing a mail over and deleting it, it is sent again a minute later, with the same Message-ID.
 */
export async function sendMails(service: Sending, send: Mailer): Promise<boolean> {
  const due = await takeDueMails(service.db, AT_ONCE);
  await Promise.all(due.map((mail) => sendOne(service, send, mail)));
  await startAnnounced(service);
  return due.length === AT_ONCE;
}

/**
 * Begins the wait of withdrawal addresses whose mails are delivered or given up. Whoever deletes the last of them looks afterwards, and if
 * that process dies, the next one that looks for mails does.
 */
async function startAnnounced({ db, development }: Sending): Promise<void> {
  const waiting = await listUnannounced(db);
  if (waiting.length === 0) return;
  const queued = await queuedAmong(
    db,
    waiting.flatMap(({ notices }) => notices),
  );
  const announced = waiting.filter(({ notices }) => !notices.some((id) => queued.has(id)));
  if (announced.length > 0) await startWaits(db, announced, minutesToStop({ development }));
}

async function sendOne(service: Sending, send: Mailer, stored: StoredMail): Promise<void> {
  const { db, vault } = service;
  const { id } = stored;
  let mail: Written | undefined;
  try {
    mail = JSON.parse(vault.unseal(stored.sealed, mailContext(id)).toString()) as Written;
    await send({ id, ...mail });
  } catch (error) {
    if (!(await giveUp(service, stored, error, mail))) return;
    await deleteMail(db, id);
    return;
  }
  await forgetRefusedMails(db);
  await deleteMail(db, id);
}

/**
 * Says what went wrong, and returns whether the mail is given up. A log line names the mail, but never its recipient or its text, which
 * may contain a code.
 */
async function giveUp(
  { db, log }: Sending,
  { id, attempts, createdAt }: StoredMail,
  error: unknown,
  mail: Written | undefined,
): Promise<boolean> {
  const to = mail?.to ?? '';
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  const entry = { mail: id, attempts, smtp: responseCode, reply: replyWithout(to, error), reason: code };
  const refusal = refusalOf(error, to);
  if (refusal) {
    await recordRefusedMail(db, refusal.reply);
    if (mail?.codeId !== undefined) await noteRefusedCode(db, mail.codeId, refusal);
  }
  if (!refusal?.isOfMail && Date.now() - createdAt.getTime() <= GIVE_UP_AFTER_MS) {
    log.warn(entry, 'a mail could not be sent and will be tried again');
    return false;
  }
  if (mail?.invitedTo) await noteRefusedInvitation(db, mail.invitedTo, to);
  log.error(entry, 'a mail could not be sent and is given up');
  return true;
}
