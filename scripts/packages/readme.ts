import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { type Packing, ROOT } from './package.ts';

/**
 * A README of the repository for a package, which lacks most of what the README links to. Its links lead to the repository. If nobody has
 * said where that is, their words stay.
 */
export async function packedReadme(path: string, { repository }: Packing, version: string): Promise<string> {
  const text = await readFile(join(ROOT, path), 'utf8');
  return text.replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g, (_, words: string, target: string) =>
    repository ? `[${words}](${repository}/blob/v${version}/${posix.join(dirname(path), target)})` : words,
  );
}
