/** `quarters-sdk`: the client library. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pack, packFolder, put, ROOT, readManifest, run } from './package.ts';

export const packSdk: Pack = async (packing) => {
  const { private: _, scripts: __, ...manifest } = await readManifest('sdk/package.json');
  const file = await packFolder(packing, manifest, async (folder) => {
    await run(process.execPath, [join(ROOT, 'sdk/build.mjs'), join(folder, 'dist')]);
    for (const path of ['sdk/README.md', 'LICENSE'])
      await put(folder, path.replace('sdk/', ''), await readFile(join(ROOT, path)));
  });
  return [file];
};
