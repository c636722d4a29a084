/**
 * Measures what `WORKERS` brings on one machine: payments and reads with one, two and three workers behind one port. Linux. Alone:
 * `node bench/workers.ts`.
 */
import type { Claim, Effort, Figure } from './claim.ts';
import { perSecond } from './http-limit.ts';
import type { FlowData, FlowName } from './load-flows.ts';
import { openPayments, settledPerSecond } from './payments.ts';
import { processorTimeBetween } from './processor-time.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const CONNECTIONS = 256;
const READ_CONNECTIONS = 64;
/** The second case has two workers that share one relayer. */
const CASES = [
  { name: 'one worker', workers: 1, relayers: 1 },
  { name: 'two workers with one relayer', workers: 2, relayers: 1 },
  { name: 'two workers', workers: 2, relayers: 2 },
  { name: 'three workers', workers: 3, relayers: 3 },
] as const;

/** By name: value and unit. */
type Measures = ReadonlyMap<string, readonly [value: number, unit: string]>;

async function measureWorkers(effort: Effort): Promise<Figure[]> {
  // All relayers are made and funded by the first start.
  const stage = await startStage({ RELAYERS: '3' });
  const seconds = Math.min(10, effort.seconds);
  try {
    const { appId, people, ...payer } = await stage.createPayer(effort.quick ? 100 : 1_000);
    const read = { paths: ['/v1/me'], tokens: people.map(({ token }) => token) };
    const measured: Measures[] = [];
    for (const { workers, relayers } of CASES) {
      const milliseconds = await stage.restart({ WORKERS: `${workers}`, RELAYERS: `${relayers}` });
      const payments = await openPayments(stage, appId);
      const pay = { port: stage.port, flow: 'transfer', data: payer, connections: CONNECTIONS } as const;
      await payments.settle(stage.load.run({ ...pay, seconds: 3 }));
      const paid = await payments.settle(stage.load.run({ ...pay, seconds }));
      await payments.verify();
      const looked = await loadOf(stage, 'read', read, seconds);
      measured.push(
        new Map([
          ['settled', [settledPerSecond(paid), '/s']],
          ['payment: CPU of the service', [paid.cpu.service!, 'ms']],
          ['payment: CPU of the service and PostgreSQL', [paid.cpu.service! + paid.cpu.postgres!, 'ms']],
          ['GET /v1/me', [looked.rate, '/s']],
          ['GET /v1/me: CPU of the service', [looked.cpu, 'ms']],
          ['ready again after kill -9', [milliseconds / 1000, 's']],
        ]),
      );
    }
    const [alone, ...others] = measured;
    return others.flatMap((its, i) =>
      [...its].map(([name, [value, unit]]): Figure => {
        const limit = { name: 'one worker', value: alone!.get(name)![0] };
        return { name: `${CASES[i + 1]!.name}: ${name}`, value, unit, limit };
      }),
    );
  } finally {
    await stage.stop();
  }
}

/** Calls a second, and the processor time of all processes of the service for each, in milliseconds. */
async function loadOf<Name extends FlowName>(
  stage: Stage,
  flow: Name,
  data: FlowData<Name>,
  seconds: number,
): Promise<{ readonly rate: number; readonly cpu: number }> {
  const order = { port: stage.port, flow, data, connections: READ_CONNECTIONS };
  await stage.load.run({ ...order, seconds: 2 });
  const before = stage.processorTime();
  const result = await stage.load.run({ ...order, seconds });
  const spent = processorTimeBetween(before, stage.processorTime());
  if (result.accepted < result.turns) throw new Error(`${result.turns - result.accepted} calls were not answered.`);
  return { rate: perSecond(result), cpu: spent.service! / result.accepted };
}

export const workers: Claim = {
  name: 'workers',
  title: 'Several workers of one command',
  method: `One command is started with one, two and three workers (\`WORKERS\`), and takes payments over ${CONNECTIONS} connections and reads \
over ${READ_CONNECTIONS}. All share the machine, so the CPU for each call is the main figure.`,
  measure: measureWorkers,
};

if (import.meta.main) await runAlone(workers);
