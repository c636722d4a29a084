import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { compileCSharp } from '../../scripts/packages/csharp-compiler.ts';
import { packNuGet } from '../../scripts/packages/nuget.ts';
import type { Pack } from '../../scripts/packages/package.ts';
import { packUpm } from '../../scripts/packages/upm.ts';
import { zip } from '../../scripts/packages/zip.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { flakyServer, json, lost } from '../kit/unit/flaky-server.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { DRIVER, startDriver } from './driver.ts';
import { compile, LIBRARY, NO_MONO } from './mono.ts';
import { assembliesIn, compileAsUnity } from './unity.ts';

const run = promisify(execFile);
const REPOSITORY = 'https://git.example/quarters';
const NO_NUGET = NO_MONO || skipWithout('mono-devel', 'nuget');

/** Packs twice, compares the bytes, and returns the paths of the first packages. */
async function packed(t: TestContext, pack: Pack, repository?: string): Promise<string[]> {
  const [once, twice] = [await scratchFolder(t), await scratchFolder(t)];
  const files = await pack({ out: once, repository });
  assert.deepEqual(await pack({ out: twice, repository }), files);
  for (const file of files)
    assert.ok(
      (await readFile(join(once, file))).equals(await readFile(join(twice, file))),
      `${file} differs when it is made again`,
    );
  return files.map((file) => join(once, file));
}

/** Installs the tarball as Unity does: it unpacks it. */
async function unpacked(t: TestContext, repository?: string): Promise<string> {
  const [tarball] = await packed(t, packUpm, repository);
  const folder = await scratchFolder(t);
  await run('tar', ['xf', tarball!, '-C', folder]);
  return join(folder, 'package');
}

/** The blocks of C# of a page. */
const blocksOf = (markdown: string) => [...markdown.matchAll(/^```csharp\n([\s\S]*?)^```/gm)].map(([, code]) => code!);

describe('the package for Unity', () => {
  test('has what the Package Manager shows, and a .meta for each file that Unity takes', async (t) => {
    const folder = await unpacked(t, REPOSITORY);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const name of [
      'displayName',
      'description',
      'unity',
      'license',
      'documentationUrl',
      'changelogUrl',
      'licensesUrl',
    ])
      assert.ok(manifest[name], name);
    assert.ok(manifest.author.name);
    assert.ok(manifest.changelogUrl.startsWith(REPOSITORY));
    for (const path of [
      'README.md',
      'CHANGELOG.md',
      'LICENSE.md',
      'Documentation~/index.md',
      'Runtime',
      'Server',
      'Plugins',
    ])
      assert.ok(existsSync(join(folder, path)), path);
    for (const { path } of manifest.samples) assert.ok(existsSync(join(folder, path)), path);
    assert.ok(!existsSync(join(folder, 'NuGet~')));
    const assets = globSync('**/*', { cwd: folder }).filter((path) => !path.includes('~') && !path.endsWith('.meta'));
    assert.ok(assets.length > 40);
    for (const path of assets) assert.ok(existsSync(join(folder, `${path}.meta`)), `${path} has no .meta`);
    const metas = globSync('**/*.meta', { cwd: folder });
    for (const path of metas) assert.ok(existsSync(join(folder, path.slice(0, -5))), `${path} is left over`);
    const ids = metas.map((path) => /^guid: (\w{32})$/m.exec(readFileSync(join(folder, path), 'utf8'))![1]);
    assert.equal(new Set(ids).size, ids.length);
  });

  test('has the licence of the repository, and no link that leads out of it', async (t) => {
    const folder = await unpacked(t);
    assert.equal(
      readFileSync(join(folder, 'LICENSE.md'), 'utf8'),
      readFileSync(join(LIBRARY, '../../LICENSE'), 'utf8'),
    );
    const pages = globSync('**/*.md', { cwd: folder });
    assert.equal(pages.length, 4);
    for (const page of pages)
      for (const [, target = ''] of readFileSync(join(folder, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g))
        assert.ok(
          statSync(join(folder, page, '..', target)).isFile() && !target.includes('../..'),
          `${page}: ${target}`,
        );
  });

  test('compiles, with its samples and the first steps of its README', { skip: NO_MONO }, async (t) => {
    const root = await unpacked(t);
    const folder = await scratchFolder(t);
    const names = assembliesIn(root).map(({ name }) => name);
    assert.deepEqual(await compileAsUnity(folder, root, ['UNITY_SERVER', 'UNITY_INCLUDE_TESTS']), names.toSorted());
    const [start = '', buying = '', taking = '', server = ''] = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'));
    await writeFile(join(folder, 'FirstSteps.cs'), firstSteps(start + buying, taking, server));
    const references = ['UnityStubs.dll', 'Quarters.dll', 'Quarters.Server.dll'];
    await compile(folder, 'FirstSteps.dll', [join(folder, 'FirstSteps.cs')], { references });
  });
});

