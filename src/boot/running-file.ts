import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readFields, writePrivateFile } from './private-file.ts';

/**
 * Where a running service is, for commands on the same data folder. Database and chain stand here only where they are
 * embedded: given ones come from the settings, which commands have too, and passwords in them are nobody else's business.
 */
export type Running = {
  readonly publicUrl: string;
  readonly databaseUrl?: string;
  readonly rpcUrls?: readonly string[];
};

const fileIn = (dataDir: string) => join(dataDir, 'running.json');

export async function writeRunning(dataDir: string, running: Running): Promise<void> {
  await writePrivateFile(fileIn(dataDir), running);
}

/** Null where no service has left word that can be read. After a kill -9 the word may be stale: then nothing answers there. */
export async function readRunning(dataDir: string): Promise<Running | null> {
  const fields = await readFields(fileIn(dataDir));
  if (typeof fields?.publicUrl !== 'string') return null;
  const { publicUrl, databaseUrl, rpcUrls } = fields;
  return {
    publicUrl,
    ...(typeof databaseUrl === 'string' && { databaseUrl }),
    ...(Array.isArray(rpcUrls) && { rpcUrls: rpcUrls.map(String) }),
  };
}

export async function removeRunning(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}
