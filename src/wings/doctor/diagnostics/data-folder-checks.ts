import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { checkDisk } from '../../../diagnostics/health/storage-checks.ts';
import type { Examination } from './examination.ts';

const DOCS = 'docs/operate/start.md#the-data-folder';
/** Without an embedded database, the folder holds a key and a few small files. */
const LEAST_BYTES = 100e6;

/** Others may do nothing there. The group may pass: an embedded database of a service of root runs as another user. */
const OF_OTHERS = 0o067;

/** Whether the data folder is there, is private, and takes files. */
export async function checkDataFolder({ settings, embedded }: Examination): Promise<Finding | Finding[]> {
  const folder = settings.dataDir;
  const found = await stat(folder).catch(() => null);
  if (!found) return ofMissing(folder);
  if (!found.isDirectory()) return fault('bad', `${folder} is not a folder.`, 'Set QUARTERS_DATA_DIR to a folder.');
  const faults = [
    ...((found.mode & OF_OTHERS) === 0 || isGiven(found.uid, settings)
      ? []
      : [fault('warning', `Other users of this machine may open ${folder}.`, `Run: chmod go= ${folder}`)]),
    ...((await mayWrite(folder))
      ? []
      : [fault('bad', `${folder} cannot be written.`, 'Give it to the user who runs the service.')]),
    ...(await ofSpace(folder, settings, embedded)),
  ];
  return faults.length > 0
    ? faults
    : good('The data folder is private and takes files.', [{ name: 'Folder', value: folder }]);
}

/**
 * Kubernetes gives a pod a folder of root that is open to all. The pod's user cannot change that, and nobody outside the pod sees it.
 * The master key must be elsewhere, as in our manifests.
 */
const isGiven = (owner: number, { masterKey, masterKeyCommand, masterKeyFile }: Examination['settings']) =>
  owner === 0 && (masterKey !== undefined || masterKeyCommand !== '' || masterKeyFile !== '');

async function ofMissing(folder: string): Promise<Finding> {
  let parent = dirname(folder);
  while (parent !== dirname(parent) && !(await stat(parent).catch(() => null))) parent = dirname(parent);
  if (await mayWrite(parent)) return good('The data folder does not exist yet. The start makes it.');
  return fault('bad', `${folder} does not exist, and cannot be made.`, `Make it, for the user who runs the service.`);
}

async function ofSpace(
  folder: string,
  settings: Examination['settings'],
  embedded: Examination['embedded'],
): Promise<Finding[]> {
  if (embedded.database || embedded.chain) {
    const disk = await checkDisk({ settings });
    return disk && disk.state !== 'good' ? [disk] : [];
  }
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < LEAST_BYTES
    ? [fault('warning', `The disk of ${folder} is nearly full.`, 'Make space, or move the folder (QUARTERS_DATA_DIR).')]
    : [];
}

const mayWrite = (folder: string) =>
  access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );

const fault = (state: 'bad' | 'warning', says: string, remedy: string): Finding => ({
  state,
  says,
  remedy: { says: remedy, docs: DOCS },
});
