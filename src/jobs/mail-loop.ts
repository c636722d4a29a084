import { mailFolder, sendMails } from '../features/mails/mails.ts';
import { folderMailer, type Mailer, mailServerOf, smtpMailer } from '../mail/mail.ts';
import type { Service } from '../service/service.ts';
import { type Loop, repeat } from './repeat.ts';

/** New mails are announced. Polling finds mails that are due again and those of a process that died. */
const MAIL_PAUSE_MS = 5_000;

/** Sends queued mails. */
export function mailLoop(service: Service, firstAfterMs: number): Loop {
  const send = mailer(service);
  const loop = repeat('mail', service, MAIL_PAUSE_MS, () => sendMails(service, send), firstAfterMs);
  service.db.onAnnounced('mails', loop.wake);
  return loop;
}

/** Without a mail server, the codes are in the log and in the data folder, for trying out the service. */
function mailer({ settings, publicUrl, log }: Service): Mailer {
  const server = mailServerOf(settings, publicUrl);
  if (server) return smtpMailer(server);
  const folder = mailFolder(settings);
  const write = folderMailer(folder);
  return async (mail) => {
    await write(mail);
    log.info({ to: mail.to, subject: mail.subject, text: mail.text, folder }, 'a mail, as no SMTP_URL is set');
  };
}
