import { readFileSync } from 'node:fs';
import { SETTINGS, type Settings } from './settings.ts';
import { SettingsError } from './settings-error.ts';

/** Reads and checks the settings from the environment. Throws {@link SettingsError} with all faults. */
export function readSettings(env: Environment): Settings {
  const { settings, faults } = examineSettings(env);
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment says. A setting with a fault has its default, so that the others can still be looked at. */
export type ExaminedSettings = {
  readonly settings: Settings;
  /** One sentence each. */
  readonly faults: readonly string[];
  /** The environment variables whose values cannot be read. */
  readonly unreadable: ReadonlySet<string>;
};

/** The configuration that there is. It need not work. */
export type Subject = ExaminedSettings & {
  readonly env: Environment;
  /** Null if neither a setting nor a running service names one. */
  readonly databaseUrl: string | null;
  readonly rpcUrls: readonly string[];
  readonly publicUrl: string;
  /** Which parts the service on this data folder has brought itself. */
  readonly embedded: { readonly database: boolean; readonly chain: boolean };
};

/** Reads the settings from the environment, and names their faults. Never throws. */
export function examineSettings(env: Environment): ExaminedSettings {
  const faults: string[] = [];
  const unreadable = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [key, { name, fallback, parse, file }] of Object.entries(SETTINGS)) {
    try {
      const text = (file && textOfFile(env, name, file)) || env[name]?.trim() || fallback;
      values[key] = parse(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      unreadable.add(name);
      values[key] = parse(fallback);
    }
  }
  const keySources = ['MASTER_KEY', 'MASTER_KEY_FILE', 'MASTER_KEY_COMMAND'].filter((name) => env[name]?.trim());
  if (keySources.length > 1) faults.push(`${keySources.join(' and ')} are set: keep one of them`);
  const settings = Object.freeze(values) as Settings;
  const { mandatePerTransfer, mandatePerDay } = settings;
  const areLimitsRead = !unreadable.has('AUTO_APPROVE_PER_TRANSFER') && !unreadable.has('AUTO_APPROVE_PER_DAY');
  if (areLimitsRead && mandatePerTransfer > mandatePerDay) {
    faults.push(
      `AUTO_APPROVE_PER_TRANSFER (${mandatePerTransfer}) is more than AUTO_APPROVE_PER_DAY (${mandatePerDay})`,
    );
  }
  return { settings, faults, unreadable };
}

/** Reads the file that the variable `file` names. An empty one is a fault: somebody meant to give a value. */
function textOfFile(env: Environment, name: string, file: string): string | undefined {
  const path = env[file]?.trim();
  if (!path) return undefined;
  if (env[name]?.trim()) throw new Error(`and ${file} are both set: unset one of them`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new Error(`cannot be read from the file that ${file} names: ${(error as Error).message}`);
  }
  if (text === '') throw new Error(`cannot be read from the file that ${file} names: ${path} is empty`);
  return text;
}

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
