/**
 * Measures what a second process of the service on the same database and node costs and brings. Linux. Alone:
 * `node bench/two-processes.ts`.
 */
import type { Claim, Effort, Figure } from './claim.ts';
import { addLoads, openPayments, settledPerSecond } from './payments.ts';
import { runAlone } from './run.ts';
import { startStage } from './stage.ts';

const CONNECTIONS = 256;

async function measureTwoProcesses(effort: Effort): Promise<Figure[]> {
  // Each process sends with a relayer of its own.
  const stage = await startStage({ RELAYERS: '2' });
  try {
    const { appId, people: _, ...payer } = await stage.createPayer(effort.quick ? 100 : 1_000);
    const payments = await openPayments(stage, appId);
    const order = { port: stage.port, flow: 'transfer', data: payer } as const;
    const seconds = Math.min(10, effort.seconds);
    const alone = { ...order, connections: CONNECTIONS };
    await payments.settle(stage.load.run({ ...alone, seconds: 3 }));
    const one = await payments.settle(stage.load.run({ ...alone, seconds }));

    const { port, load } = await stage.startAnother();
    const half = { ...order, connections: CONNECTIONS / 2 };
    const both = async (seconds: number) => {
      const [first, second] = await Promise.all([
        stage.load.run({ ...half, seconds }),
        load.run({ ...half, port, seconds }),
      ]);
      return addLoads(first, second);
    };
    await payments.settle(both(3));
    const two = await payments.settle(both(seconds));
    await payments.verify();

    return ['service', 'postgres', 'node']
      .map((name): Figure => {
        const limit = { name: 'one process', value: one.cpu[name]! };
        return { name: `CPU of ${NAMES[name]}`, value: two.cpu[name]!, unit: 'ms', limit };
      })
      .concat(
        {
          name: 'CPU of both services and PostgreSQL',
          value: two.cpu.service! + two.cpu.postgres!,
          unit: 'ms',
          limit: { name: 'one process', value: one.cpu.service! + one.cpu.postgres! },
          target: '≤ 115 %',
        },
        {
          name: 'settled',
          value: settledPerSecond(two),
          unit: '/s',
          limit: { name: 'one process', value: settledPerSecond(one) },
        },
      );
  } finally {
    await stage.stop();
  }
}

const NAMES: Readonly<Record<string, string>> = { service: 'both services', postgres: 'PostgreSQL', node: 'the node' };

export const twoProcesses: Claim = {
  name: 'two-processes',
  title: 'Two processes on one database and node',
  method: `First one process takes ${CONNECTIONS} connections, then each of two takes half of them. All share the machine, so CPU for each \
transfer says more than the rate: it is what a second machine would cost.`,
  measure: measureTwoProcesses,
};

if (import.meta.main) await runAlone(twoProcesses);
