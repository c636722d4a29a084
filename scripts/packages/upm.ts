/** The package for Unity's Package Manager, which installs tarballs of npm: "Install package from tarball". */
import { globSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pack, packFolder, put, ROOT, readManifest } from './package.ts';
import { packedReadme } from './readme.ts';

const SOURCE = join(ROOT, 'sdk/csharp');

export const packUpm: Pack = async (packing) => {
  const manifest = await readManifest('sdk/csharp/package.json');
  const { repository } = packing;
  const at = `${repository}/blob/v${manifest.version}`;
  const addresses = {
    documentationUrl: `${at}/docs/integrate/unity.md`,
    changelogUrl: `${at}/sdk/csharp/CHANGELOG.md`,
    licensesUrl: `${at}/LICENSE`,
  };
  // Without a repository, Unity opens the files of the package.
  const file = await packFolder(packing, { ...manifest, ...(repository && addresses) }, async (folder) => {
    for (const path of sources()) await put(folder, path, await readFile(join(SOURCE, path)));
    await put(folder, 'README.md', await packedReadme('sdk/csharp/README.md', packing, manifest.version));
  });
  return [file];
};

/** All but the projects of NuGet, which Unity has no use for. */
function sources(): string[] {
  const paths = globSync('**/*', { cwd: SOURCE }).filter((path) => !path.startsWith('NuGet~'));
  return paths.filter((path) => statSync(join(SOURCE, path)).isFile()).toSorted();
}
