import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readFields, writePrivateFile } from './private-file.ts';

/**
 * Where a running service is, for commands on the same data folder. The file names the database and the chain only if they
 * are embedded. Commands read configured ones from the settings, so their passwords need not be stored here.
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

/** Returns null if there is no readable file. After a kill -9 the file may be stale: then nothing answers there. */
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
