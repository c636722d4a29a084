import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';

export type ThrowawayFolder = { readonly path: string; remove(): Promise<void> };

// End of file on standard input is the sign of our death, as for the watchdogs of our children (local/child.ts), which end them meanwhile. A
// database that is still ending, or a copy that is still running, may write to the folder again: hence the second look.
const JANITOR = `trap '' INT TERM HUP
read -r word && [ "$word" = gone ] && exit 0
left=300
while [ "$left" -gt 0 ] && kill -s 0 "$(head -n 1 "$1/postgres/cluster/postmaster.pid")"; do
  sleep 0.1 || sleep 1
  left=$((left - 1))
done
while [ "$left" -gt 0 ]; do
  rm -rf -- "$1"
  sleep 1
  [ -e "$1" ] || exit 0
  left=$((left - 10))
done`;

/** Makes a folder whose path begins with `prefix`. It is removed when this process has ended, however that comes about. */
export async function makeThrowawayFolder(prefix: string): Promise<ThrowawayFolder> {
  const path = await mkdtemp(prefix);
  const janitor = spawn('/bin/sh', ['-c', JANITOR, 'janitor', path], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    cwd: '/',
  });
  janitor.stdin.on('error', () => {});
  await once(janitor, 'spawn');
  janitor.unref();
  (janitor.stdin as unknown as { unref(): void }).unref();
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      janitor.stdin.end('gone\n');
    },
  };
}