/** What stands around the code of the README in a game. */
function firstSteps(device: string, taking: string, server: string): string {
  return `#pragma warning disable 219
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading.Tasks;
using Quarters;
using Quarters.Server;
using UnityEngine;

public abstract class FirstSteps
{
    private QuartersPlayer player;

    protected abstract Task TellYourServerAsync(string requestId);

    ${taking}

    public async Task OnTheDevice(string appId, string accessToken, string pageToken, ITokenStore tokenStore)
    {
        ${device}
    }

    public async Task OnTheServer(string url, string appId, string address, string key, string requestId, string body, string webhookSecret)
    {
        ${server}
    }

    public static class Request
    {
        public static readonly Dictionary<string, string> Headers = new Dictionary<string, string>();
    }
}
`;
}

describe('the packages of NuGet', { skip: NO_NUGET }, () => {
  test('are installed by its own tool, and a program runs with them', async (t) => {
    const packages = await packed(t, packNuGet, REPOSITORY);
    const source = await scratchFolder(t);
    for (const path of packages) await copyFile(path, join(source, path.split('/').at(-1)!));
    const folder = await scratchFolder(t);
    const json13 = await standIn(folder);
    await writeFile(
      join(source, 'Newtonsoft.Json.13.0.3.nupkg'),
      packageOf('Newtonsoft.Json', '13.0.3', await readFile(json13)),
    );

    const home = { ...process.env, HOME: folder };
    const installed = join(folder, 'packages');
    const options = ['-Source', source, '-OutputDirectory', installed, '-ExcludeVersion', '-NonInteractive'];
    await run('nuget', ['install', 'Quarters.Server', ...options], { cwd: folder, env: home });

    const libraries = globSync('*/lib/netstandard2.0/*', { cwd: installed }).toSorted();
    assert.deepEqual(libraries, [
      'Newtonsoft.Json/lib/netstandard2.0/Newtonsoft.Json.dll',
      'Quarters.Server/lib/netstandard2.0/Quarters.Server.dll',
      'Quarters.Server/lib/netstandard2.0/Quarters.Server.xml',
      'Quarters/lib/netstandard2.0/Quarters.dll',
      'Quarters/lib/netstandard2.0/Quarters.xml',
    ]);
    assert.match(readFileSync(join(installed, 'Quarters/README.md'), 'utf8'), new RegExp(`\\]\\(${REPOSITORY}/blob/v`));
    const game = join(folder, 'game');
    await mkdir(game);
    const dlls = libraries.filter((path) => path.endsWith('.dll')).map((path) => join(installed, path));
    for (const path of dlls) await copyFile(path, join(game, path.split('/').at(-1)!));
    const program = join(game, 'Driver.exe');
    await compileCSharp({
      output: program,
      sources: DRIVER,
      references: ['/usr/lib/mono/4.5/Facades/netstandard.dll', ...dlls],
    });
    const driver = startDriver(t, program);
    const { url, seen } = await flakyServer(t, lost, json({ requestId: 'r', txId: 't' }));
    assert.equal(await driver.gives({ do: 'pay', url }), 'r t');
    assert.equal(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size, 1);
  });
});

/** Newtonsoft.Json as NuGet names it. The real one cannot be had offline. */
async function standIn(folder: string): Promise<string> {
  const program = join(folder, 'StandIn.exe');
  await compileCSharp({
    output: program,
    sources: [join(import.meta.dirname, 'StandIn.cs')],
    references: ['Mono.Cecil'],
  });
  const path = join(folder, 'Newtonsoft.Json.dll');
  await run('mono', [program, globSync('/usr/lib/mono/gac/Newtonsoft.Json/*/Newtonsoft.Json.dll')[0]!, path]);
  return path;
}

/** A package of nothing but an assembly. */
function packageOf(id: string, version: string, dll: Buffer): Buffer {
  const opc = 'http://schemas.openxmlformats.org/package/2006';
  return zip(
    new Map([
      [
        `${id}.nuspec`,
        Buffer.from(
          `<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata><id>${id}</id><version>${version}</version><authors>a</authors><description>d</description></metadata></package>`,
        ),
      ],
      [
        '_rels/.rels',
        Buffer.from(
          `<Relationships xmlns="${opc}/relationships"><Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/${id}.nuspec" Id="R1" /></Relationships>`,
        ),
      ],
      [
        '[Content_Types].xml',
        Buffer.from(
          `<Types xmlns="${opc}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" /><Default Extension="nuspec" ContentType="application/octet" /><Default Extension="dll" ContentType="application/octet" /></Types>`,
        ),
      ],
      [`lib/netstandard2.0/${id}.dll`, dll],
    ]),
  );
}
