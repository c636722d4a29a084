/**
 * The packages of NuGet: the C# library for Godot, servers and other .NET. We write the archives ourselves, because NuGet's own tool puts
 * the time of packing into them.
 */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCSharp } from './csharp-compiler.ts';
import { type NuGetProject, nuGetProjectFiles, readNuGetProject } from './nuget-projects.ts';
import { type Pack, type Packing, ROOT, run } from './package.ts';
import { packedReadme } from './readme.ts';
import { zip } from './zip.ts';

/** What .NET Framework 4.6.1 has is in .NET Standard 2.0, for all that we use. Mono has no assemblies of the standard to compile against. */
const SDK = '4.6.1-api';
const NEEDED = [
  '/usr/bin/mcs',
  `/usr/lib/mono/${SDK}/mscorlib.dll`,
  '/usr/lib/mono/gac/Newtonsoft.Json/*/Newtonsoft.Json.dll',
];

const OPC = 'http://schemas.openxmlformats.org/package/2006';

export const packNuGet: Pack = async (packing) => {
  if (NEEDED.some((pattern) => globSync(pattern).length === 0))
    throw new Error('The packages of NuGet need Mono: apt-get install mono-devel libnewtonsoft-json5.0-cil');
  const folder = await mkdtemp(join(tmpdir(), 'quarters-nuget-'));
  try {
    const retarget = join(folder, 'Retarget.exe');
    await compileCSharp({
      output: retarget,
      sources: [join(import.meta.dirname, 'Retarget.cs')],
      references: ['Mono.Cecil'],
    });
    await mkdir(packing.out, { recursive: true });
    const files: string[] = [];
    for (const path of nuGetProjectFiles())
      files.push(await packProject(packing, readNuGetProject(path), folder, retarget));
    return files;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

async function packProject(packing: Packing, project: NuGetProject, folder: string, retarget: string): Promise<string> {
  const { id, version } = project;
  await compileProject(project, folder);
  const dll = join(folder, `${id}.dll`);
  await run('mono', [retarget, dll, join(folder, `${id}.packed.dll`)]);
  const nuspec = nuspecOf(project, packing.repository);
  const core = `package/services/metadata/core-properties/${createHash('md5').update(nuspec).digest('hex')}.psmdcp`;
  const archive = zip(
    new Map([
      ['_rels/.rels', Buffer.from(relationships(`${id}.nuspec`, core))],
      [`${id}.nuspec`, Buffer.from(nuspec)],
      [`lib/netstandard2.0/${id}.dll`, await readFile(join(folder, `${id}.packed.dll`))],
      [`lib/netstandard2.0/${id}.xml`, await readFile(join(folder, `${id}.xml`))],
      ['README.md', Buffer.from(await packedReadme(project.readme, packing, version))],
      ['[Content_Types].xml', Buffer.from(contentTypes())],
      [core, Buffer.from(coreProperties(project))],
    ]),
  );
  const file = `${id}.${version}.nupkg`;
  await writeFile(join(packing.out, file), archive);
  return file;
}

/** Compiles a project and those that it needs, into `folder`. */
async function compileProject(project: NuGetProject, folder: string): Promise<void> {
  const { id, version, sources, projects } = project;
  const output = join(folder, `${id}.dll`);
  if (globSync(output).length > 0) return;
  for (const needed of projects) await compileProject(needed, folder);
  const about = join(folder, `${id}.Version.cs`);
  await writeFile(about, assemblyVersion(version));
  await compileCSharp({
    output,
    sources: [...sources.map((path) => join(ROOT, path)), about],
    references: [...packagesOf(project), ...projects.map((needed) => join(folder, `${needed.id}.dll`))],
    docs: join(folder, `${id}.xml`),
    sdk: SDK,
  });
}

/** Also those of the projects that it needs. */
function packagesOf({ packages, projects }: NuGetProject): string[] {
  return [...new Set([...packages.map(({ id }) => id), ...projects.flatMap(packagesOf)])];
}

function assemblyVersion(version: string): string {
  return `[assembly: System.Reflection.AssemblyVersion("${version}.0")]
[assembly: System.Reflection.AssemblyFileVersion("${version}.0")]
[assembly: System.Reflection.AssemblyInformationalVersion("${version}")]
[assembly: System.Runtime.Versioning.TargetFramework(".NETStandard,Version=v2.0")]
`;
}

function nuspecOf(project: NuGetProject, repository: string | undefined): string {
  const { id, version, authors, description, tags, license, packages, projects } = project;
  const dependencies = [...projects, ...packages]
    .map((needed) => `        <dependency id="${needed.id}" version="${needed.version}" exclude="Build,Analyzers" />\n`)
    .join('');
  const source = repository
    ? `    <projectUrl>${xml(repository)}</projectUrl>\n    <repository type="git" url="${xml(repository)}" />\n`
    : '';
  return `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata>
    <id>${id}</id>
    <version>${version}</version>
    <authors>${xml(authors)}</authors>
    <license type="expression">${license}</license>
    <licenseUrl>https://licenses.nuget.org/${license}</licenseUrl>
    <readme>README.md</readme>
${source}    <description>${xml(description)}</description>
    <tags>${xml(tags)}</tags>
    <dependencies>
      <group targetFramework=".NETStandard2.0">
${dependencies}      </group>
    </dependencies>
  </metadata>
</package>
`;
}

function relationships(nuspec: string, core: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="${OPC}/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/${nuspec}" Id="R1" />
  <Relationship Type="${OPC}/relationships/metadata/core-properties" Target="/${core}" Id="R2" />
</Relationships>
`;
}

function contentTypes(): string {
  const ours = ['nuspec', 'dll', 'xml', 'md'].map(
    (extension) => `  <Default Extension="${extension}" ContentType="application/octet" />\n`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="${OPC}/content-types">
  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
  <Default Extension="psmdcp" ContentType="application/vnd.openxmlformats-package.core-properties+xml" />
${ours.join('')}</Types>
`;
}

function coreProperties({ id, version, authors, description, tags }: NuGetProject): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<coreProperties xmlns="${OPC}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <dc:creator>${xml(authors)}</dc:creator>
  <dc:description>${xml(description)}</dc:description>
  <dc:identifier>${id}</dc:identifier>
  <version>${version}</version>
  <keywords>${xml(tags)}</keywords>
</coreProperties>
`;
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
