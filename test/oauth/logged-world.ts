import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { logOptions } from '../../src/process/logging.ts';
import { startWorld } from '../kit/service/oauth-world.ts';

type Line = Record<string, unknown> & { msg: string };

/** The whole service, with its log as a process writes it. */
export async function startLogged(t: TestContext) {
  const written: string[] = [];
  const log = pino(logOptions({ logLevel: 'debug' }), { write: (line: string) => void written.push(line) });
  const world = await startWorld(t, { log, env: { TRUST_PROXY: '1' } });
  const lines = () => written.map((line) => JSON.parse(line) as Line);
  /** What was noted of security meanwhile. */
  const noted = async (act: () => Promise<unknown>) => {
    const before = written.length;
    await act();
    return lines()
      .slice(before)
      .filter(({ security }) => security !== undefined)
      .map(({ level, time: _, msg: __, ...entry }) => entry);
  };
  return { world, written, lines, noted };
}
