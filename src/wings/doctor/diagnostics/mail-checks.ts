import { isLoopback } from '../../../config/development.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { type MailServer, mailServerOf, newMailId, smtpMailer } from '../../../mail/mail.ts';
import { isAboutRecipient } from '../../../mail/refusals.ts';
import { type RefusedStep, tryMailServer } from '../../../mail/try-mail-server.ts';
import { ANSWERS_WITHIN_MS, type Examination } from './examination.ts';

const DOCS = 'docs/operate/network.md#mail';

/** Whether the mail server takes our mails. Sends one only if `sendMailTo` names an address. */
export async function checkMailServer({ settings, publicUrl, sendMailTo }: Examination): Promise<Finding | Finding[]> {
  const server = mailServerOf(settings, publicUrl);
  if (!server) {
    if (sendMailTo !== null) return fault('bad', 'No mail can be sent: SMTP_URL is not set.', 'Set SMTP_URL.');
    return good('Without SMTP_URL, mails go to the data folder.');
  }
  const { host } = new URL(server.url);
  // Every domain takes mails to this one (RFC 5321, section 4.5.1).
  const to = sendMailTo ?? `postmaster@${domainOf(server.from)}`;
  const tried = await tryMailServer(server, to, ANSWERS_WITHIN_MS).catch((error: Error) => error);
  if (tried instanceof Error) {
    return fault('bad', `The mail server ${host} cannot be used: ${sentence(tried)}`, remedyOf(tried));
  }
  const found = [...ofSender(server.from, publicUrl), ...ofEncryption(server.url)];
  if (tried) found.push(ofRefusal(tried, host, to));
  else if (sendMailTo !== null) found.push(await sendTest(server, publicUrl, sendMailTo));
  return found.length > 0
    ? found
    : good(`The mail server takes our mails. None was sent.`, [{ name: 'Server', value: host }]);
}

/** What the server refused before there was a mail. */
function ofRefusal({ command, reply }: RefusedStep, host: string, to: string): Finding {
  const says = `The mail server ${host} refused ${command}, for a mail to ${to} that was not sent: ${sentence({ message: reply })}`;
  if (/^4/.test(reply)) return fault('warning', says, 'It may take mails later. Run this again in a few minutes.');
  if (command === 'RCPT TO' && isAboutRecipient(reply)) {
    return fault('warning', says, 'It may take mails to others. Try one of yours with --send-mail-to.');
  }
  if (/\b(helo|ehlo)\b/i.test(reply))
    return fault('bad', says, 'Set MAIL_HELO to a full name that the server accepts.');
  if (command === 'MAIL FROM' || /\bsender\b/i.test(reply)) {
    return fault('bad', says, 'Set MAIL_FROM to an address that we may send from, with the user in SMTP_URL.');
  }
  return fault('bad', says, 'See what the server says about it. It judges SMTP_URL, MAIL_FROM and MAIL_HELO.');
}

/** nodemailer's codes. */
function remedyOf(error: Error & { code?: string }): string {
  if (error.code === 'EAUTH') return 'Correct the user and the password in SMTP_URL.';
  if (error.code === 'ETLS') return 'Use smtps://, or let the server offer STARTTLS.';
  return 'Correct SMTP_URL, or let this machine reach the server.';
}

function ofSender(mailFrom: string, publicUrl: string): Finding[] {
  const domain = domainOf(mailFrom);
  if (/^[a-z\d-]+(\.[a-z\d-]+)+$/i.test(domain)) return [];
  if (domain !== '' && isLoopback(new URL(publicUrl).hostname)) return [];
  const says = `MAIL_FROM is ${mailFrom}, which other mail servers refuse.`;
  return [fault('warning', says, 'Set it to an address of your own domain.')];
}

function domainOf(mailFrom: string): string {
  return /@([^@>\s]+)>?\s*$/.exec(mailFrom)?.[1] ?? '';
}

function ofEncryption(smtpUrl: string): Finding[] {
  const { hostname, searchParams } = new URL(smtpUrl);
  if (isLoopback(hostname) || searchParams.get('requireTLS') !== 'false') return [];
  const says = `Mails may travel to ${hostname} unencrypted, and they hold codes.`;
  return [fault('warning', says, 'Remove requireTLS=false from SMTP_URL, or use smtps://.')];
}

async function sendTest(server: MailServer, publicUrl: string, to: string): Promise<Finding> {
  const send = smtpMailer(server, 2 * ANSWERS_WITHIN_MS);
  const subject = 'Test mail of Quarters';
  const text = `This is a test of the mail settings of ${publicUrl}. There is nothing to do.`;
  try {
    await send({ id: newMailId(), to, subject, text });
    return good(`The mail server has accepted a test mail to ${to}.`);
  } catch (error) {
    const says = `The test mail was not accepted: ${sentence(error as Error)}`;
    return fault('bad', says, 'See what the mail server says about it.');
  }
}

/** Replies of mail servers end in a full stop or not. */
function sentence({ message }: Pick<Error, 'message'>): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

const fault = (state: 'bad' | 'warning', says: string, remedy: string): Finding => ({
  state,
  says,
  remedy: { says: remedy, docs: DOCS },
});
