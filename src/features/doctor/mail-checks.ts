import { isLoopback } from '../../config/development.ts';
import { newMailId, smtpMailer, tryMailServer } from '../../mail/mail.ts';
import { type Finding, good } from '../findings/finding.ts';
import { ANSWERS_WITHIN_MS, type Examination } from './examination.ts';

const DOCS = 'docs/operate/network.md#mail';

/** Whether the mail server takes our mails. Sends one only if `sendMailTo` names an address. */
export async function checkMailServer({ settings, publicUrl, sendMailTo }: Examination): Promise<Finding | Finding[]> {
  const { smtpUrl, mailFrom } = settings;
  if (!smtpUrl) {
    if (sendMailTo !== null) return fault('bad', 'No mail can be sent: SMTP_URL is not set.', 'Set SMTP_URL.');
    return good('Without SMTP_URL, mails go to the data folder.');
  }
  const { host } = new URL(smtpUrl);
  const failed = await tryMailServer(smtpUrl, ANSWERS_WITHIN_MS).then(
    () => null,
    (error: Error) => error,
  );
  if (failed) return fault('bad', `The mail server ${host} cannot be used: ${sentence(failed)}`, remedyOf(failed));
  const found = [...ofSender(mailFrom, publicUrl), ...ofEncryption(smtpUrl)];
  if (sendMailTo !== null) found.push(await sendTest(smtpUrl, mailFrom, publicUrl, sendMailTo));
  return found.length > 0
    ? found
    : good(`The mail server takes our mails. None was sent.`, [{ name: 'Server', value: host }]);
}

/** nodemailer's codes. */
function remedyOf(error: Error & { code?: string }): string {
  if (error.code === 'EAUTH') return 'Correct the user and the password in SMTP_URL.';
  if (error.code === 'ETLS') return 'Use smtps://, or let the server offer STARTTLS.';
  return 'Correct SMTP_URL, or let this machine reach the server.';
}

function ofSender(mailFrom: string, publicUrl: string): Finding[] {
  const domain = /@([^@>\s]+)>?\s*$/.exec(mailFrom)?.[1] ?? '';
  if (/^[a-z\d-]+(\.[a-z\d-]+)+$/i.test(domain)) return [];
  if (domain !== '' && isLoopback(new URL(publicUrl).hostname)) return [];
  const says = `MAIL_FROM is ${mailFrom}, which other mail servers refuse.`;
  return [fault('warning', says, 'Set it to an address of your own domain.')];
}

function ofEncryption(smtpUrl: string): Finding[] {
  const { hostname, searchParams } = new URL(smtpUrl);
  if (isLoopback(hostname) || searchParams.get('requireTLS') !== 'false') return [];
  const says = `Mails may travel to ${hostname} unencrypted, and they hold codes.`;
  return [fault('warning', says, 'Remove requireTLS=false from SMTP_URL, or use smtps://.')];
}

async function sendTest(smtpUrl: string, from: string, publicUrl: string, to: string): Promise<Finding> {
  const send = smtpMailer(smtpUrl, from, new URL(publicUrl).hostname, 2 * ANSWERS_WITHIN_MS);
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
function sentence({ message }: Error): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

const fault = (state: 'bad' | 'warning', says: string, remedy: string): Finding => ({
  state,
  says,
  remedy: { says: remedy, docs: DOCS },
});
