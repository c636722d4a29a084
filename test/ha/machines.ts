import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type Child, startChild } from '../../local/child.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { descendants } from '../kit/unit/processes.ts';
import { until } from '../kit/unit/until.ts';

const run = promisify(execFile);

/**
 * A machine of the test: processes in namespaces of their own, with one network address, a memory disk at `/dev/shm` and a folder of its
 * own for PostgreSQL's socket. It ends with the test, and with it everything that runs or is stored there, even after kill -9.
 */
export type Machine = {
  readonly address: string;
  /** Starts a program there as the user postgres. It runs until it ends or the machine does. */
  start(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    onOutput?: (text: string) => void,
  ): Promise<Child>;
  /** Runs a program there to its end, as root, and returns its output. Throws if it fails. */
  run(command: string, ...args: readonly string[]): Promise<string>;
  /** Copies a file into its memory disk, and returns its path there. */
  install(path: string): Promise<string>;
  /** Sends a signal to every process there whose command line matches. Returns how many there were. */
  signal(signal: NodeJS.Signals, command?: RegExp): number;
  /** Drops all packets to and from these addresses, or those of one TCP port, as a broken cable does: nobody is told. */
  cutFrom(others: readonly string[], port?: number): Promise<void>;
  /** Ends all cuts. */
  reconnect(): Promise<void>;
};

const MOUNT = 'mount -t tmpfs -o mode=1777 tmpfs';
/** Mounts what a machine has for itself. The kernel reaps orphans, whose parent this process becomes, because it ignores their signal. */
const INIT = `mkdir -p /run/postgresql && ${MOUNT} /dev/shm && ${MOUNT} /run/postgresql && exec env --ignore-signal=CHLD sleep infinity`;
const NAMESPACES = ['--net', '--pid', '--mount', '--ipc'];

/** Makes machines on a network of their own. `address`: how they reach this process. Needs root on Linux. */
export async function makeMachines(
  t: TestContext,
  count: number,
): Promise<{ address: string; machines: readonly Machine[] }> {
  const subnet = await freeSubnet();
  // The switch is a namespace too, so no firewall of this machine looks at what it passes on.
  const hub = await holdNamespaces(t);
  const inHub = (...args: string[]) => run('nsenter', [...enter(hub), 'ip', ...args]);
  await inHub('link', 'add', 'switch', 'type', 'bridge');
  await inHub('link', 'set', 'switch', 'up');
  const plug = async (port: string, ...peer: string[]) => {
    await run('ip', ['link', 'add', port, 'netns', `${hub}`, 'type', 'veth', 'peer', 'name', ...peer]);
    await inHub('link', 'set', port, 'master', 'switch', 'up');
  };
  // A device's name has 15 characters at most. This one goes with the switch.
  const device = `qtest${process.pid}`;
  await plug('ours', device);
  const address = `${subnet}.254`;
  await run('ip', ['addr', 'add', `${address}/24`, 'dev', device]);
  await run('ip', ['link', 'set', device, 'up']);

  const machines: Machine[] = [];
  for (let i = 1; i <= count; i++) {
    const init = await holdNamespaces(t);
    await plug(`machine${i}`, 'eth0', 'netns', `${init}`);
    const machine = machineOf(t, init, `${subnet}.${i}`);
    await machine.run('ip', 'addr', 'add', `${machine.address}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) await machine.run('ip', 'link', 'set', device, 'up');
    machines.push(machine);
  }
  return { address, machines };
}

function machineOf(t: TestContext, init: number, address: string): Machine {
  const inside = async (command: string, ...args: readonly string[]) =>
    (await run('nsenter', [...enter(init), command, ...args])).stdout;
  const postgres = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--init-groups'];
  return {
    address,
    async start(command, args, env, onOutput = () => {}) {
      const child = await startChild({
        command: 'nsenter',
        args: [...enter(init), ...postgres, command, ...args],
        cwd: '/',
        env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', HOME: '/dev/shm', ...env },
        onOutput,
      });
      // nsenter stops when its program is stopped, does not go on with it, and outlives it then.
      atEnd(t, () => child.stop({ signal: 'SIGKILL' }));
      return child;
    },
    run: inside,
    async install(path) {
      const there = `/dev/shm/${basename(path)}`;
      await inside('install', '--mode', '644', path, there);
      return there;
    },
    signal(signal, command = /./) {
      const found = processesOf(init).filter((pid) => command.test(commandLine(pid)));
      for (const pid of found) sendSignal(pid, signal);
      return found.length;
    },
    async cutFrom(others, port) {
      const only = (side: string) => (port === undefined ? [] : ['--protocol', 'tcp', `--${side}`, `${port}`]);
      for (const other of others.filter((other) => other !== address)) {
        for (const side of port === undefined ? ['any'] : ['sport', 'dport']) {
          await inside('iptables', '--append', 'INPUT', '--source', other, ...only(side), '--jump', 'DROP');
          await inside('iptables', '--append', 'OUTPUT', '--destination', other, ...only(side), '--jump', 'DROP');
        }
      }
    },
    async reconnect() {
      await inside('iptables', '--flush');
    },
  };
}

/** Starts a process that holds new namespaces, and returns its id. They live as long as it does. */
async function holdNamespaces(t: TestContext): Promise<number> {
  const args = [...NAMESPACES, '--fork', '--kill-child', '--mount-proc', 'sh', '-c', INIT];
  const child = await startChild({ command: 'unshare', args, env: { PATH: process.env.PATH }, graceMs: 1_000 });
  atEnd(t, () => child.stop({ signal: 'SIGKILL' }));
  const init = () => descendants(child.pid).find((pid) => /^sleep/.test(commandLine(pid)));
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  await until('a machine has started', () => init() !== undefined || ended);
  const pid = init();
  if (pid === undefined) throw new Error(`No machine can be made: ${child.lastOutput()}`);
  return pid;
}

/** The options of nsenter for the namespaces that this process holds. */
function enter(init: number): string[] {
  return ['--target', `${init}`, ...NAMESPACES];
}

/** Lists the processes of a machine without the one that holds it. */
function processesOf(init: number): number[] {
  const space = readlinkSync(`/proc/${init}/ns/pid`);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== init && readlinkSync(`/proc/${pid}/ns/pid`) === space;
      } catch {
        return false;
      }
    });
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended since.
  }
}

/** 198.18.0.0/15 is for tests of networks (RFC 2544), so no real network uses it. */
async function freeSubnet(): Promise<string> {
  const { stdout } = await run('ip', ['-oneline', '-4', 'addr']);
  let third = process.pid % 256;
  while (stdout.includes(` 198.18.${third}.`)) third = (third + 1) % 256;
  return `198.18.${third}`;
}
