import { readKept } from '../../custody/kept-copies.ts';
import { hasSealedKeys } from '../../ledger/account-keys.ts';
import type { Service } from '../../service/service.ts';
import { type Finding, good } from '../findings/finding.ts';
import { ageOf } from '../findings/spoken-age.ts';

const DOCS = 'docs/operate/custody.md';

/** Whether an operator has said that the recovery kit is kept. Null for a try-out, which nobody recovers. */
export async function checkKit({ db, development }: Pick<Service, 'db' | 'development'>): Promise<Finding | null> {
  if (development) return null;
  const { saidAt, isCurrent } = (await readKept(db)).kit;
  if (isCurrent) return good('The recovery kit is kept.', saidAgo(saidAt));
  return {
    state: 'warning',
    says: saidAt
      ? 'The master key or the seed was replaced, and nobody has said that the new recovery kit is kept.'
      : 'Nobody has said that the recovery kit is kept.',
    remedy: {
      says: 'Print the kit, and keep it apart from the master key. With that key and the chain it recovers all accounts, without any backup.',
      command: 'quarters custody kit',
      confirms: 'kit',
      docs: `${DOCS}#the-recovery-kit`,
    },
  };
}

/** Whether a backup has all sealed keys: accounts have no new ones, so one backup is enough. Null if there are none. */
export async function checkBackup({ db }: Service): Promise<Finding | null> {
  if (!(await hasSealedKeys(db))) return null;
  const { saidAt, isCurrent } = (await readKept(db)).backup;
  if (isCurrent) return good('A backup has all keys that are only sealed in the database.', saidAgo(saidAt));
  return {
    state: 'warning',
    says: 'Nobody has said that a backup was taken since the update, or since the master key or the seed was replaced. Sealed keys are in the database and its backups alone.',
    remedy: {
      says: 'Take a backup now, and say so. Later backups are as good, and older ones lack some of these keys.',
      command: 'quarters custody status --backed-up',
      confirms: 'backup',
      docs: `${DOCS}#keys-from-before`,
    },
  };
}

const saidAgo = (at: Date | null) => (at ? [{ name: 'Said', value: `${ageOf(Date.now() - at.getTime())} ago` }] : []);
