import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory. A copy of a database takes a tenth of the work there, and nothing waits for a disk. */
const IN_MEMORY = '/dev/shm';
/** A run takes a third of this. */
const NEEDED_BYTES = 4 * 1024 ** 3;
const PREFIX = 'quarters-tests-';

/**
 * Makes the folder in which a run and its processes put all their files (`TMPDIR`): in memory if there is plenty, and else
 * where it was. Returns a function that removes it. A killed run's folder is removed by the next run.
 */
export function makeRunFolder(inMemory = IN_MEMORY): () => void {
  const before = process.env.TMPDIR;
  const folder = makeIn(inMemory) ?? mkdtempSync(join(tmpdir(), PREFIX));
  // The database runs as another user than root.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  };
}

function makeIn(parent: string): string | null {
  let folder: string | null = null;
  try {
    removeLeft(parent);
    const { bavail, bsize } = statfsSync(parent);
    if (Math.min(bavail * bsize, process.availableMemory()) < NEEDED_BYTES) return null;
    folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
    // Containers may forbid programs there.
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    if (spawnSync(program).status === 0) return folder;
  } catch {}
  if (folder) rmSync(folder, { recursive: true, force: true });
  return null;
}

/** Removes the folders of runs that have ended without doing so. */
function removeLeft(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It is another user's.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
