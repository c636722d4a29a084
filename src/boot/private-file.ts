import { readFile, rename, writeFile } from 'node:fs/promises';

/** Writes a file that only its owner may read (mode 0600). It appears complete or not at all. */
export async function writePrivateFile(path: string, value: object): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Reads the object in a file. Returns null if the file is missing or broken, because its writer can write it again. */
export async function readFields(path: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
