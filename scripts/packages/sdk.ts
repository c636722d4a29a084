/** `quarters-sdk`, the client library, and `quarters-emulator`, which games' tests control the emulator with. */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Pack, packFolder, put, ROOT, readManifest, run } from './package.ts';

export const packSdk = libraryIn('sdk');
export const packEmulator = libraryIn('sdk/emulator');

function libraryIn(source: string): Pack {
  return async (packing) => {
    const { private: _, scripts: __, ...manifest } = await readManifest(`${source}/package.json`);
    const file = await packFolder(packing, manifest, async (folder) => {
      await run(process.execPath, [join(ROOT, 'sdk/build.mjs'), join(folder, 'dist'), relative('sdk', source)]);
      await put(folder, 'README.md', await readFile(join(ROOT, source, 'README.md')));
      await put(folder, 'LICENSE', await readFile(join(ROOT, 'LICENSE')));
    });
    return [file];
  };
}
