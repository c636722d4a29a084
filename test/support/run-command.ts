import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../src/cli/run.ts';
import type { Service } from '../../src/service/service.ts';

/** Runs `quarters …` on this service until it ends. */
export async function runCommand(service: Service, ...args: string[]) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const connect = async () => ({ service, close: async () => {} });
  const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }) };
  const code = await runCli({ ...nothing, connect, out, err }, args);
  out.end();
  err.end();
  return { code, out: await text(out), err: await text(err) };
}
