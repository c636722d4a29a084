import { randomUUID } from 'node:crypto';
import type { Random } from '../unit/crash-random.ts';
import { type Answer, askFor, attempt, type Call, expectJson, type Guest, pause } from './load-calls.ts';
import type { TestApp } from './service.ts';

export type LoadClient = {
  readonly calls: readonly Call[];
  readonly guests: readonly Guest[];
  /** Retries that got an earlier decision. */
  readonly replays: number;
  newGuest(origin: string, app: TestApp): Promise<Guest>;
  /** How many payments were accepted. */
  readonly accepted: number;
  /**
   * Sends calls from several workers until stopped; those that have no answer then stay open. `mayAsk`: asked before each call, so that a load has
   * a bound.
   */
  run(origins: readonly string[], stop: AbortSignal, workers?: number, mayAsk?: () => boolean): Promise<void>;
  /** Retries every open call, with the same key, until each has its answer. */
  retry(origin: string): Promise<void>;
  /** Retries every open call once. */
  retryOnce(origin: string): Promise<void>;
  /** Sends an answered call again, with all lines if it is one of a bulk payout, and returns the new answers, in order. */
  repeat(origin: string, call: Call): Promise<(Answer | null)[]>;
  /** From now on this is the call's answer. */
  amend(call: Call, answer: Answer): void;
  /** Sends one call of a kind to all these at once, several times to each; returns all answers. */
  everywhere(origins: readonly string[], kind: Call['kind'], times: number): Promise<(Answer | null)[]>;
  /** Makes one call of a kind; if it stays open, `answer` is null. */
  one(origin: string, kind: Call['kind'], app?: TestApp, guest?: Guest): Promise<Call>;
};

/** Far longer than the busiest machine needs: what has no answer by then hangs. */
const RETRIES_AT_ONCE = 32;
const RETRY_WITHIN_MS = 5 * 60_000;

/** What callers do, by weight. `bulk`: a payout of up to `lines` lines. */
export type LoadMix = Readonly<Record<Call['kind'] | 'bulk', number>> & { readonly lines: number };

const USUAL_MIX: LoadMix = { pay: 11, approve: 4, decline: 2, auto: 3, refund: 0, bulk: 0, lines: 0 };
const MOST_REFUNDABLE = 1_000;

/**
 * A game's server and its players. It uses only the API and the pages, and remembers all its calls and their answers.
 *
 * `someWithoutKey`: a third of the payments have no Idempotency-Key. One that gets no answer may be paid or not.
 *
 * No two payments between the same two have the same amount, so the chain's own logs show which call was paid, whatever the database says.
 */
