import { randomUUID } from 'node:crypto';
import type { TestApp } from '../kit/service/service.ts';
import type { Random } from '../kit/unit/crash-random.ts';

/** A payment by an app to a user. No two have the same amount, so the chain's own logs show which of them were paid. */
export type Payment = {
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  /** What was acknowledged first. Null until then. */
  txId: string | null;
};

export type Load = {
  /** How many payments of this load have been acknowledged. */
  readonly accepted: number;
  /** How many of them a process listed that was asked just after. */
  readonly listed: number;
  /** How often the service was asked, whatever it answered. */
  readonly answers: number;
  /** The longest time without an acknowledged payment since the last call, in seconds. */
  longestGap(): number;
  /** Stops at once. What has no answer stays open. */
  stop(): void;
  /** Stops new payments, and resolves when each payment that was begun has its answer. Rejects at an answer that nothing explains. */
  drain(): Promise<void>;
};

type Payee = { readonly userId: string; readonly address: string };

const WORKERS = 8;
/** Others than these are asked past HAProxy, so that they may read from a former primary. */
const MAIN = 2;
const PAUSE_MS = 100;
/** A game waits no longer for an answer, and then asks again under the same key. */
const ANSWER_WITHIN_MS = 8_000;

/**
 * A game's server that pays from several workers at once. It repeats a payment under its Idempotency-Key, at either process, until it has an
 * answer: as the client library does, and without an end.
 */
export function startLoad(
  origins: () => readonly string[],
  /** New payments are added to `payments`, which may hold earlier ones. */
  { payments, app, payees, random }: { payments: Payment[]; app: TestApp; payees: readonly Payee[]; random: Random },
): Load {
  let [stopped, givenUp, accepted, listed, answers, last, gap] = [false, false, 0, 0, 0, performance.now(), 0];
  const measure = () => {
    const now = performance.now();
    gap = Math.max(gap, now - last);
    return now;
  };

  async function pay(): Promise<void> {
    const payee = random.pick(payees);
    const payment: Payment = {
      from: app.address.toLowerCase(),
      to: payee.address.toLowerCase(),
      amount: payments.length + 1,
      txId: null,
    };
    payments.push(payment);
    const [url, key] = [`/v1/accounts/${app.address}/transfer`, randomUUID()];
    while (payment.txId === null && !givenUp) {
      payment.txId = await ask(`${random.pick(origins())}${url}`, app.serverKey, key, {
        amount: payment.amount,
        user: payee.userId,
      });
      answers++;
      if (payment.txId === null) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    if (payment.txId === null) return;
    accepted++;
    last = measure();
    if (await isListed(random.pick(origins().slice(0, MAIN)), app.serverKey, payee.userId, payment.amount)) listed++;
  }

  const work = async () => {
    while (!stopped) await pay();
  };
  const working = Promise.all(Array.from({ length: WORKERS }, work));
  // It is awaited in `drain`.
  working.catch(() => {});
  return {
    get accepted() {
      return accepted;
    },
    get listed() {
      return listed;
    },
    get answers() {
      return answers;
    },
    longestGap() {
      measure();
      const seconds = gap / 1000;
      [gap, last] = [0, performance.now()];
      return seconds;
    },
    stop() {
      stopped = givenUp = true;
    },
    async drain() {
      stopped = true;
      await working;
    },
  };
}

/** Asks once. Null if the outcome is unknown, or the service cannot tell at this moment. */
async function ask(url: string, serverKey: string, key: string, body: object): Promise<string | null> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${serverKey}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    text = await response.text();
  } catch {
    return null;
  }
  if (response.status === 503) return null;
  if (response.status !== 200) throw new Error(`A payment was answered with ${response.status} ${text}`);
  return (JSON.parse(text) as { txId: string }).txId;
}

/** Whether a process lists a payment that was acknowledged; false if it cannot tell. Rejects if it lists others, and not this. */
async function isListed(origin: string, serverKey: string, userId: string, amount: number): Promise<boolean> {
  const answer = await fetch(`${origin}/v1/requests?userId=${userId}&limit=100`, {
    headers: { authorization: `Bearer ${serverKey}` },
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
    .then(async (response) => (response.status === 200 ? await response.json() : null))
    .catch(() => null);
  const page = answer as { data: { tokens: number }[] } | null;
  if (!page) return false;
  const amounts = page.data.map(({ tokens }) => Math.abs(tokens));
  if (amounts.includes(amount)) return true;
  // Others may have paid more often meanwhile than a page has places.
  if (amounts.length === 100 && amounts.every((other) => other > amount)) return false;
  throw new Error(`The payment of ${amount} was acknowledged, and is not in the list: ${amounts.join()}`);
}
