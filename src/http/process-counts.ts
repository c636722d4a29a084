import type { Service } from '../service/service.ts';
import type { Family } from './additions.ts';
import { completionTimes, counterFamilies, type HistogramFamily } from './meter-families.ts';

/** What processes have counted since their start. Plain values, which one process may send to another. */
export type ProcessCounts = {
  readonly counters: readonly Family[];
  readonly completions: HistogramFamily;
  /** How many relayers they send for now. */
  readonly relayersHeld: number;
  /** How many of them wait for the database to commit a payment, for too long. */
  readonly stalled: number;
  /** How many workers are up, and how many have died and were replaced. */
  readonly workers: number;
  readonly replaced: number;
};

/** Resolves to what all workers of this service have counted, given this one's own. */
export type Counting = (own: ProcessCounts) => Promise<ProcessCounts>;

export function countedBy(service: Service): ProcessCounts {
  return {
    counters: counterFamilies(service),
    completions: completionTimes(service),
    relayersHeld: service.settlement.leases.length,
    stalled: service.isStalled() ? 1 : 0,
    workers: 1,
    replaced: 0,
  };
}

/** What a worker that has ended leaves: its counts stay, so that no sum ever falls. */
export function afterItsEnd(counted: ProcessCounts): ProcessCounts {
  return { ...counted, relayersHeld: 0, stalled: 0, workers: 0 };
}

/** Adds what several processes have counted, one or more. All list the same families and buckets. */
export function addCounted([first, ...others]: readonly [ProcessCounts, ...ProcessCounts[]]): ProcessCounts {
  return others.reduce((sum, next) => {
    return {
      counters: sum.counters.map((family) =>
        addFamily(family, next.counters.find(({ name }) => name === family.name)!),
      ),
      completions: {
        ...sum.completions,
        buckets: sum.completions.buckets.map(({ le, count }, i) => ({
          le,
          count: count + next.completions.buckets[i]!.count,
        })),
        sum: sum.completions.sum + next.completions.sum,
      },
      relayersHeld: sum.relayersHeld + next.relayersHeld,
      stalled: sum.stalled + next.stalled,
      workers: sum.workers + next.workers,
      replaced: sum.replaced + next.replaced,
    };
  }, first);
}

function addFamily(family: Family, next: Family): Family {
  const byLabels = new Map(family.values.map((value) => [keyOf(value), value]));
  for (const value of next.values) {
    const known = byLabels.get(keyOf(value));
    byLabels.set(keyOf(value), known ? { ...value, count: known.count + value.count } : value);
  }
  return { ...family, values: [...byLabels.values()] };
}

function keyOf({ labels }: Family['values'][number]): string {
  return JSON.stringify(Object.entries(labels).sort());
}