export function openLoadClient(
  random: Random,
  { someWithoutKey = false, mix = USUAL_MIX }: { someWithoutKey?: boolean; mix?: LoadMix } = {},
): LoadClient {
  const calls: Call[] = [];
  const guests: { app: TestApp; guest: Guest }[] = [];
  /** Without an answer, and not being sent. Of a bulk payout the first line. */
  const open = new Set<Call>();
  /** What players have paid, and nobody has asked to refund. */
  const refundable: Call[] = [];
  const { lines, ...weights } = mix;
  const plans = Object.entries(weights).flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));
  let serial = 0;
  let accepted = 0;

  function newCall(kind: Call['kind'], app: TestApp, guest: Guest, more: Partial<Call> = {}): Call {
    const isPayout = kind === 'pay' || kind === 'refund';
    const [from, to] = isPayout ? [app.address, guest.address] : [guest.address, app.address];
    const call: Call = {
      kind,
      app,
      guest,
      from: from.toLowerCase(),
      to: to.toLowerCase(),
      amount: ++serial,
      key: someWithoutKey && kind === 'pay' && random.between(1, 3) === 1 ? null : randomUUID(),
      givesUp: random.between(1, 4) === 1,
      replayed: false,
      tries: 0,
      unanswered: '',
      answer: null,
      ...more,
    };
    calls.push(call);
    return call;
  }

  function planned(): Call {
    const { app, guest } = random.pick(guests);
    const plan = random.pick(plans) as keyof typeof weights;
    if (plan === 'bulk') return newBatch(app);
    if (plan !== 'refund') return newCall(plan, app, guest);
    const [paid] = refundable.splice(random.between(0, refundable.length - 1), 1);
    if (paid?.answer?.outcome !== 'paid') return newCall('pay', app, guest);
    return newCall('refund', paid.app, paid.guest, { amount: paid.amount, refundOf: paid.answer.requestId });
  }

  function newBatch(app: TestApp): Call {
    const players = guests.filter((one) => one.app === app);
    const batch: Call[] = [];
    const shared = { batch, key: randomUUID(), givesUp: false };
    for (let i = random.between(1, lines); i > 0; i--)
      batch.push(newCall('pay', app, random.pick(players).guest, shared));
    return batch[0]!;
  }

  async function send(origin: string, call: Call): Promise<boolean> {
    const all = call.batch ?? [call];
    open.delete(call);
    const paidBefore = all.filter(isPaid).length;
    await attempt(origin, call);
    accepted += all.filter(isPaid).length - paidBefore;
    const isAnswered = all.every(({ answer }) => answer !== null);
    if (!isAnswered) open.add(call);
    else if ((call.kind === 'approve' || call.kind === 'auto') && isPaid(call) && refundable.length < MOST_REFUNDABLE)
      refundable.push(call);
    return isAnswered;
  }

  async function repeat(origin: string, call: Call): Promise<(Answer | null)[]> {
    const again: Call[] = (call.batch ?? [call]).map((one) => ({ ...one, answer: null }));
    if (call.batch) again[0] = { ...again[0]!, batch: again };
    await attempt(origin, again[0]!);
    return again.map(({ answer }) => answer);
  }

  return {
    calls,
    repeat,
    get accepted() {
      return accepted;
    },
    get replays() {
      return calls.filter(({ replayed }) => replayed).length;
    },
    get guests() {
      return guests.map(({ guest }) => guest);
    },
    async newGuest(origin, app) {
      const [made] = (await expectJson(origin, 'POST', '/v1/new-guest', app.serverKey)) as [Record<string, string>];
      const guest: Guest = {
        userId: made.user_id!,
        address: made.address!,
        token: made.access_token!,
        pageToken: made.firebase_token!,
      };
      guests.push({ app, guest });
      return guest;
    },
    async run(origins, stop, workers = 6, mayAsk = () => true) {
      const work = async () => {
        while (!stop.aborted) {
          const call = mayAsk() ? planned() : null;
          // A service that has gone refuses at once; the pause avoids a busy loop.
          for (let isAnswered = false; !isAnswered && !stop.aborted; ) {
            isAnswered = call !== null && (await send(random.pick(origins), call));
            if (!isAnswered) await pause(100);
            if (!call) break;
          }
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
    },
    async retry(origin) {
      const all = [...open];
      const deadline = Date.now() + RETRY_WITHIN_MS;
      const work = async () => {
        for (let call = all.pop(); call; call = all.pop()) {
          while (!(await send(origin, call))) {
            if (Date.now() > deadline)
              throw new Error(`No answer to ${call.kind} ${call.amount} after ${call.tries} tries: ${call.unanswered}`);
            await pause(50);
          }
        }
      };
      await Promise.all(Array.from({ length: RETRIES_AT_ONCE }, work));
    },
    async retryOnce(origin) {
      await Promise.all([...open].map((call) => send(origin, call)));
    },
    amend(call, answer) {
      accepted -= Number(isPaid(call));
      call.answer = answer;
      accepted += Number(isPaid(call));
    },
    async everywhere(origins, kind, times) {
      const { app, guest } = random.pick(guests);
      const call = newCall(kind, app, guest);
      if (kind !== 'pay') call.requestId = await askFor(origins[0]!, call);
      const askers = origins.flatMap((origin) => Array.from({ length: times }, () => ({ origin, call: { ...call } })));
      await Promise.all(askers.map(({ origin, call }) => attempt(origin, call)));
      const answers = askers.map(({ call: { answer } }) => answer);
      call.answer = answers.find((answer) => answer !== null) ?? null;
      if (!call.answer) open.add(call);
      return answers;
    },
    async one(origin, kind, app, guest) {
      const chosen = app && guest ? { app, guest } : random.pick(guests);
      const call = newCall(kind, chosen.app, chosen.guest);
      await send(origin, call);
      return call;
    },
  };
}

const isPaid = ({ answer }: Call): boolean => answer?.outcome === 'paid';
