import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import type { CliContext } from '../../src/cli/command.ts';
import { runCli } from '../../src/cli/run.ts';
import { HOUSE } from '../kit/service/house.ts';
import type { TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

/** A command that runs until it is stopped. */
export type Running = {
  /** What it has printed so far. */
  readonly printed: { out: string; err: string };
  /** Resolves when it has printed this. */
  prints(pattern: RegExp, where?: 'out' | 'err'): Promise<void>;
  /** Stops it as Ctrl-C does. Resolves to its exit code. */
  stop(): Promise<number>;
};

/** Starts `quarters listen …` in this process. It ends with the test at the latest. */
export function startListening(
  t: TestContext,
  { service }: TestService,
  args: readonly string[],
  connect: CliContext['connect'] = async () => ({ service, close: async () => {} }),
): Running {
  const printed = { out: '', err: '' };
  const streams = { out: new PassThrough(), err: new PassThrough() };
  for (const name of ['out', 'err'] as const) {
    streams[name].on('data', (text) => {
      printed[name] += text;
    });
  }
  const stopping = new AbortController();
  const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }) };
  const context: CliContext = {
    house: () => HOUSE,
    ...nothing,
    ...streams,
    connect,
    untilStopped: () => stopping.signal,
  };
  const ended = runCli(context, ['listen', ...args]);
  const stop = () => {
    stopping.abort();
    return ended;
  };
  atEnd(t, async () => void (await stop()));
  return {
    printed,
    prints: (pattern, where = 'out') =>
      until(
        `${where} has ${pattern}`,
        () => pattern.test(printed[where]),
        () => JSON.stringify(printed),
      ),
    stop,
  };
}
