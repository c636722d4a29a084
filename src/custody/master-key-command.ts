import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { printable } from '../base/printable.ts';

const LIMIT_MS = 10_000;
/** Far more than a key needs. */
const MOST_BYTES = 10_000;
const MOST_SHOWN = 200;

/**
 * Runs `$1` with the end of this process in view: when the pipe at standard input closes, for whatever reason, the whole group ends. The
 * command itself reads nothing there.
 */
const GUARDED =
  'exec 3<&0 </dev/null; (cat <&3 >/dev/null 2>&1; kill -9 0) >/dev/null 2>&1 & exec 3<&-; /bin/sh -c "$1"';

/**
 * Runs the command of MASTER_KEY_COMMAND in a shell, since most of them are a pipe, and returns what it prints. It has the environment and the
 * folder of this process and no terminal. Nothing that it has started outlives the call, or this process.
 *
 * An error holds nothing of the output and of the command: both may be secret. It holds the first line that the command has written to
 * standard error.
 */
export async function outputOfCommand(command: string, limitMs = LIMIT_MS): Promise<string> {
  // A group of its own, so that all of it can be ended, and Ctrl-C in our terminal is left to us.
  const child = spawn('/bin/sh', ['-c', GUARDED, 'quarters', command], { detached: true });
  child.stdin.on('error', () => {});
  const [printed, complained] = [firstBytes(child.stdout), firstBytes(child.stderr)];
  const endGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  };
  // What still holds a pipe then would keep us waiting. The guard is in the group too, so its number is nobody else's yet.
  child.once('exit', endGroup);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup();
  }, limitMs);
  try {
    const [code, signal] = await once(child, 'close');
    if (isLate) throw new Error(`MASTER_KEY_COMMAND did not end within ${limitMs / 1000} seconds${says(complained())}`);
    if (code !== 0) throw new Error(`MASTER_KEY_COMMAND ended with ${signal ?? `code ${code}`}${says(complained())}`);
    return printed();
  } finally {
    clearTimeout(timer);
  }
}

function firstBytes(stream: NodeJS.ReadableStream): () => string {
  const parts: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (part: Buffer) => {
    if (bytes < MOST_BYTES) parts.push(part);
    bytes += part.length;
  });
  return () => Buffer.concat(parts).toString('utf8');
}

/** What could be a part of a key is not shown, as a shell that traces its commands would show it. */
function says(complaint: string): string {
  const [line = ''] = complaint.trim().split('\n');
  const shown = printable(line.slice(0, MOST_SHOWN)).replace(/[\da-zA-Z+/=]{24,}/g, '…');
  return shown === '' ? '.' : `: ${shown}`;
}
