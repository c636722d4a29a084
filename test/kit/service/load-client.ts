import { randomUUID } from 'node:crypto';
import type { Random } from '../unit/crash-random.ts';
import type { TestApp } from './service.ts';

export type Guest = {
  readonly userId: string;
  readonly address: string;
  readonly token: string;
  readonly pageToken: string;
};

/** The service's final answer. */
export type Answer =
  | { readonly outcome: 'paid'; readonly requestId: string; readonly txId: string }
  | { readonly outcome: 'declined' }
  | { readonly outcome: 'refused'; readonly status: number; readonly code: string };

/** One thing the client wants, repeated until there is an answer. No two calls have the same amount. */
export type Call = {
  readonly kind: 'pay' | 'approve' | 'decline' | 'auto';
  readonly app: TestApp;
  readonly guest: Guest;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  /** Null: it is sent without, so it cannot be sent again. */
  readonly key: string | null;
  /** A 503 to the first try is final: nothing may have been decided. */
  readonly givesUp: boolean;
  requestId?: string;
  /** Its answer was that of an earlier try whose answer was lost. */
  replayed: boolean;
  /** How often it was sent. */
  tries: number;
  /** Why the last try got no answer. */
  unanswered: string;
  answer: Answer | null;
};

export type LoadClient = {
  readonly calls: readonly Call[];
  readonly guests: readonly Guest[];
  /** Retries that got an earlier decision. */
  readonly replays: number;
  newGuest(origin: string, app: TestApp): Promise<Guest>;
  /** Sends calls from several workers until stopped; those without an answer stay open. */
  run(origins: readonly string[], stop: AbortSignal, workers?: number): Promise<void>;
  /** Retries every open call, with the same key, until each has its answer. */
  retry(origin: string): Promise<number>;
  /** Retries every open call once. */
  retryOnce(origin: string): Promise<void>;
  /** Sends an answered call again and returns the new answer. */
  repeat(origin: string, call: Call): Promise<Answer | null>;
  /** Sends one call of a kind to all these at once, several times to each; returns all answers. */
  everywhere(origins: readonly string[], kind: Call['kind'], times: number): Promise<(Answer | null)[]>;
  /** Makes one call of a kind; if it stays open, `answer` is null. */
  one(origin: string, kind: Call['kind'], app?: TestApp, guest?: Guest): Promise<Call>;
};

/** Far longer than the busiest machine needs: what has no answer by then hangs. */
const ANSWER_WITHIN_MS = 3 * 60_000;
const RETRY_WITHIN_MS = 5 * 60_000;

/**
 * A game's server and its players. It uses only the API and the pages, and remembers all its calls and their answers.
 *
 * `someWithoutKey`: a third of the payments have no Idempotency-Key. Use it only where every call gets its answer.
 *
 * No two calls have the same amount, so the chain's own logs show which call was paid, whatever the database says.
 */
