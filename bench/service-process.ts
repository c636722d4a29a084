import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from '../local/child.ts';
import { toQuantity } from '../src/chain/rpc.ts';
import type { BenchChain } from './chain.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const READY_WITHIN_MS = 120_000;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Starts the service. Its first start names the accounts that need ether, as an operator reads it, and gets it. `isSuspended`: it is up
 * although it accepts no payment.
 */
export async function startService(env: Environment, { rpc }: BenchChain, isSuspended = false): Promise<Child> {
  const ready = `http://127.0.0.1:${env.PORT}/readyz${isSuspended ? '?exclude=payments' : ''}`;
  for (let tries = 1; ; tries++) {
    const service = await startChild({ command: process.execPath, args: [MAIN, 'start'], env });
    if (await becomesReady(service, ready)) return service;
    const output = service.lastOutput();
    const unfunded = /have no ether: ([^.]+)\./.exec(output)?.[1]?.split(', ');
    if (!unfunded || tries > 1) throw new Error(`The service did not start: ${output}`);
    for (const address of unfunded) await rpc.call('anvil_setBalance', [address, toQuantity(10n ** 24n)]);
  }
}

async function becomesReady(service: Child, url: string): Promise<boolean> {
  let ended = false;
  void service.exited.then(() => {
    ended = true;
  });
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline && !ended; ) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return true;
    await delay(50);
  }
  return false;
}

/** Runs one command of the service's own command line; resolves with its JSON. */
export async function runCommand<Answer>(args: readonly string[], env: Environment): Promise<Answer> {
  let text = '';
  const child = await startChild({
    command: process.execPath,
    args: [MAIN, ...args],
    // The log would share the output with the answer.
    env: { ...env, LOG_LEVEL: 'silent' },
    onOutput(output, from) {
      if (from === 'stdout') text += output;
    },
  });
  const { code } = await child.exited;
  if (code !== 0) throw new Error(`quarters ${args.join(' ')}: ${child.lastOutput()}`);
  return JSON.parse(text) as Answer;
}
