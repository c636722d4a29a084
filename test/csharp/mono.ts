import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { atEnd } from '../kit/unit/at-end.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');

export const LIBRARY = join(ROOT, 'sdk/csharp');

/** Debian's C#: a compiler of C# 7, and a runtime. It shows what .NET Standard code does, and neither Unity nor today's .NET. */
export const NO_MONO = skipWithout(
  'mono-mcs',
  'mono-runtime',
  'libmono-system-net-http4.0-cil',
  'libnewtonsoft-json5.0-cil',
);

/** Compiles into `folder`. Warnings count as errors, but for members without a comment. */
export async function compile(
  folder: string,
  output: string,
  sources: readonly string[],
  { references = [], defines = [] }: { references?: readonly string[]; defines?: readonly string[] } = {},
): Promise<string> {
  const [json = ''] = globSync('/usr/lib/mono/gac/Newtonsoft.Json/*/Newtonsoft.Json.dll');
  const path = join(folder, output);
  const files = sources.flatMap((pattern) => globSync(pattern));
  await run('mcs', [
    '-langversion:7.2',
    '-warnaserror',
    `-target:${output.endsWith('.dll') ? 'library' : 'exe'}`,
    `-out:${path}`,
    ...defines.map((name) => `-d:${name}`),
    ...['System.Net.Http', json, ...references.map((name) => join(folder, name))].map((name) => `-r:${name}`),
    ...files,
  ]);
  return path;
}

/** Compiles the library and a program that uses it. Returns the program's path. */
export async function compileWithLibrary(folder: string, program: string, sources: readonly string[]): Promise<string> {
  await compile(folder, 'Quarters.dll', [`${LIBRARY}/Runtime/**/*.cs`]);
  await compile(folder, 'Quarters.Server.dll', [`${LIBRARY}/Server/*.cs`], { references: ['Quarters.dll'] });
  return compile(folder, program, sources, { references: ['Quarters.dll', 'Quarters.Server.dll'] });
}

export type MonoProgram = {
  write(line: string): void;
  /** What it has printed, line by line. */
  readonly lines: string[];
  kill(): Promise<void>;
};

export function startMono(
  t: TestContext,
  program: string,
  env: Readonly<Record<string, string>> = {},
  onLine: (line: string) => void = () => {},
): MonoProgram {
  const child = spawn('mono', [program], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    onLine(line);
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  atEnd(t, kill);
  return { write: (line) => void child.stdin.write(`${line}\n`), lines, kill };
}
