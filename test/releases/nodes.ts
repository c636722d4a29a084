import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Of these, packages run on all, or bring their own. */
const LEAST_MAJOR = 20;

/** The Node that runs this, and the one of the machine if that is another one that packages should run on. */
export function nodesToTry(): string[] {
  const others = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path) && majorOf(path) >= LEAST_MAJOR);
  return [process.execPath, ...others.slice(0, 1)];
}

function majorOf(node: string): number {
  return Number(execFileSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }));
}
