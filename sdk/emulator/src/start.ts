import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type StartOptions = {
  /** What runs the commands of Quarters, such as `['npx', 'quarters']`. By default the package `quarters` in `cwd`. */
  readonly command?: readonly [string, ...string[]];
  /** More arguments of `quarters emulator`, such as `['--port', '8080']`. */
  readonly args?: readonly string[];
  /** The folder of the game; by default that of this process. */
  readonly cwd?: string;
  /** Settings of the service, beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
};

type StartLine = {
  /** The origin of the service. */
  readonly url: string;
  readonly control: string;
  readonly token: string;
};

export type Started = StartLine & { stop(): Promise<void> };

const MOST_SHOWN = 4_000;

/** Starts the emulator as a child process, which ends with this one, however that ends. */
export async function startProcess(options: StartOptions): Promise<Started> {
  const { cwd = process.cwd(), args = [], env } = options;
  const [program, ...first] = options.command ?? installed(cwd);
  const child = spawn(program, [...first, 'emulator', '--with-parent', ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    // npx is a script there.
    shell: process.platform === 'win32' && options.command !== undefined,
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const line = await startLine(child);
  letGo(child);
  return {
    ...line,
    async stop() {
      child.ref();
      child.stdin?.end();
      await ended;
    },
  };
}

/** The commands of the package `quarters`, which this Node runs. */
function installed(cwd: string): [string, ...string[]] {
  try {
    const manifest = createRequire(join(cwd, 'package.json')).resolve('quarters/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly bin: { readonly quarters: string } };
    return [process.execPath, join(dirname(manifest), bin.quarters)];
  } catch {
    throw new Error(`The package quarters is not installed in ${cwd}: npm install --save-dev quarters`);
  }
}

/** Its first line of output. What it says beside that is told if it ends before. */
function startLine(child: ChildProcess): Promise<StartLine> {
  return new Promise((resolve, reject) => {
    let out = '';
    let said = '';
    const read = (part: string) => {
      out += part;
      const end = out.indexOf('\n');
      if (end < 0) return;
      child.stdout?.off('data', read);
      try {
        resolve(JSON.parse(out.slice(0, end)) as StartLine);
      } catch {
        reject(new Error(`The emulator did not start. It said: ${out.slice(0, MOST_SHOWN)}`));
        child.kill();
      }
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    // Both are read to the end, or a full pipe would stop the emulator.
    child.stdout?.resume();
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      said = (said + part).slice(-MOST_SHOWN);
    });
    child.once('error', (error) => reject(new Error(`The emulator could not be started: ${error.message}`)));
    child.once('close', () => reject(new Error(`The emulator did not start. ${said.trim()}`)));
  });
}

/** A test process may end without `stop()`. The emulator sees that by its standard input. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) (stream as { unref?(): void } | null)?.unref?.();
}
