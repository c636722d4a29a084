import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { compile, LIBRARY, NO_MONO } from './mono.ts';

const run = promisify(execFile);
const NO_NUNIT = skipWithout('libnunit-framework2.6.3-cil', 'libnunit-console-runner2.6.3-cil');
const BIN = resolve(import.meta.dirname, '../../bin/quarters.mjs');

test("a C# game's tests with the emulator pass in NUnit", { skip: NO_MONO || NO_NUNIT }, async (t) => {
  const folder = await scratchFolder(t);
  for (const name of ['nunit.framework.dll', 'nunit-console-runner.dll'])
    await copyFile(globSync(`/usr/lib/mono/gac/*/*/${name}`)[0]!, join(folder, name));
  await compile(folder, 'Quarters.dll', [`${LIBRARY}/Runtime/**/*.cs`]);
  await compile(folder, 'Quarters.Server.dll', [`${LIBRARY}/Server/*.cs`], { references: ['Quarters.dll'] });
  await compile(folder, 'Quarters.Testing.dll', [`${LIBRARY}/Testing/**/*.cs`]);
  await compile(folder, 'EmulatorTests.dll', [join(import.meta.dirname, 'EmulatorTests.cs')], {
    references: ['Quarters.dll', 'Quarters.Server.dll', 'Quarters.Testing.dll', 'nunit.framework.dll'],
  });
  await compile(folder, 'RunNUnit.exe', [join(import.meta.dirname, 'RunNUnit.cs')], {
    references: ['nunit-console-runner.dll'],
  });
  const env = { ...process.env, QUARTERS_COMMAND: [process.execPath, BIN].join('\n') };
  const args = ['RunNUnit.exe', 'EmulatorTests.dll', '-nologo', '-noshadow', '-noresult', '-domain:None'];
  const { stdout } = await run('mono', args, { cwd: folder, env }).catch((error: { stdout: string }) =>
    assert.fail(error.stdout),
  );
  assert.match(stdout, /Tests run: 8, Errors: 0, Failures: 0/);
});
