/**
 * The process that calls the service: started by `load.ts`, which sends it one order at a time. It ends when its parent has
 * gone, however that ended.
 */
import { ConnectionCut, openConnection } from './http-connection.ts';
import { FLOWS, type Flow, type FlowData, type FlowName, type Turn } from './load-flows.ts';

export type LoadOrder<Name extends FlowName = FlowName> = {
  readonly port: number;
  readonly flow: Name;
  readonly data: FlowData<Name>;
  /** Connections, each with one call in flight. With `rate`: the most that may be open. */
  readonly connections: number;
  /** How long calls are started; or how many turns are taken. */
  readonly seconds?: number;
  readonly turns?: number;
  /** Turns a second that arrive at random (Poisson), whatever the service does. Without it the next turn follows the answer. */
  readonly rate?: number;
  /** Keep what the flow keeps. */
  readonly keep?: boolean;
};

export const SLOT_MS = 20;

export type LoadResult = {
  /** Unix time in milliseconds of the first call and of the last answer. */
  readonly began: number;
  readonly ended: number;
  readonly turns: number;
  readonly accepted: number;
  readonly refused: number;
  /** Connections cut before the answer: outcome unknown. */
  readonly cut: number;
  /** Why the first of them was cut. */
  readonly cutBy?: string;
  /** Milliseconds from the call, or from its arrival with `rate`, to its answer, if something was accepted. */
  readonly p50: number;
  readonly p99: number;
  /** Accepted items by the time of their answer: one count for each {@link SLOT_MS} after `began`. */
  readonly acceptedBySlot: readonly number[];
  readonly kept: readonly string[];
};

const now = () => performance.timeOrigin + performance.now();

async function run(order: LoadOrder): Promise<LoadResult> {
  const flow = (FLOWS[order.flow] as (data: unknown) => Flow)(order.data);
  const tally = { turns: 0, accepted: 0, refused: 0, cut: 0 };
  const latencies: number[] = [];
  const bySlot: number[] = [];
  const kept: string[] = [];
  const began = now();
  let started = 0;
  let cutBy: string | undefined;
  const isOver = () =>
    (order.turns !== undefined && started >= order.turns) ||
    (order.seconds !== undefined && now() - began >= order.seconds * 1000);
  const take = async (ask: Parameters<Flow>[0], since: number) => {
    try {
      count(await flow(ask, started++), since);
    } catch (error) {
      if (!(error instanceof ConnectionCut)) throw error;
      tally.cut++;
      cutBy ??= error.message;
    }
    tally.turns++;
  };
  const count = ({ accepted, refused, kept: more }: Turn, since: number) => {
    const at = now();
    tally.accepted += accepted;
    tally.refused += refused;
    if (accepted > 0) {
      latencies.push(at - since);
      const slot = Math.floor((at - began) / SLOT_MS);
      bySlot[slot] = (bySlot[slot] ?? 0) + accepted;
    }
    if (order.keep && more) kept.push(...more);
  };

  if (order.rate === undefined) {
    const worker = async () => {
      const connection = openConnection(order.port);
      while (!isOver()) await take(connection.ask, now());
      connection.close();
    };
    await Promise.all(Array.from({ length: order.connections }, worker));
  } else {
    await openLoop(order, order.rate, isOver, take, began);
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  const acceptedBySlot = Array.from(bySlot, (accepted) => accepted ?? 0);
  return { began, ended: now(), ...tally, p50: at(0.5), p99: at(0.99), acceptedBySlot, kept, ...(cutBy && { cutBy }) };
}

/** Calls arrive by the clock. One that finds every connection busy waits for one, and its waiting counts. */
async function openLoop(
  { connections, port }: LoadOrder,
  rate: number,
  isOver: () => boolean,
  take: (ask: Parameters<Flow>[0], since: number) => Promise<void>,
  began: number,
): Promise<void> {
  const free: ReturnType<typeof openConnection>[] = [];
  const waiting: number[] = [];
  const working = new Set<Promise<void>>();
  let open = 0;
  const serve = async (connection: ReturnType<typeof openConnection>, first: number) => {
    for (let since: number | undefined = first; since !== undefined; since = waiting.shift()) {
      await take(connection.ask, since);
    }
    free.push(connection);
  };
  const connectionFor = () => {
    if (free.length > 0 || open === connections) return free.pop();
    open++;
    return openConnection(port);
  };
  const arrive = (since: number) => {
    const connection = connectionFor();
    if (!connection) return void waiting.push(since);
    const work = serve(connection, since).finally(() => working.delete(work));
    working.add(work);
  };
  let next = began;
  while (!isOver()) {
    for (const until = now(); next <= until; next += (-Math.log(1 - Math.random()) * 1000) / rate) arrive(next);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (working.size > 0) await Promise.all(working);
  for (const connection of free) connection.close();
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ fault: error.message }),
  );
});
process.on('disconnect', () => process.exit(1));
