import { realpath, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { MasterKey } from '../../custody/data-keys.ts';
import {
  type MasterKeySource,
  makeNextKeyFile,
  masterKeyFromFile,
  masterKeySource,
  nextKeyPath,
  readMasterKey,
  replaceKeyFile,
} from '../../custody/master-key.ts';
import { addMasterKey, dropNewMasterKey, dropOldMasterKey, roleOfMasterKey } from '../../custody/master-rotation.ts';
import type { Tx } from '../../db/database.ts';
import { listProcesses, type RunningProcess } from '../../membership/processes.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { writeRecoveryKit } from './write-kit.ts';

/**
 * How far a replacement is. `both`: both keys open. `newKeyAt`: where the new one is, as far as that is known here. `isInPlace`: the settings
 * of this command give it. `processes`: those that need it for their next start.
 */
export type KeyReplacement =
  | {
      readonly step: 'both';
      readonly source: MasterKeySource;
      readonly newKeyAt: string | null;
      readonly oldKeyAt: string | null;
      readonly isInPlace: boolean;
      readonly processes: readonly RunningProcess[];
    }
  /** The old key opens nothing any more. `kitAt`: where the new recovery kit was written. */
  | { readonly step: 'replaced'; readonly oldKeyAt: string | null; readonly kitAt: string | null };

/**
 * Replaces the master key, as far as this can be done without anybody: the new key opens beside the old one, and if the key is in a file that
 * nobody else has a copy of, the file is replaced and the old key ends. Every step can be repeated after a kill. At each moment at least the
 * key that the settings give opens the database.
 *
 * `newKeyFile`: where the new key is, or is made. Left out for a key file, beside which it is made.
 *
 * If it throws, nothing has changed, or what has is what an earlier call would have left.
 */
export async function replaceMasterKey(service: Service, newKeyFile: string | null): Promise<KeyReplacement> {
  const { db, settings } = service;
  const source = masterKeySource(settings);
  const current = await readMasterKey(settings);
  if ((await roleOfMasterKey(db, current)) === 'new') return finishIfAlone(service, null);
  // A name that leads to the file stays as it is.
  const inFile = source.kind === 'file' && newKeyFile === null ? await realpath(source.path) : null;
  if (inFile === null && newKeyFile === null) {
    throw new Error('Say with --to in which file the new master key is, or is to be made.');
  }
  const next = inFile ? await makeNextKeyFile(inFile) : await masterKeyFromFile(newKeyFile!, true);
  await addNext(service, current, next);
  if (inFile === null) return inProgress(service, { newKeyAt: newKeyFile, oldKeyAt: null, isInPlace: false });
  const oldKeyAt = await replaceKeyFile(inFile).catch((error: Error) => {
    throw new Error(
      `Both master keys open the database now, but the key file cannot be replaced here: ${error.message}. Replace it by ${nextKeyPath(inFile)} yourself, and then run this with --finish.`,
    );
  });
  return finishIfAlone(service, oldKeyAt);
}

/** Ends the old key. Throws unless the settings give the new one. */
export async function finishReplacement(service: Service, oldKeyAt: string | null = null): Promise<KeyReplacement> {
  const masterKey = await readMasterKey(service.settings);
  await change(service, 'replace', (tx) => dropOldMasterKey(tx, masterKey));
  return { step: 'replaced', oldKeyAt, kitAt: await writeRecoveryKit(service) };
}

/** Ends the new key. Throws unless the settings give the old one. */
export async function cancelReplacement(service: Service): Promise<void> {
  const { settings } = service;
  const source = masterKeySource(settings);
  const masterKey = await readMasterKey(settings);
  await change(service, 'withdraw', (tx) => dropNewMasterKey(tx, masterKey));
  if (source.kind === 'file') await rm(nextKeyPath(await realpath(source.path)), { force: true });
}

/** A process elsewhere may read another copy of the key, so somebody has to bring the new one there first. */
async function finishIfAlone(service: Service, oldKeyAt: string | null): Promise<KeyReplacement> {
  const under = await inProgress(service, { newKeyAt: null, oldKeyAt, isInPlace: true });
  const { processes, source } = under;
  const isAlone = processes.length <= service.settings.workers && processes.every(({ host }) => host === hostname());
  return isAlone && source.kind === 'file' ? finishReplacement(service, oldKeyAt) : under;
}

async function inProgress(
  { db, settings }: Service,
  facts: { readonly newKeyAt: string | null; readonly oldKeyAt: string | null; readonly isInPlace: boolean },
) {
  return { step: 'both', source: masterKeySource(settings), ...facts, processes: await listProcesses(db) } as const;
}

async function addNext(service: Service, current: MasterKey, next: MasterKey): Promise<void> {
  if ((await roleOfMasterKey(service.db, next)) === 'new') return;
  await change(service, 'add', (tx) => addMasterKey(tx, current, next).then(() => {}));
}

const LOGGED = {
  add: 'master-key-added',
  replace: 'master-key-replaced',
  withdraw: 'master-key-withdrawn',
} as const;

async function change(
  { db, security }: Service,
  what: keyof typeof LOGGED,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    await work(tx);
    await recordChange(tx, { action: LOGGED[what], subject: { kind: 'service', id: 'master-key' } });
  });
  security.note('master-key-changed', { what });
}
