/**
 * Measures transfers from one app to many users: accepted, mined, completed; each in its own transaction, and packed by 50. Beside
 * each rate stands what the node alone reaches. Linux. Alone: `node bench/transfers.ts`; options as of `npm run bench`.
 */

import { measureProof } from './block-proof.ts';
import { BLOCK_MS } from './chain.ts';
import { measureChainLimit } from './chain-limit.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { type LoadResult, SLOT_MS } from './load-generator.ts';
import { openPayments, settledPerSecond } from './payments.ts';
import { countAt, type Step, waitAt } from './progress.ts';
import { runAlone } from './run.ts';
import { startStage } from './stage.ts';

const CONNECTIONS = 256;
const AT_HALF_RATE = 256;

type Way = {
  readonly words: string;
  readonly perTransaction: number;
  readonly proof: 'node' | 'receipts';
  readonly targets: Readonly<Record<string, string>>;
  readonly whySettled: string;
  readonly whyTail: string;
};

const SHARED = 'Node, service, PostgreSQL and load generator share two cores.';

const SINGLE: Way = {
  words: 'single',
  perTransaction: 1,
  proof: 'node',
  targets: { rate: '≥ 2,000', share: '80 %', own: '≤ 0.36', postgres: '≤ 0.15' },
  whySettled: `${SHARED} What a transfer takes of them would allow about half, if nothing ever waited.`,
  whyTail:
    'The slowest calls are those of the 200 ms after a block. The service reads and posts it then, and each of a group’s round trips waits for 10 to 30 ms.',
};
const PACKED: Way = {
  words: 'packed by 50',
  perTransaction: 50,
  proof: 'receipts',
  targets: { rate: '≥ 2,800', share: '70 %', own: '≤ 0.36', postgres: '≤ 0.15' },
  whySettled: `${SHARED} What a transfer takes of them would allow about 80 %, if nothing ever waited.`,
  whyTail:
    'After each block a thread proves it and PostgreSQL posts it, while the node makes the next one for 70 ms: together they take both cores.',
};

async function measureTransfers(
  { words, perTransaction, proof, targets, whySettled, whyTail }: Way,
  effort: Effort,
): Promise<Figure[]> {
  const limit = await measureChainLimit(perTransaction, effort);
  const leftOut = proof === 'receipts' ? 0 : await measureProof(effort);
  const stage = await startStage({ TRANSFERS_PER_TRANSACTION: `${perTransaction}`, CHAIN_PROOF: proof });
  try {
    const { appId, people, ...payer } = await stage.createPayer(effort.quick ? 100 : 1_000);
    const payments = await openPayments(stage, appId);
    const order = { port: stage.port, flow: 'transfer', data: payer } as const;
    const warmUp = { ...order, connections: CONNECTIONS, seconds: effort.quick ? 3 : 5 };
    const { accepted: warm } = await payments.settle(stage.load.run(warmUp));
    const slotsBefore = warm + people.length;
    const full = await payments.settle(stage.load.run({ ...order, connections: CONNECTIONS, seconds: effort.seconds }));
    const rate = settledPerSecond(full);
    const pause = { connections: AT_HALF_RATE, seconds: Math.min(10, effort.seconds) };
    const half = await payments.settle(stage.load.run({ ...order, ...pause, rate: rate / 2 }));
    const alone = await payments.settle(stage.load.run({ ...order, connections: 1, seconds: effort.quick ? 2 : 5 }));
    await payments.verify();

    const { cpu, completed } = full;
    const steps = acceptedSteps(full);
    const distance = (at: number) => countAt(steps, at) - countAt(completed, at);
    const wait = waitAt(0.5, steps, completed);
    const third = (full.ended - full.began) / 3;
    return [
      {
        name: 'settled',
        value: rate,
        unit: '/s',
        limit: { name: 'the node end to end', value: limit.perSecond },
        target: `${targets.rate}, ≥ ${targets.share}`,
        whyMissed: whySettled,
      },
      { name: 'accepted', value: (full.accepted * 1000) / (full.ended - full.began), unit: '/s' },
      {
        name: 'CPU of service and PostgreSQL, with proof',
        value: cpu.service! + cpu.postgres! + leftOut,
        unit: 'ms',
        target: targets.own!,
      },
      { name: 'CPU of the service', value: cpu.service!, unit: 'ms' },
      { name: 'CPU of PostgreSQL', value: cpu.postgres!, unit: 'ms', target: targets.postgres! },
      {
        name: 'CPU of the node',
        value: cpu.node!,
        unit: 'ms',
        limit: { name: 'the node end to end', value: limit.processorMs },
      },
      { name: 'CPU of the load generator', value: cpu.load!, unit: 'ms' },
      { name: 'WAL', value: full.wal, unit: 'kB', target: '≤ 3.7' },
      { name: `answer, p50 at c=${CONNECTIONS}`, value: full.p50, unit: 'ms' },
      { name: `answer, p99 at c=${CONNECTIONS}`, value: full.p99, unit: 'ms' },
      { name: 'answer, p99 at half the rate', value: half.p99, unit: 'ms', target: '≤ 60', whyMissed: whyTail },
      { name: 'answer, p50 at c=1', value: alone.p50, unit: 'ms', target: '≤ 3' },
      { name: 'accepted → completed, p50', value: wait / BLOCK_MS, unit: 'block times', target: '≤ 1.5' },
      { name: 'accepted, not completed: after a third', value: distance(full.began + third), unit: 'transfers' },
      { name: 'accepted, not completed: after two thirds', value: distance(full.began + 2 * third), unit: 'transfers' },
      {
        name: 'accepted, not completed: at the end',
        value: distance(full.ended),
        unit: 'transfers',
        target: 'does not grow',
      },
      { name: 'storage slots of the chain at the start', value: slotsBefore, unit: '', target: '≤ 20,000' },
      { name: 'storage slots of the chain at the end', value: slotsBefore + full.accepted, unit: '' },
    ].map((figure) => ({ ...figure, name: `${words}: ${figure.name}` }));
  } finally {
    await stage.stop();
  }
}

function acceptedSteps({ began, acceptedBySlot }: LoadResult): Step[] {
  let count = 0;
  return acceptedBySlot.map((accepted, slot) => {
    count += accepted;
    return { at: began + (slot + 1) * SLOT_MS, count };
  });
}

const METHOD = `One app pays 1 quarter each to 1,000 users over ${CONNECTIONS} connections, each with one call in flight, after a warm-up. A \
transfer is settled when it is completed and posted. At half the rate calls arrive at random (Poisson) and wait for a free connection. Storage \
slots: one authorization nonce for each transfer, and one balance for each account. CPU is that of each transfer, counted until the last is completed. After \
each run every accepted transfer is completed, and the audit finds no difference. Logs are not proven here, because this node's time for the \
receipts of a block grows with the square of their number. What their proof takes (block-proof) is added to the CPU.`;

export const transfers: Claim = {
  name: 'transfers',
  title: 'Transfers, each in its own transaction',
  method: METHOD,
  measure: (effort) => measureTransfers(SINGLE, effort),
};

export const packedTransfers: Claim = {
  name: 'transfers-packed',
  title: 'Transfers, packed by 50',
  method: 'As above, with TRANSFERS_PER_TRANSACTION=50. The logs are proven, so nothing is added.',
  measure: (effort) => measureTransfers(PACKED, effort),
};

if (import.meta.main) await runAlone(transfers, packedTransfers);
