import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

export type ChildExit = { code: number | null; signal: NodeJS.Signals | null };

type ChildOptions = {
  command: string;
  args: string[];
  cwd?: string;
  /** The child's whole environment. It inherits nothing else. */
  env?: Record<string, string | undefined>;
  /** Run as this user; only root may set it. */
  user?: { uid: number; gid: number };
  /** The signal for an orderly stop, and how long it may take before SIGKILL. */
  stopSignal?: NodeJS.Signals;
  graceMs?: number;
  /** Aborting it stops the child. */
  stopOn?: AbortSignal | undefined;
  onOutput?: (text: string, from: 'stdout' | 'stderr') => void;
  /** Called once when the child has exited, for whatever reason. */
  onExit?: (exit: ChildExit) => void;
};

export type Child = {
  pid: number;
  exited: Promise<ChildExit>;
  /** The end of the child's output (both streams), for messages about its failure. */
  lastOutput(): string;
  /** Stops the child and resolves when it has exited. It may be called again, and does not repeat a signal. */
  stop(how?: { signal?: NodeJS.Signals; graceMs?: number }): Promise<ChildExit>;
};

const keptOutput = 4_000;

// The child waits for one line before it becomes the program. By then the watchdog is running, so our death at any moment
// cannot leave the program behind.
const gate = 'read -r go && [ "$go" = go ] && exec "$@" </dev/null';

// End of file on standard input is the only sign of our death that kill -9 cannot suppress on both Linux and macOS.
// A POSIX shell costs about 1 MB; a second node would cost 40. The watchdog has a session of its own, so no Ctrl-C or
// hang-up reaches it, and none of our streams. It exits at once when we write "gone" after the child's exit. So it only
// signals a process group whose leader was alive when we died, and the system reuses no group id while the group has a
// member. Signals go to the group, because programs such as initdb have children. `kill -s NAME -- -ID` is the only
// spelling that dash, bash, zsh and busybox share.
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
 * Starts a program that dies with us. It gets its own process group and session, so Ctrl-C in the terminal reaches only us
 * and we decide the order of stopping. A watchdog ends it however we die.
 * A program that cannot be executed exits with code 126 or 127.
 * @throws if no process can be started as that user in that folder; the reason of `stopOn`, if it is aborted by then
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { stopSignal = 'SIGTERM', graceMs = 10_000, stopOn } = options;
  stopOn?.throwIfAborted();
  const child = await spawnAtGate(options);
  const pid = child.pid!;
  const lastOutput = keepOutput(child, options.onOutput);
  const gone = once(child, 'exit').then(([code, signal]): ChildExit => ({ code, signal }));
  const drained = once(child, 'close');
  const guard = await spawnWatchdog(pid, stopSignal, graceMs).catch((error: Error) => {
    child.stdin.end();
    throw error;
  });
  const exited = gone.then(async (exit) => {
    guard.stdin.end('gone\n');
    // The last output may still be in the pipe, which a grandchild can hold open: hence the limit. If our own event loop was
    // blocked, the timer fires before the output is read, so we wait one more turn.
    await Promise.race([drained, delay(250, undefined, { ref: false }).then(() => turn())]);
    options.onExit?.(exit);
    return exit;
  });
  child.stdin.end('go\n');

  const signalGroup = groupSignaller(pid, gone);
  let sent: NodeJS.Signals | null = null;
  const stop: Child['stop'] = async (how = {}) => {
    const signal = how.signal ?? stopSignal;
    // Each signal is sent once: many programs take a second one as an order to quit in the middle of a write.
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
  return { pid, exited, lastOutput, stop };
}

/** Starts the shell that waits at the gate for the word to become the program. */
async function spawnAtGate({ command, args, cwd, env, user }: ChildOptions): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn('/bin/sh', ['-c', gate, 'gate', command, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: env ?? {},
    ...(cwd === undefined ? {} : { cwd }),
    ...(user ?? {}),
  });
  // The gate may be dead when we write to it. Its exit reports that already.
  child.stdin.on('error', () => {});
  await once(child, 'spawn');
  return child;
}

/** Starts the watchdog. Neither it nor its pipe keeps our event loop alive. */
async function spawnWatchdog(pid: number, stopSignal: NodeJS.Signals, graceMs: number) {
  const tenths = Math.ceil(graceMs / 100);
  const guard = spawn('/bin/sh', ['-c', watchdog, 'watchdog', `${pid}`, stopSignal.slice(3), `${tenths}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    cwd: '/',
  });
  guard.stdin.on('error', () => {});
  await once(guard, 'spawn');
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}

/** Passes the child's output on, and returns a function that gives its end. */
function keepOutput(child: ChildProcessWithoutNullStreams, onOutput?: ChildOptions['onOutput']): () => string {
  let output = '';
  for (const from of ['stdout', 'stderr'] as const) {
    child[from].setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-keptOutput);
      onOutput?.(text, from);
    });
  }
  return () => output.trim();
}

/** Signals the process group until its leader has exited: afterwards the id may be another group's. */
function groupSignaller(pid: number, gone: Promise<unknown>): (signal: NodeJS.Signals) => void {
  let running = true;
  void gone.then(() => {
    running = false;
  });
  return (signal) => {
    if (!running) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // Gone between the check and the signal.
    }
  };
}
