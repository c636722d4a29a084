import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { compileCSharp } from '../../scripts/packages/csharp-compiler.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export const LIBRARY = join(ROOT, 'sdk/csharp');

/** Debian's C#: a compiler of C# 7, and a runtime. It shows what .NET Standard code does, and neither Unity nor today's .NET. */
export const NO_MONO = skipWithout(
  'mono-mcs',
  'mono-runtime',
  'libmono-system-net-http4.0-cil',
  'libnewtonsoft-json5.0-cil',
);

type More = { readonly references?: readonly string[]; readonly defines?: readonly string[]; readonly docs?: boolean };

/** Compiles into `folder`, and the comments beside it with `docs`. `references` are names of files there. Returns the path. */
export async function compile(
  folder: string,
  output: string,
  sources: readonly string[],
  { references = [], defines = [], docs = false }: More = {},
): Promise<string> {
  const path = join(folder, output);
  await compileCSharp({
    output: path,
    sources: sources.flatMap((pattern) => globSync(pattern)).toSorted(),
    references: ['Newtonsoft.Json', ...references.map((name) => join(folder, name))],
    defines,
    ...(docs && { docs: path.replace(/\.dll$/, '.xml') }),
  });
  return path;
}

/** Compiles the library and a program that uses it. Returns the program's path. */
export async function compileWithLibrary(folder: string, program: string, sources: readonly string[]): Promise<string> {
  const references = ['Quarters.dll', 'Quarters.Server.dll'];
  await compile(folder, 'Quarters.dll', [`${LIBRARY}/Runtime/**/*.cs`], { docs: true });
  await compile(folder, 'Quarters.Server.dll', [`${LIBRARY}/Server/*.cs`], {
    references: ['Quarters.dll'],
    docs: true,
  });
  return compile(folder, program, sources, { references });
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
