import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readKept } from '../../custody/kept-copies.ts';
import type { Service } from '../../service/service.ts';
import { readRecoveryKit } from '../../views/custody/read-kit.ts';

const FILE = 'recovery-kit.txt';

/**
 * Writes the recovery kit into the data folder, until an operator has said that it is kept elsewhere. Returns the path of what it has
 * written; null if nothing was to write, or if the folder does not take it, which is no reason not to start.
 */
export async function writeRecoveryKit(
  service: Pick<Service, 'db' | 'chain' | 'publicUrl' | 'settings' | 'log'>,
): Promise<string | null> {
  const { db, log, settings } = service;
  const path = join(settings.dataDir, FILE);
  try {
    if ((await readKept(db)).kit.isCurrent) return null;
    const text = await readRecoveryKit(service);
    if ((await readFile(path, 'utf8').catch(() => null)) === text) return null;
    await mkdir(settings.dataDir, { recursive: true, mode: 0o700 });
    const part = `${path}.${randomBytes(4).toString('hex')}.part`;
    try {
      await writeFile(part, text, { mode: 0o600, flush: true });
      await rename(part, path);
    } finally {
      await rm(part, { force: true });
    }
    return path;
  } catch (err) {
    log.warn({ err, path }, 'the recovery kit was not written: run npx quarters custody kit');
    return null;
  }
}
