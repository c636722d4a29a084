import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compileCSharp } from '../../scripts/packages/csharp-compiler.ts';
import { compile } from './mono.ts';

/** Unity's file for an assembly, as far as we read it. */
type AssemblyDefinition = {
  readonly name: string;
  readonly references: readonly string[];
  readonly overrideReferences: boolean;
  readonly precompiledReferences: readonly string[];
  readonly autoReferenced: boolean;
  readonly defineConstraints?: readonly string[];
};

type UnityAssembly = AssemblyDefinition & { readonly folder: string };

/** The assemblies of a package: of its own, and of its samples. */
export function assembliesIn(root: string): UnityAssembly[] {
  return globSync('**/*.asmdef', { cwd: root })
    .toSorted()
    .map((path) => ({
      ...(JSON.parse(readFileSync(join(root, path), 'utf8')) as AssemblyDefinition),
      folder: dirname(join(root, path)),
    }));
}

/**
 * Compiles all of it as Unity does for a platform with these defines: each assembly against those that its definition names, and no others.
 * Stubs stand for the engine. Returns the names of what was compiled.
 */
export async function compileAsUnity(folder: string, root: string, defines: readonly string[]): Promise<string[]> {
  await compile(folder, 'UnityStubs.dll', [join(import.meta.dirname, 'UnityStubs.cs')]);
  const isMet = (constraint: string) => constraint.split('||').some((name) => defines.includes(name.trim()));
  const wanted = assembliesIn(root).filter(({ defineConstraints = [] }) => defineConstraints.every(isMet));
  const done = new Set<string>();
  const add = async ({ name, folder: sources, references, precompiledReferences }: UnityAssembly): Promise<void> => {
    if (done.has(name)) return;
    for (const reference of references) {
      const other = wanted.find((one) => one.name === reference);
      assert.ok(other, `${name} refers to ${reference}, which is no assembly of this platform`);
      await add(other);
    }
    done.add(name);
    await compileCSharp({
      output: join(folder, `${name}.dll`),
      sources: globSync(`${sources}/**/*.cs`).toSorted(),
      references: [
        ...precompiledReferences.map((file) => file.replace(/\.dll$/, '')),
        ...['UnityStubs', ...references].map((reference) => join(folder, `${reference}.dll`)),
      ],
      defines: ['UNITY_5_3_OR_NEWER', ...defines],
      ...(!sources.includes('Samples~') && { docs: join(folder, `${name}.xml`) }),
    });
  };
  for (const assembly of wanted) await add(assembly);
  return [...done].toSorted();
}
