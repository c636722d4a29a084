/**
 * Loaded first where npm or `bin/quarters.mjs` calls: ends this process, as SIGTERM does, once its caller has gone. A caller that is killed
 * can pass no signal on, and the shell that npm runs passes none at all.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const LOOKS_EVERY_MS = 250;

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The parent, and the shell's parent where npm's shell is still between. That is so on Linux, which has /proc. Elsewhere the shell has
 * become what it runs.
 */
function callers() {
  const parent = process.ppid;
  if (!/^\S*sh\0-c\0/.test(read(`/proc/${parent}/cmdline`))) return `${parent}`;
  // pid (name, which may hold anything) state parent
  const [, grandparent] = read(`/proc/${parent}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return `${parent} ${grandparent}`;
}

if (isMainThread) {
  const atFirst = callers();
  const looking = setInterval(() => {
    if (callers() === atFirst) return;
    clearInterval(looking);
    process.kill(process.pid, 'SIGTERM');
  }, LOOKS_EVERY_MS);
  looking.unref();
}
