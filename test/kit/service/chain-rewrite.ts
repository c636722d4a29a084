import type { MinedTransaction, RawTransaction } from './chain-faults.ts';

/**
 * Another history of the same blocks: each sender keeps only its first few transactions, in order, and senders are
 * shuffled.
 */
export function rewrite(blocks: readonly (readonly MinedTransaction[])[], random: () => number): RawTransaction[][] {
  const bySender = new Map<string, RawTransaction[]>();
  for (const { from, raw } of blocks.flat()) bySender.set(from, [...(bySender.get(from) ?? []), raw]);
  const queues = [...bySender.values()].map((queue) => queue.slice(0, Math.floor(random() * (queue.length + 1))));
  const rewritten: RawTransaction[][] = blocks.map(() => []);
  const left = queues.reduce((sum, queue) => sum + queue.length, 0);
  for (let i = 0; i < left; i++) {
    const waiting = queues.filter((queue) => queue.length > 0);
    const next = waiting[Math.floor(random() * waiting.length)]!.shift()!;
    rewritten[Math.floor((i * blocks.length) / left)]!.push(next);
  }
  return rewritten;
}
