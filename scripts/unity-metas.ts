/**
 * Writes the `.meta` files of the C# library. Unity makes them itself in a project, but a package that it fetches (from git or a registry)
 * is read-only: there it ignores every file without one. An id comes from the path, so it stays the same, and references in scenes keep working.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { writeOrCheck } from './api-description.ts';

const PACKAGE = 'sdk/csharp';
const ROOT = resolve(import.meta.dirname, '..', PACKAGE);

/** Unity's importer of each kind of file. Scripts need none. */
const IMPORTERS: Readonly<Record<string, string>> = {
  '.asmdef': importer('AssemblyDefinitionImporter'),
  '.md': importer('TextScriptImporter'),
  '.json': importer('PackageManifestImporter'),
  '.jslib': `PluginImporter:
  externalObjects: {}
  serializedVersion: 2
  iconMap: {}
  executionOrder: {}
  defineConstraints: []
  isPreloaded: 0
  isOverridable: 0
  isExplicitlyReferenced: 0
  validateReferences: 1
  platformData:
  - first:
      Any:${' '}
    second:
      enabled: 0
      settings: {}
  - first:
      WebGL: WebGL
    second:
      enabled: 1
      settings: {}
  userData:${' '}
  assetBundleName:${' '}
  assetBundleVariant:${' '}
`,
};

export async function writeMetas(): Promise<void> {
  // Unity ignores folders whose names end with ~.
  const assets = globSync('**/*', { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));
  for (const path of assets.filter((path) => !path.includes('~')).sort()) {
    if (!path.endsWith('.meta')) await writeOrCheck(`${PACKAGE}/${path}.meta`, metaOf(path));
    else if (!existsSync(join(ROOT, path.slice(0, -'.meta'.length)))) {
      console.error(`${PACKAGE}/${path} is left over. Remove it.`);
      process.exitCode = 1;
    }
  }
}

function metaOf(path: string): string {
  const isFolder = statSync(join(ROOT, path)).isDirectory();
  const guid = createHash('md5').update(`com.quarters.sdk/${path}`).digest('hex');
  const more = isFolder
    ? `folderAsset: yes\n${importer('DefaultImporter')}`
    : (IMPORTERS[extname(basename(path))] ?? '');
  return `fileFormatVersion: 2\nguid: ${guid}\n${more}`;
}

function importer(name: string): string {
  return `${name}:\n  externalObjects: {}\n  userData: \n  assetBundleName: \n  assetBundleVariant: \n`;
}
