import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { scratchFolder } from '../kit/unit/scratch.ts';

/** The file that players download. */
const VERIFIER = join(import.meta.dirname, '../../src/web/assets/verify-liability.mjs');

type Library = { readonly checkProof: (text: string, root: string) => void };

/** Its checks that need no chain. */
export const { checkProof } = (await import(`${pathToFileURL(VERIFIER)}?library`)) as Library;

/** Runs it as a player does. */
export async function verify(
  t: Pick<TestContext, 'after'>,
  proof: unknown,
  ...options: string[]
): Promise<{ code: number; out: string }> {
  const file = join(await scratchFolder(t), 'proof.json');
  writeFileSync(file, JSON.stringify(proof));
  return new Promise((resolve) => {
    execFile(process.execPath, [VERIFIER, file, ...options], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout + stderr });
    });
  });
}