export function openLoadClient(random: Random, { someWithoutKey = false } = {}): LoadClient {
  const calls: Call[] = [];
  const guests: { app: TestApp; guest: Guest }[] = [];
  let serial = 0;

  function newCall(kind: Call['kind'], app: TestApp, guest: Guest): Call {
    const [from, to] = kind === 'pay' ? [app.address, guest.address] : [guest.address, app.address];
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
    };
    calls.push(call);
    return call;
  }

  function planned(): Call {
    const { app, guest } = random.pick(guests);
    const dice = random.between(1, 20);
    return newCall(dice <= 11 ? 'pay' : dice <= 15 ? 'approve' : dice <= 17 ? 'decline' : 'auto', app, guest);
  }

  return {
    calls,
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
    async run(origins, stop, workers = 6) {
      const work = async () => {
        while (!stop.aborted) {
          const call = planned();
          await attempt(random.pick(origins), call);
          // A service that has gone refuses at once; this avoids a busy loop.
          if (!call.answer) await pause(100);
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
    },
    async retry(origin) {
      const open = calls.filter(({ answer }) => answer === null);
      const deadline = Date.now() + RETRY_WITHIN_MS;
      await Promise.all(
        open.map(async (call) => {
          while (!call.answer) {
            await attempt(origin, call);
            if (call.answer) return;
            if (Date.now() > deadline)
              throw new Error(`No answer to ${call.kind} ${call.amount} after ${call.tries} tries: ${call.unanswered}`);
            await pause(50);
          }
        }),
      );
      return open.length;
    },
    async retryOnce(origin) {
      await Promise.all(calls.filter(({ answer }) => answer === null).map((call) => attempt(origin, call)));
    },
    async repeat(origin, call) {
      const again: Call = { ...call, answer: null };
      await attempt(origin, again);
      return again.answer;
    },
    async everywhere(origins, kind, times) {
      const { app, guest } = random.pick(guests);
      const call = newCall(kind, app, guest);
      if (kind !== 'pay') call.requestId = await askFor(origins[0]!, call);
      const askers = origins.flatMap((origin) => Array.from({ length: times }, () => ({ origin, call: { ...call } })));
      await Promise.all(askers.map(({ origin, call }) => attempt(origin, call)));
      const answers = askers.map(({ call: { answer } }) => answer);
      call.answer = answers.find((answer) => answer !== null) ?? null;
      return answers;
    },
    async one(origin, kind, app, guest) {
      const chosen = app && guest ? { app, guest } : random.pick(guests);
      const call = newCall(kind, chosen.app, chosen.guest);
      await attempt(origin, call);
      return call;
    },
  };
}

/** Sends a call once. Sets its answer if one came; a cut connection or a 503 leaves it open. */
async function attempt(origin: string, call: Call): Promise<void> {
  call.tries++;
  try {
    call.answer = await (call.kind === 'pay' ? pay(origin, call) : decide(origin, call));
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    call.unanswered = error.message;
  }
}

class Unanswered extends Error {}

async function pay(origin: string, call: Call): Promise<Answer> {
  return outcome(
    call,
    await send(`${origin}/v1/accounts/${call.app.address}/transfer`, {
      method: 'POST',
      headers: json(call.app.serverKey, call.key),
      body: JSON.stringify({ amount: call.amount, user: call.guest.userId }),
    }),
  );
}

/** The game asks the guest for quarters: a request that waits for its decision. */
async function askFor(origin: string, call: Call): Promise<string> {
  const created = await send(`${origin}/v1/requests`, {
    method: 'POST',
    headers: json(call.guest.token),
    body: JSON.stringify({ tokens: call.amount, appId: call.app.id, description: `no. ${call.amount}` }),
  });
  if (created.status === 503) throw new Unanswered(created.text);
  if (created.status !== 201) throw new Error(`a request was refused: ${created.status} ${created.text}`);
  return (JSON.parse(created.text) as { id: string }).id;
}

async function decide(origin: string, call: Call): Promise<Answer> {
  call.requestId ??= await askFor(origin, call);
  return call.kind === 'auto' ? auto(origin, call, call.requestId) : form(origin, call, call.requestId);
}

async function auto(origin: string, call: Call, requestId: string): Promise<Answer> {
  return outcome(
    call,
    await send(`${origin}/v1/requests/${requestId}/autoApprove`, {
      method: 'POST',
      headers: json(call.guest.token, call.key),
      body: JSON.stringify({ clientId: call.app.id, userId: call.guest.userId, address: call.guest.address }),
    }),
  );
}

/** Opens the page and sends its form, as the guest's browser does. */
async function form(origin: string, call: Call, requestId: string): Promise<Answer> {
  const query = new URLSearchParams({ firebase_token: call.guest.pageToken });
  const page = await send(`${origin}/requests/${requestId}?${query}`, {});
  // Decided earlier, by a form whose answer was lost.
  if (page.location !== null) {
    call.replayed = true;
    return redirected(page.location);
  }
  const token = /name="page_token" value="([^"]+)"/.exec(page.text)?.[1];
  if (page.status === 503) throw new Unanswered('503');
  if (token === undefined) throw new Error(`the page has no form: ${page.status} ${page.text}`);
  const fields = { page_token: token, decision: call.kind, mandate: 'on' };
  const answer = await send(`${origin}/requests/${requestId}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  if (answer.location !== null) return redirected(answer.location);
  if (answer.status === 503 && !(call.givesUp && call.tries === 1)) throw new Unanswered('503');
  if (answer.status === 402 || answer.status === 503) return refused(answer.status, '');
  throw new Error(`the form was answered with ${answer.status} ${answer.text}`);
}

function redirected(location: string): Answer {
  const result = new URL(location).searchParams;
  if (result.get('cancel') === 'true') return { outcome: 'declined' };
  const [requestId, txId] = [result.get('requestId'), result.get('txId')];
  if (!requestId || !txId) throw new Error(`the game was told ${location}`);
  return { outcome: 'paid', requestId, txId };
}

function outcome(call: Call, answer: Reply): Answer {
  const body = JSON.parse(answer.text) as { requestId: string; txId: string; code: string };
  if (answer.replayed) call.replayed = true;
  if (answer.status === 200) return { outcome: 'paid', requestId: body.requestId, txId: body.txId };
  const isFinal = call.givesUp && call.tries === 1 && body.code !== 'outcome-unknown';
  if (answer.status === 503 && !isFinal) throw new Unanswered(answer.text);
  if (answer.status >= 500 && answer.status !== 503) throw new Error(`answered with ${answer.status} ${answer.text}`);
  return refused(answer.status, body.code);
}

function refused(status: number, code: string): Answer {
  return { outcome: 'refused', status, code };
}

type Reply = {
  readonly status: number;
  readonly location: string | null;
  readonly replayed: boolean;
  readonly text: string;
};

/** Throws {@link Unanswered} if no complete answer came. */
async function send(url: string, init: RequestInit): Promise<Reply> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(url, { redirect: 'manual', signal, ...init });
    const { status, headers } = response;
    const replayed = headers.get('idempotent-replayed') === 'true';
    return { status, location: headers.get('location'), replayed, text: await response.text() };
  } catch (error) {
    throw new Unanswered(`${(error as Error).cause ?? error}`);
  }
}

async function expectJson(origin: string, method: string, path: string, bearer: string): Promise<unknown> {
  const answer = await send(`${origin}${path}`, { method, headers: { authorization: `Bearer ${bearer}` } });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text);
}

function json(bearer: string, key: string | null = null): Record<string, string> {
  return {
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
    ...(key !== null && { 'idempotency-key': key }),
  };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
