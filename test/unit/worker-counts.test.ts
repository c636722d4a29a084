import assert from 'node:assert/strict';
import type { Worker } from 'node:cluster';
import { test } from 'node:test';
import type { ProcessCounts } from '../../src/http/process-counts.ts';
import { openWorkerCounts } from '../../src/wings/workers/process/worker-counts.ts';

const counted = (paid: number, refunded: number): ProcessCounts => ({
  counters: [
    {
      name: 'transfers_accepted_total',
      help: '',
      labels: ['kind'],
      values: [
        { labels: { kind: 'payout' }, count: paid },
        { labels: { kind: 'refund' }, count: refunded },
      ],
    },
  ],
  completions: {
    name: 'transfer_completion_seconds',
    help: '',
    buckets: [
      { le: '1', count: paid },
      { le: '+Inf', count: paid + refunded },
    ],
    sum: paid / 2,
  },
  relayersHeld: 1,
  stalled: refunded === 5 ? 1 : 0,
  workers: 1,
  replaced: 0,
});

const shown = (all: ProcessCounts | null) => [
  ...all!.counters[0]!.values.map(({ count }) => count),
  ...all!.completions.buckets.map(({ count }) => count),
  all!.completions.sum,
  all!.relayersHeld,
  all!.stalled,
  all!.workers,
];

test('workers are added up label by label, and a worker that has ended keeps its counts but no relayer or stall', async () => {
  const [first, second, third] = [{}, {}, {}] as [Worker, Worker, Worker];
  const says = new Map([
    [first, counted(2, 1)],
    [second, counted(10, 5)],
  ]);
  const counts = openWorkerCounts(() => {
    for (const [worker, its] of says) queueMicrotask(() => counts.note(worker, its));
    return [...says.keys()];
  });
  assert.deepEqual(shown(await counts.collect()), [12, 6, 12, 18, 6, 2, 1, 2]);
  says.delete(first);
  counts.ended(first);
  says.set(third, counted(0, 1));
  assert.deepEqual(shown(await counts.collect()), [12, 7, 12, 19, 6, 2, 1, 2]);
  says.delete(second);
  counts.ended(second);
  assert.deepEqual(shown(await counts.collect()), [12, 7, 12, 19, 6, 1, 0, 1]);
});

test('a worker that dies while it is asked holds nobody up, and no worker at all is null', async () => {
  const worker = {} as Worker;
  const asked = openWorkerCounts(() => {
    queueMicrotask(() => asked.ended(worker));
    return [worker];
  });
  assert.equal(await asked.collect(), null);
  assert.equal(await openWorkerCounts(() => []).collect(), null);
});
