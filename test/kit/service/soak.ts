import { performance } from 'node:perf_hooks';
import type { Ending } from '../unit/at-end.ts';
import { type Random, seededRandom } from '../unit/crash-random.ts';
import { until } from '../unit/until.ts';
import { openSoakAudit, type SoakFigures } from './soak-audit.ts';
import type { SoakFault } from './soak-faults.ts';
import { runRestore } from './soak-restore.ts';
import { openSoakStage, type SoakStage } from './soak-stage.ts';

export type SoakPlan = {
  readonly seed: number;
  readonly catalogue: readonly SoakFault[];
  readonly faults: number;
  readonly payments: number;
  readonly processes: number;
  /** After so many faults everything settles, and what is new is compared. */
  readonly checkEvery: number;
  readonly env?: Record<string, string>;
  report?(struck: Struck): void;
};

/** A fault that has struck and healed. */
export type Struck = {
  readonly number: number;
  readonly name: string;
  readonly what: string;
  readonly ms: number;
  readonly accepted: number;
  /** Whether all was compared after it. */
  readonly checked: boolean;
};

export type SoakResult = SoakFigures & { readonly faults: Readonly<Record<string, number>>; readonly seconds: number };

/** What fails in a soak says where. */
export class SoakFailure extends Error {}

/** Copies of the database are made now and then, and some kept, of any age. */
const COPY_EVERY = 12;
const COPIES_KEPT = 4;

/**
 * Drives payments through faults. Each comes at its share of the payments, and while it strikes and heals, others are made. Which faults come,
 * in which order, and how they strike follows from the seed alone.
 */
export async function soak(t: Ending, plan: SoakPlan): Promise<SoakResult> {
  const { seed, payments, processes, checkEvery } = plan;
  const random = seededRandom(seed);
  const began = performance.now();
  const stage = await openSoakStage(t, { seed, processes, ...(plan.env && { env: plan.env }) });
  const audit = openSoakAudit(stage);
  const counts: Record<string, number> = {};
  const share = payments / plan.faults;
  const sequence = deal(plan.catalogue, plan.faults, random);
  stage.copies.push({ at: 0, copy: await stage.database.backUp() });
  for (const [i, fault] of sequence.entries()) {
    const number = i + 1;
    try {
      stage.allowPayments(Math.ceil((number + 1) * share));
      stage.startLoad();
      await accepted(stage, number * share);
      if (number % COPY_EVERY === 0) await keepCopy(stage, random);
      const before = performance.now();
      // What one fault draws does not depend on what another has drawn.
      const what = await fault.strike(stage, seededRandom(random.between(0, 2 ** 31)));
      stage.throwFault();
      await stage.observer.read();
      const checked = number % checkEvery === 0;
      if (checked) await settle(stage, audit.check);
      counts[fault.name] = (counts[fault.name] ?? 0) + 1;
      const ms = Math.round(performance.now() - before);
      plan.report?.({ number, name: fault.name, what, ms, accepted: stage.client.accepted, checked });
    } catch (error) {
      const outputs = stage.services.map((service) => service.output().slice(-3_000)).join('\n---\n');
      throw new SoakFailure(`seed ${seed}, fault ${number} (${fault.name})\n${outputs}`, { cause: error });
    }
  }
  stage.allowPayments(payments);
  stage.startLoad();
  await accepted(stage, payments);
  for (const [seat] of stage.services.entries()) stage.moveClock(seat, 0);
  const figures = await settle(stage, audit.checkAll);
  return { ...figures, faults: counts, seconds: Math.round((performance.now() - began) / 1000) };
}

/** One of each kind first, and then by their weights. */
function deal(catalogue: readonly SoakFault[], count: number, random: Random): SoakFault[] {
  const shuffled = (faults: readonly SoakFault[]) => {
    const left = [...faults];
    return faults.map(() => left.splice(random.between(0, left.length - 1), 1)[0]!);
  };
  const dealt = shuffled(catalogue);
  while (dealt.length < count)
    dealt.push(...shuffled(catalogue.flatMap((fault) => Array.from({ length: fault.weight }, () => fault))));
  return dealt.slice(0, count);
}

async function accepted(stage: SoakStage, count: number): Promise<void> {
  const isReached = async () => {
    stage.throwFault();
    return stage.client.accepted >= count;
  };
  const readiness = ({ origin }: { origin: string }) =>
    fetch(`${origin}/readyz`).then((answer) => answer.text(), String);
  let [ready, unanswered] = ['', ''];
  await until(
    `${count} payments are accepted`,
    async () => {
      if (await isReached()) return true;
      ready = (await Promise.all(stage.services.map(readiness))).join('\n');
      unanswered = stage.client.calls.findLast(({ answer }) => answer === null)?.unanswered ?? '';
      return false;
    },
    () => `${stage.client.accepted} of ${count}\n${ready}\n${unanswered}`,
  );
}

async function keepCopy({ copies, database, client }: SoakStage, random: Random): Promise<void> {
  copies.push({ at: client.accepted, copy: await database.backUp() });
  if (copies.length > COPIES_KEPT) copies.splice(random.between(0, COPIES_KEPT - 1), 1)[0]!.copy.remove();
}

/** Every call has its answer, and every payment is made. */
async function settle<Result>(stage: SoakStage, compare: () => Promise<Result>): Promise<Result> {
  await stage.stopLoad();
  await stage.client.retry(stage.services[0]!.origin);
  await stage.world.settled();
  if (stage.awaited.fromPool) {
    await runRestore(stage);
    await stage.world.settled();
  }
  for (const reader of stage.readers) await reader.readOn(stage.services[0]!.origin);
  return compare();
}
