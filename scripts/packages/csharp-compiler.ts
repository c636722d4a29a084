/** Mono's compiler of C#: what the NuGet packages are made with, and what the tests of the C# library use. From the same sources it makes the same bytes. */
import { globSync } from 'node:fs';
import { run } from './package.ts';

/** Assemblies of NuGet that the library refers to, as Debian has them. */
const ASSEMBLIES: Readonly<Record<string, string>> = {
  'Newtonsoft.Json': '/usr/lib/mono/gac/Newtonsoft.Json/*/Newtonsoft.Json.dll',
  'Mono.Cecil': '/usr/lib/mono/gac/Mono.Cecil/0.11.*/Mono.Cecil.dll',
};

export type Compilation = {
  /** An .exe or a .dll. */
  readonly output: string;
  readonly sources: readonly string[];
  /** Names of {@link ASSEMBLIES}, or paths. */
  readonly references?: readonly string[];
  readonly defines?: readonly string[];
  /** Where the XML documentation goes. A public member without a comment is then an error. */
  readonly docs?: string;
  /** The interface of .NET to compile against, instead of Mono's own, which has more members than others have. */
  readonly sdk?: string;
};

/** Compiles, with warnings as errors. */
export async function compileCSharp(compilation: Compilation): Promise<void> {
  const { output, sources, references = [], defines = [], docs, sdk } = compilation;
  await run('mcs', [
    // Debian's compiler knows no later one. The library is written in 7.3, which adds nothing that it uses.
    '-langversion:7.2',
    '-warnaserror',
    ...(sdk ? [`-sdk:${sdk}`] : []),
    // A parameter whose name says it all needs no comment.
    ...(docs ? [`-doc:${docs}`, '-nowarn:1573'] : []),
    `-target:${output.endsWith('.dll') ? 'library' : 'exe'}`,
    `-out:${output}`,
    ...defines.map((name) => `-d:${name}`),
    ...['System.Net.Http', ...references.map(pathOf)].map((name) => `-r:${name}`),
    ...sources,
  ]);
}

function pathOf(reference: string): string {
  const pattern = ASSEMBLIES[reference];
  return (pattern && globSync(pattern)[0]) ?? reference;
}
