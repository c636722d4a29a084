import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../../src/cli/run.ts';
import type { Service } from '../../../src/service/service.ts';

/** The lines, one each ten seconds, by which a command says on a slow machine how far it is. */
const PROGRESS = /^.+, \d+ (?:s|%|s left)(?:, .+)?\n/gm;

/** Runs `quarters …` on this service until it ends. `err`: without progress. */
export async function runCommand(service: Service, ...args: string[]) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const connect = async () => ({ service, close: async () => {} });
  const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }) };
  const code = await runCli({ ...nothing, house: () => service.house, connect, out, err }, args);
  out.end();
  err.end();
  return { code, out: await text(out), err: (await text(err)).replace(PROGRESS, '') };
}
