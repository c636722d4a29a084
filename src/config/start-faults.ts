import type { Settings } from './settings.ts';

/**
 * Why a service must not start with these settings, one sentence each. Commands beside it may work with them, so reading the
 * settings does not refuse them.
 */
export function startFaults({ publicUrl, databaseUrl, smtpUrl, mailWithoutSmtp }: Settings): string[] {
  const isForPlayers = publicUrl?.startsWith('https:') && databaseUrl !== undefined;
  if (!isForPlayers || smtpUrl || mailWithoutSmtp === 'on') return [];
  return [
    'SMTP_URL is not set, so no mail would reach a player, and the codes in it would go to the log: set it, or set MAIL_WITHOUT_SMTP=on',
  ];
}
