import { stat } from 'node:fs/promises';
import type { Settings } from '../../../config/settings.ts';
import { ForeignMasterKey, hasDataKeys, type MasterKey } from '../../../custody/data-keys.ts';
import { explainForeignKey } from '../../../custody/foreign-master-key.ts';
import { describeSource, masterKeySource, othersMayRead } from '../../../custody/master-key.ts';
import { openSigner } from '../../../custody/signer.ts';
import { openExistingVault } from '../../../custody/vault.ts';
import { type Database, isUnavailable, sqlState } from '../../../db/database.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { findTreasury, storedKeys } from '../../../ledger/accounts.ts';
import type { Examination } from './examination.ts';

const DOCS = 'docs/operate/start.md#the-data-folder';

/** Whether the master key is there, is private, and opens what this database has sealed. */
export async function checkKeys(examination: Examination): Promise<Finding | Finding[] | null> {
  const { settings, unreadable } = examination;
  if (unreadable.has('MASTER_KEY')) return null;
  const source = masterKeySource(settings);
  const path = source.kind === 'file' ? source.path : null;
  const db = await examination.database();
  const isInUse = db !== null && (await examination.installation()) !== null && (await hasDataKeys(db));
  const key = await examination.masterKey().catch((error: Error) => error);
  if (key instanceof Error) {
    const isMissing = path !== null && (await stat(path).catch(() => null)) === null;
    if (isMissing && db === null) {
      return { state: 'unknown', says: 'There is no master key. A first start makes it, and a later one needs it.' };
    }
    if (isMissing && !isInUse) return good('There is no master key yet. The first start makes it.');
    if (source.kind === 'command') {
      const says = 'Run the command as the user of the service, without a terminal. It must print the key alone.';
      return { state: 'bad', says: key.message, remedy: { says, docs: 'docs/operate/custody.md#a-command' } };
    }
    const says = 'Restore the file from its copy, or set MASTER_KEY_FILE to where it is.';
    return { state: 'bad', says: key.message, remedy: { says, docs: 'docs/operate/backup.md' } };
  }
  const found = path === null ? [] : await ofFile(path);
  const fault = isInUse ? await faultOfKey(db, key, settings) : null;
  if (fault !== null) {
    const remedy = { says: 'Use the master key of this database, or the database of this key.', docs: DOCS };
    found.push({ state: 'bad', says: fault, remedy });
  }
  if (found.length > 0) return found;
  return good(isInUse ? 'It opens the keys of this database. Keep a copy.' : 'It can be read.', [
    { name: 'From', value: describeSource(source) },
  ]);
}

/** Opens the data keys, and with them the key of one account. Says why that fails. */
async function faultOfKey(db: Database, key: MasterKey, settings: Settings): Promise<string | null> {
  try {
    const vault = await openExistingVault(db, key);
    const { address } = await findTreasury(db);
    const sealed = (await storedKeys(db, [address])).get(address);
    openSigner(vault!, address, sealed!);
    return null;
  } catch (error) {
    // Of the database, and not of the key: its tables may be older.
    if (isUnavailable(error) || sqlState(error) !== undefined) throw error;
    const why = await explainForeignKey(db, settings, error);
    return why instanceof ForeignMasterKey ? why.message : 'It opens the data keys, and not the keys of the accounts.';
  }
}

async function ofFile(path: string): Promise<Finding[]> {
  const file = await stat(path).catch(() => null);
  if (!file) return [];
  const found: Finding[] = [];
  if (await othersMayRead(path)) {
    const remedy = { says: `Run: chmod 600 ${path}`, docs: DOCS };
    found.push({ state: 'bad', says: 'Other users of this machine may read the master key.', remedy });
  }
  const us = process.getuid?.();
  // Root may read it anyway. Kubernetes and systemd hand out secrets as root's files.
  if (us !== undefined && us !== 0 && file.uid !== us && file.uid !== 0) {
    const remedy = { says: `Run: chown ${us} ${path}`, docs: DOCS };
    found.push({ state: 'warning', says: 'The master key belongs to another user of this machine.', remedy });
  }
  return found;
}
