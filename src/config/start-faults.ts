import type { Settings } from './settings.ts';

/**
 * Says why a service must not start with these settings, one sentence per reason. Commands may run with the same settings,
 * so `readSettings` does not refuse them.
 */
export function startFaults({ publicUrl, databaseUrl, smtpUrl, mailWithoutSmtp }: Settings): string[] {
  const isForPlayers = publicUrl?.startsWith('https:') && databaseUrl !== undefined;
  if (!isForPlayers || smtpUrl || mailWithoutSmtp === 'on') return [];
  return [
    'SMTP_URL is not set, so players would get no mail and their codes would appear in the log: set SMTP_URL, or MAIL_WITHOUT_SMTP=on',
  ];
}
