/**
 * Which files of the tests take how much processor time. Each test process loads this module first, and notes what each of
 * its files took. What all tests share, such as PostgreSQL, is in no file's figure.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cpuSecondsOfTree } from './test-cpu.ts';

const definedIn = new AsyncLocalStorage<string>();

/** Loads a file of a folder's process, so that its tests count as its own. */
export function loadAsOwn<T>(file: string, load: () => Promise<T>): Promise<T> {
  return definedIn.run(file, load);
}

/** Names the folder for the notes. The runner sets it for its processes. */
export const COSTS_VARIABLE = 'QUARTERS_TEST_COSTS';

const folder = process.env[COSTS_VARIABLE];
if (folder && process.env.NODE_TEST_CONTEXT && existsSync('/proc/self/stat')) noteCosts(folder);

/** The tests of a process run one after the other, so all that its tree does between two files' first tests is the first one's. */
function noteCosts(folder: string): void {
  // Until its first test starts, a process loads the program: that is a part of every process, and of no file.
  let file: string | null = null;
  let before = 0;
  const note = (next: string | null) => {
    if (next === file) return;
    const now = cpuSecondsOfTree(process.pid);
    const cost: Cost = { file: file ?? '', seconds: Math.max(0, now - before) };
    appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(cost)}\n`);
    before = now;
    file = next;
  };
  // Published by node:test for each test, in the context in which it was defined, with the process's own file. A suite starts
  // when it is defined, before the tests of earlier files have run.
  subscribe('tracing:node.test:start', (message) => {
    const { type, name, file: entry } = message as { type: string; name: string; file?: string };
    if (type === 'test' && name !== '<root>') note(definedIn.getStore() ?? entry ?? null);
  });
  process.on('exit', () => note(null));
}

type Cost = { readonly file: string; readonly seconds: number };

/** Adds up what was noted in `folder`: seconds by path from `root`. `''` is the loading of all processes. */
export function readCosts(root: string, folder: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const name of globSync('*.jsonl', { cwd: folder })) {
    const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n');
    for (const { file, seconds } of lines.map((line) => JSON.parse(line) as Cost)) {
      const path = file && relative(root, file).replaceAll('\\', '/');
      sums.set(path, (sums.get(path) ?? 0) + seconds);
    }
  }
  return sums;
}
