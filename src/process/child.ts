import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

export type ChildExit = { code: number | null; signal: NodeJS.Signals | null };

type ChildOptions = {
  command: string;
  args: string[];
  cwd?: string;
  /** The whole environment of the child; nothing is inherited besides it. */
  env?: Record<string, string | undefined>;
  /** Run as this user; only root may set it. */
  user?: { uid: number; gid: number };
  /** What asks this program to end in good order, and how long it may take before SIGKILL. */
  stopSignal?: NodeJS.Signals;
  graceMs?: number;
  /** When it is aborted, the child is stopped. */
  stopOn?: AbortSignal | undefined;
  onOutput?: (text: string) => void;
  /** Called once when the child is gone, whether asked to or not. */
  onExit?: (exit: ChildExit) => void;
};

export type Child = {
  pid: number;
  exited: Promise<ChildExit>;
  /** The end of what the child wrote (both streams), for messages about its failure. */
  lastOutput(): string;
  /** Resolves when the child is gone; may be called again, which signals nothing new, and after the exit. */
  stop(how?: { signal?: NodeJS.Signals; graceMs?: number }): Promise<ChildExit>;
};

const keptOutput = 4_000;

// The child waits for one line before it becomes the program: the watchdog is running by then, so there is no moment
// at which our death would leave the program behind.
const gate = 'read -r go && [ "$go" = go ] && exec "$@" </dev/null';

// End of file on standard input is the only sign of our death that kill -9 cannot suppress on Linux and macOS alike.
// A POSIX shell costs about 1 MB where a second node would cost 40. It has a session of its own (no Ctrl-C, no hang-up
// reaches it) and none of our streams. It leaves at once when we write "gone" after the child's exit; so it only ever
// signals a process group whose leader was alive when we died, and a group's id is not given to anybody else while the
// group has a member. Signals go to the group: initdb and the like have children of their own. `kill -s NAME -- -ID` is
// the one spelling that dash, bash, zsh and busybox share.
const watchdog = `trap '' INT TERM HUP
read -r word && [ "$word" = gone ] && exit 0
kill -s "$2" -- "-$1" || exit 0
left=$3
while [ "$left" -gt 0 ]; do
  sleep 0.1 || sleep 1
  kill -s 0 -- "-$1" || exit 0
  left=$((left - 1))
done
kill -s KILL -- "-$1"`;

/**
 * Starts a program that dies with us. It gets a process group and session of its own, so Ctrl-C in the terminal reaches
 * only us and we decide the order of stopping; a watchdog ends it when we die in whatever way.
 * A program that cannot be executed shows as an exit with code 126 or 127.
 * @throws when no process can be started, or not as that user or in that folder; the reason of `stopOn`, where it is aborted by then
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { stopSignal = 'SIGTERM', graceMs = 10_000, stopOn } = options;
  stopOn?.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', gate, 'gate', options.command, ...options.args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: options.env ?? {},
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.user ?? {}),
  });
  // The gate may be dead when we write to it; its exit tells the same.
  child.stdin.on('error', () => {});
  await once(child, 'spawn');
  const pid = child.pid!;

  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-keptOutput);
      options.onOutput?.(text);
    });
  }

  const gone = once(child, 'exit').then(([code, signal]): ChildExit => ({ code, signal }));
  const drained = once(child, 'close');
  const guard = spawn(
    '/bin/sh',
    ['-c', watchdog, 'watchdog', `${pid}`, stopSignal.slice(3), `${Math.ceil(graceMs / 100)}`],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      cwd: '/',
    },
  );
  guard.stdin.on('error', () => {});
  try {
    await once(guard, 'spawn');
  } catch (error) {
    child.stdin.end();
    throw error;
  }
  // Neither the watchdog nor its pipe keeps our event loop alive.
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();

  const exited = gone.then(async (exit) => {
    guard.stdin.end('gone\n');
    // The last words may still be in the pipe. A grandchild can hold it open, hence the bound. Where we were held up ourselves,
    // the bound comes before what is there is read: that takes one more turn.
    await Promise.race([drained, delay(250, undefined, { ref: false }).then(() => turn())]);
    options.onExit?.(exit);
    return exit;
  });
  child.stdin.end('go\n');

  let running = true;
  void gone.then(() => {
    running = false;
  });
  const signalGroup = (signal: NodeJS.Signals) => {
    if (!running) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Gone between the check and the signal.
    }
  };

  let sent: NodeJS.Signals | null = null;
  const stop: Child['stop'] = async (how = {}) => {
    const signal = how.signal ?? stopSignal;
    // Once: to many programs the second of a kind means to end at once, in the middle of what they still write.
    if (signal !== sent) signalGroup(signal);
    sent = signal;
    const timer = setTimeout(() => signalGroup('SIGKILL'), how.graceMs ?? graceMs);
    const exit = await exited;
    clearTimeout(timer);
    return exit;
  };
  const stopNow = () => void stop();
  stopOn?.addEventListener('abort', stopNow);
  void gone.then(() => stopOn?.removeEventListener('abort', stopNow));
  if (stopOn?.aborted) {
    await stop();
    throw stopOn.reason;
  }
  return { pid, exited, lastOutput: () => output.trim(), stop };
}
