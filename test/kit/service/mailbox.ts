import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sendMails } from '../../../src/features/mails/mails.ts';
import { folderMailer } from '../../../src/mail/mail.ts';
import type { Service } from '../../../src/service/service.ts';
import { until } from '../unit/until.ts';

export type ReceivedMail = { readonly subject: string; readonly text: string };

/** Waits for the n-th mail to an address (1: the first), for a service without a mail server, which logs its mails. */
export async function mailTo({ service }: { service: Service }, email: string, n = 1): Promise<ReceivedMail> {
  let mails: ReceivedMail[] = [];
  await until(`mail ${n} to ${email}`, async () => {
    mails = await mailsTo({ service }, email);
    return mails.length >= n;
  });
  return mails[n - 1]!;
}

/** The same without waiting for the mail loop, which looks once a second; the log does not show such a mail. */
export async function mailAtOnce({ service }: { service: Service }, email: string, n = 1): Promise<ReceivedMail> {
  await sendMails(service, folderMailer(join(service.settings.dataDir, 'mail')));
  return mailTo({ service }, email, n);
}

/** All mails so far, oldest first. */
export async function mailsTo({ service }: { service: Service }, email: string): Promise<ReceivedMail[]> {
  const folder = join(service.settings.dataDir, 'mail');
  const names = (await readdir(folder).catch(() => [])).sort();
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return files.filter((file) => file.startsWith(`To: ${email}\n`)).map(parse);
}

function parse(file: string): ReceivedMail {
  const [, subject = '', text = ''] = /^To: .*\nSubject: (.*)\n\n([\s\S]*)$/.exec(file) ?? [];
  return { subject, text };
}

/** The six digits in a mail. */
export function codeIn({ text }: ReceivedMail): string {
  return /\b\d{6}\b/.exec(text)?.[0] ?? '';
}
