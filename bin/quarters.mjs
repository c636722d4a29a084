#!/usr/bin/env node
/**
 * `npx quarters …` inside the clone, or where the package is installed. Runs the command line on the Node that we pin, whatever Node
 * started this file; installs nothing. Node.js 20 must be able to read it.
 */
import { spawn } from 'node:child_process';
// `enableCompileCache` came with 22: imported by name, it would be a syntax error before.
import * as nodeModule from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findPinnedNode } from './pinned-node.mjs';

const LEAST_NODE = 26;
const main = new URL('../local/main.ts', import.meta.url);
const endWithCaller = new URL('end-with-caller.mjs', import.meta.url);
// Types are stripped once, not in each run. Beside the sources, because what others may write there would run as this user.
const cache = fileURLToPath(new URL('../node_modules/.cache/quarters', import.meta.url));
// In a project that has installed this package, npm puts our dependencies beside us.
const pinnedNode = ['../node_modules', '../..']
  .map((modules) => findPinnedNode(fileURLToPath(new URL(modules, import.meta.url))))
  .find((path) => path);

// Without npm the caller is a shell, which may end before what it started.
if (process.env.npm_lifecycle_event) await import(endWithCaller.href);

if (!pinnedNode) {
  process.stderr.write('The dependencies are not installed yet. Run `npm start` or `npm ci` in this folder first.\n');
  process.exitCode = 1;
} else if (Number(process.versions.node.split('.')[0]) >= LEAST_NODE) {
  nodeModule.enableCompileCache(cache);
  await import(main.href);
} else {
  runPinned();
}

function runPinned() {
  const args = ['--import', endWithCaller.href, fileURLToPath(main), ...process.argv.slice(2)];
  const child = spawn(pinnedNode, args, { stdio: 'inherit', env: { NODE_COMPILE_CACHE: cache, ...process.env } });
  // What a terminal sends has reached the child, too, which takes both for one. This process waits for its end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2']) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('error', (error) => {
    process.stderr.write(`Node.js could not be started (${error.message}). Run \`npm ci\` in this folder.\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}
