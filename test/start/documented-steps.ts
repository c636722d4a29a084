import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildExit, startChild } from '../../local/child.ts';
import { atEnd, type Ending } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** A fenced block of a document. */
export type Block = {
  /** `sh`, `js`, …; empty for what the reader is to see. */
  readonly language: string;
  readonly text: string;
  /** The prose between the block before and this one, with its headings. */
  readonly prose: string;
};

/** The blocks of a document of ours, in order, and the prose after the last one. */
export async function readBlocks(path: string): Promise<{ blocks: Block[]; rest: string }> {
  const document = await readFile(join(ROOT, path), 'utf8');
  const parts = document.split(/^```(\w*)\n([\s\S]*?)^```\n/m);
  const blocks: Block[] = [];
  for (let i = 0; i + 3 < parts.length; i += 3) {
    blocks.push({ prose: parts[i]!, language: parts[i + 1]!, text: parts[i + 2]! });
  }
  return { blocks, rest: parts.at(-1)! };
}

/** Matches output that shows these lines in this order, with anything in place of `…`. A line that is only `…` is any lines. */
export function patternOf(shown: string): RegExp {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
  const lines = shown.split('\n').filter((line) => line.trim() !== '' && line.trim() !== '…');
  return new RegExp(lines.map((line) => line.trim().split('…').map(literal).join('[^\\n]*')).join('[\\s\\S]*'));
}

/** A folder like a fresh clone, without data. Its client library is a copy, because building it writes there. */
export async function makeClone(folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of await readdir(ROOT)) {
    if (/^(\.git|data|sdk|test-results|coverage)$/.test(name)) continue;
    await symlink(join(ROOT, name), join(folder, name));
  }
  const isSource = (path: string) => !path.includes('/sdk/dist');
  await cp(join(ROOT, 'sdk'), join(folder, 'sdk'), { recursive: true, filter: isSource });
}

export type Terminal = {
  /** Its output so far, on both streams. */
  readonly output: string;
  /** Resolves when the output matches. Rejects if the commands failed before. */
  shows(pattern: RegExp): Promise<void>;
  /** Resolves when the commands have ended. Rejects if they failed. */
  ends(): Promise<void>;
  /** Ctrl-C, and waits for the end. */
  stop(): Promise<void>;
};

/** An orderly end of `npm start`: it stops its database and chain first. */
const GRACE_MS = 60_000;

/** Runs commands as somebody types them, in a shell and process group of their own, which ends however this process does. */
export async function openTerminal(
  t: Ending,
  commands: string,
  cwd: string,
  extra: Record<string, string>,
): Promise<Terminal> {
  const { PATH, HOME, CHROMIUM_PATH, NODE_COMPILE_CACHE } = process.env;
  let output = '';
  let ended: ChildExit | null = null;
  const shell = await startChild({
    command: '/bin/bash',
    args: ['-ec', commands],
    cwd,
    env: { PATH, HOME, CHROMIUM_PATH, NODE_COMPILE_CACHE, ...extra },
    stopSignal: 'SIGINT',
    graceMs: GRACE_MS,
    onOutput: (text) => (output += text),
    onExit: (exit) => (ended = exit),
  });
  atEnd(t, async () => void (await shell.stop({ signal: 'SIGKILL' })));
  const failed = ({ code, signal }: ChildExit) =>
    new Error(`this ended with ${code ?? signal}:\n${commands}\n${output}`);
  return {
    get output() {
      return output;
    },
    async shows(pattern) {
      const seen = () => {
        if (pattern.test(output)) return true;
        if (ended) throw failed(ended);
        return false;
      };
      await until(`the terminal shows ${pattern}`, seen, () => output);
    },
    async ends() {
      const exit = await shell.exited;
      if (exit.code !== 0) throw failed(exit);
    },
    async stop() {
      await shell.stop();
    },
  };
}
