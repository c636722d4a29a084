import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../unit/crash-random.ts';
import { until } from '../unit/until.ts';
import type { Answer, Call } from './load-calls.ts';
import type { SoakStage } from './soak-stage.ts';

/** More calls at a time than a process has connections help nobody. */
const AT_ONCE = 16;

/** The database and all processes are gone. An older copy takes its place, and `quarters restore` reads from the chain what it lacks. */
export async function loseDatabase(stage: SoakStage, random: Random): Promise<string> {
  const { world, client, copies, observer } = stage;
  const choice = random.between(0, 1_000_000);
  const afterMs = random.between(0, 300);
  // What it had sent is lost too, or is mined later. A restore waits up to a minute for what the node keeps.
  const forgetsPool = random.between(1, 3) > 1;
  const [saved = { at: client.accepted, copy: await stage.database.backUp() }] = copies.splice(
    choice % Math.max(1, copies.length),
    1,
  );
  const former = stage.database;
  await former.kill();
  await pause(afterMs);
  await world.killAll();
  await stage.stopLoad();
  if (forgetsPool) await stage.chain.evm.rpc('anvil_dropAllTransactions');
  const lost = client.accepted - saved.at;
  await world.closeOperator();
  stage.useDatabase(await saved.copy.open());
  await former.remove();
  await world.leasesRunOut();
  await stage.restart([0]);
  const began = performance.now();
  const found = await restore(stage);
  const seconds = Math.round((performance.now() - began) / 1000);
  await stage.restart(stage.services.map((_, seat) => seat).slice(1));
  for (const reader of stage.readers) reader.begin();
  await world.settled();
  await observer.read();
  const { again, gone } = await askAgain(stage);
  await client.retry(stage.services[0]!.origin);
  stage.startLoad();
  return (
    `${lost} payments since the copy, ${found} read from the chain in ${seconds} s; ${again} were not mined and are paid again, ${gone} could not be repeated` +
    `${forgetsPool ? '; the node forgot its pool' : ''}`
  );
}

/** Resolves to how many payments it has found. */
async function restore(stage: SoakStage): Promise<number> {
  const { services } = stage;
  let payments = '';
  await until(
    'the database is compared with the chain',
    async () => {
      const answer = await fetch(`${services[0]!.origin}/readyz`).catch(() => null);
      if (answer) ({ payments } = (await answer.json()) as { payments: string });
      return payments === 'suspended' || payments === 'ok';
    },
    () => `${payments}\n${services[0]!.output()}`,
  );
  return payments === 'ok' ? 0 : runRestore(stage);
}

/** What waited in a pool may be mined later. Then the operator runs it again. */
export async function runRestore({ world, awaited }: SoakStage): Promise<number> {
  const output = await world.command(['restore', '--yes', '--json']);
  assert.match(output, /"resumed":\s*true/, output);
  awaited.fromPool = !/"waiting":\s*0/.test(output);
  return Number(/"payments":\s*(\d+)/.exec(output)?.[1] ?? Number.NaN);
}

/**
 * What the service had accepted, and the chain has not. Games send it again. Without a key a game asks what became of it, and learns that it is
 * not known.
 */
async function askAgain(stage: SoakStage): Promise<{ again: number; gone: number }> {
  const { client, observer, lost } = stage;
  const missing = new Set<Call>();
  for (const call of client.calls) {
    if (call.answer?.outcome === 'paid' && !lost.has(call) && observer.paidBy(call).length === 0)
      missing.add(call.batch?.[0] ?? call);
  }
  let [again, gone] = [0, 0];
  const waiting = [...missing];
  const work = async () => {
    for (let call = waiting.pop(); call; call = waiting.pop()) {
      const calls = call.batch ?? [call];
      const answers = call.key === null ? await ask(stage, call) : await repeat(stage, call);
      for (const [i, one] of calls.entries()) {
        // Null of a line that had to be tried again while others of its payout were paid.
        const [now, before] = [answers[i]!, one.answer];
        if (observer.paidBy(one).length > 0) continue;
        if (before?.outcome === 'paid' && now.outcome !== 'paid') {
          lost.add(one);
          gone++;
        } else if (before?.outcome === 'paid' && now.outcome === 'paid') {
          assert.equal(now.requestId, before.requestId, `${one.kind} ${one.amount} was repeated`);
          again++;
        }
        // A line that was refused may be paid now.
        if (now.outcome === 'paid') client.amend(one, now);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { again, gone };
}

/** Repeats a call until it is answered. */
async function repeat({ client, services }: SoakStage, call: Call): Promise<readonly Answer[]> {
  let answers: (Answer | null)[] = [];
  // The request may be unknown: the game asks for it again.
  delete call.requestId;
  await until(`${call.kind} ${call.amount} is answered`, async () => {
    answers = await client.repeat(services[0]!.origin, call);
    return answers.every((answer) => answer !== null);
  });
  return answers as Answer[];
}

async function ask({ services }: SoakStage, { app, answer }: Call): Promise<readonly Answer[]> {
  const { requestId } = answer as Extract<Answer, { outcome: 'paid' }>;
  const headers = { authorization: `Bearer ${app.serverKey}` };
  const { status } = await fetch(`${services[0]!.origin}/v1/requests/${requestId}`, { headers });
  assert.ok(status === 404 || status === 200, `request ${requestId}: ${status}`);
  return status === 200 ? [answer!] : [{ outcome: 'refused', status, code: 'not-found' }];
}
