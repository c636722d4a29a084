import type { MinedTransaction, RawTransaction } from '../support/chain-faults.ts';

/**
 * Another history of the same blocks: of each sender's transactions only the first few are left, in their order, and senders
 * are shuffled among each other.
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
