/** The C# projects that are packages of NuGet: one for each .csproj in sdk/csharp/NuGet~, which `dotnet pack` understands too. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './package.ts';

export type NuGetProject = {
  readonly id: string;
  readonly version: string;
  readonly description: string;
  readonly authors: string;
  readonly tags: string;
  readonly license: string;
  readonly readme: string;
  readonly sources: readonly string[];
  /** The packages of others that it needs. */
  readonly packages: readonly { readonly id: string; readonly version: string }[];
  /** The projects of ours that it needs. */
  readonly projects: readonly NuGetProject[];
};

/** The paths of the projects, from the root of the repository. */
export function nuGetProjectFiles(): string[] {
  return globSync('sdk/csharp/NuGet~/*/*.csproj', { cwd: ROOT }).toSorted();
}

export function readNuGetProject(path: string): NuGetProject {
  const xml = readFileSync(join(ROOT, path), 'utf8');
  const near = (file: string) => relative(ROOT, join(ROOT, dirname(path), file));
  const one = (pattern: RegExp) => {
    const [, found] = pattern.exec(xml) ?? [];
    if (found === undefined) throw new Error(`${path} has nothing like ${pattern}`);
    return found;
  };
  const text = (name: string) => one(new RegExp(`<${name}>(.*)</${name}>`));
  const included = (name: string) =>
    [...xml.matchAll(new RegExp(`<${name} Include="(.*?)"`, 'g'))].map(([, found]) => found!);
  const packages = [...xml.matchAll(/<PackageReference Include="(.*?)" Version="(.*?)"/g)];
  return {
    id: text('PackageId'),
    version: text('Version'),
    description: text('Description'),
    authors: text('Authors'),
    tags: text('PackageTags'),
    license: text('PackageLicenseExpression'),
    readme: near(one(/<None Include="(.*?README\.md)" Pack="true"/)),
    sources: included('Compile')
      .flatMap((pattern) => globSync(near(pattern), { cwd: ROOT }))
      .toSorted(),
    packages: packages.map(([, id, version]) => ({ id: id!, version: version! })),
    projects: included('ProjectReference').map((file) => readNuGetProject(near(file))),
  };
}
