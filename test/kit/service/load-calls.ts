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
  /** No answer came, and it had no key: it is paid once or never. */
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'refused'; readonly status: number; readonly code: string };

/** One thing the client wants, repeated until there is an answer. No two payments between the same two have the same amount. */
export type Call = {
  readonly kind: 'pay' | 'approve' | 'decline' | 'auto' | 'refund';
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
  /** All lines of the bulk payout that it is one of. */
  readonly batch?: readonly Call[];
  /** The request whose payment it refunds. */
  readonly refundOf?: string;
  /** Its answer was that of an earlier try whose answer was lost. */
  replayed: boolean;
  /** How often it was sent. */
  tries: number;
  /** Why the last try got no answer. */
  unanswered: string;
  answer: Answer | null;
};

/** Far longer than the busiest machine needs: what has no answer by then hangs. */
const ANSWER_WITHIN_MS = 3 * 60_000;

/** Sends a call once, or the bulk payout of which it is a line. Sets its answer if one came; a cut connection or a 503 leaves it open. */
export async function attempt(origin: string, call: Call): Promise<void> {
  const calls = call.batch ?? [call];
  for (const one of calls) one.tries++;
  try {
    if (call.batch) await payMany(origin, call.batch);
    else call.answer = await answerTo(origin, call);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    for (const one of calls) one.unanswered = error.message;
    if (call.key === null && call.kind === 'pay') call.answer = { outcome: 'unknown' };
  }
}

function answerTo(origin: string, call: Call): Promise<Answer> {
  if (call.kind === 'pay') return pay(origin, call);
  return call.kind === 'refund' ? refund(origin, call) : decide(origin, call);
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

/** A line that is refused may be paid by a repeated call, so only an answer with nothing left open counts. */
async function payMany(origin: string, batch: readonly Call[]): Promise<void> {
  const [{ app, key }] = batch as [Call];
  const reply = await send(`${origin}/v1/accounts/${app.address}/transfers`, {
    method: 'POST',
    headers: json(app.serverKey, key),
    body: JSON.stringify({ transfers: batch.map(({ amount, guest }) => ({ amount, user: guest.userId })) }),
  });
  if (reply.status !== 200) throw unansweredOr(reply);
  const { transfers } = JSON.parse(reply.text) as {
    transfers: { requestId?: string; txId?: string; error?: { status: number; code: string } }[];
  };
  for (const [i, call] of batch.entries()) {
    const { requestId, txId, error } = transfers[i]!;
    if (reply.replayed) call.replayed = true;
    if (requestId && txId) {
      const before = call.answer;
      if (before?.outcome === 'paid' && before.requestId !== requestId)
        throw new Error(`line ${call.amount}: ${before.requestId}, then ${requestId}`);
      call.answer ??= { outcome: 'paid', requestId, txId };
      if (call.answer.outcome !== 'paid') call.answer = { outcome: 'paid', requestId, txId };
      continue;
    }
    if (call.answer?.outcome === 'paid') throw new Error(`line ${call.amount} was paid, then ${JSON.stringify(error)}`);
    call.unanswered = JSON.stringify(error);
    call.answer = error!.status === 503 || error!.status === 429 ? null : refused(error!.status, error!.code);
  }
}

async function refund(origin: string, call: Call): Promise<Answer> {
  const reply = await send(`${origin}/v1/requests/${call.refundOf}/refunds`, {
    method: 'POST',
    headers: json(call.app.serverKey, call.key),
    body: JSON.stringify({ amount: call.amount }),
  });
  return outcome(call, reply);
}

/** The game asks the guest for quarters: a request that waits for its decision. */
export async function askFor(origin: string, call: Call): Promise<string> {
  const created = await send(`${origin}/v1/requests`, {
    method: 'POST',
    headers: json(call.guest.token, call.key && `${call.key} asks`),
    body: JSON.stringify({ tokens: call.amount, appId: call.app.id, description: `no. ${call.amount}` }),
  });
  if (created.status !== 201) throw unansweredOr(created);
  return (JSON.parse(created.text) as { id: string }).id;
}

async function decide(origin: string, call: Call): Promise<Answer> {
  call.requestId ??= await askFor(origin, call);
  return call.kind === 'auto' ? auto(origin, call, call.requestId) : form(origin, call, call.requestId);
}

/** An answer that is no answer: nothing was done, or nobody knows. Any other is an error. */
function unansweredOr({ status, text }: Reply): Error {
  return status === 503 || status === 429
    ? new Unanswered(text)
    : new Error(`answered with ${status} ${text.slice(0, 1_000)}`);
}

async function auto(origin: string, call: Call, requestId: string): Promise<Answer> {
  const reply = await send(`${origin}/v1/requests/${requestId}/autoApprove`, {
    method: 'POST',
    headers: json(call.guest.token, call.key),
    body: JSON.stringify({ clientId: call.app.id, userId: call.guest.userId, address: call.guest.address }),
  });
  if (reply.status === 404) throw lostRequest(call);
  return outcome(call, reply);
}

/** A database that was restored does not know it: the game asks again, with the same key. */
function lostRequest(call: Call): Unanswered {
  delete call.requestId;
  return new Unanswered('the request is not known');
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
  if (page.status === 404) throw lostRequest(call);
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
  const isFinal = (call.givesUp || call.key === null) && call.tries === 1 && body.code !== 'outcome-unknown';
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

export async function expectJson(origin: string, method: string, path: string, bearer: string): Promise<unknown> {
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

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
