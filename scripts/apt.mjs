/** Installs Debian packages that tests need. It runs on the Node of the machine, without any package of npm. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const TEN_MINUTES = 600_000;
/** Only root may write here, and only root installs. Held by one process at a time: apt-get itself gives up instead of waiting. */
const LOCK = '/run/quarters-apt.lock';

export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, name)));
}

/** Whether this user could install packages on this system. */
export function canInstall() {
  return process.getuid?.() === 0 && isOnPath('apt-get');
}

/** Whether somebody has agreed: a machine is never changed unasked. `variable` is 1 if they have. */
export function mayInstall(variable) {
  return canInstall() && (process.env.CI === 'true' || process.env[variable] === '1');
}

/** Runs `apt-get` without questions. Returns whether it succeeded. */
export function aptGet(...args) {
  const [program, ...before] = isOnPath('flock') ? ['flock', LOCK, 'apt-get'] : ['apt-get'];
  const result = spawnSync(program, [...before, '-qq', ...args], {
    stdio: 'ignore',
    timeout: TEN_MINUTES,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return result.status === 0;
}
