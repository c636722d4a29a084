import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
// Loaded before the tests begin, so that its hook belongs to all of them.
import '../kit/unit/at-end.ts';
import { type Description, describedBy } from '../kit/unit/description.ts';

/**
 * A running service as its players, games and operators have it. Tests of this folder know nothing else of it, because the tests of a
 * release also run against later ones: they get this from the file that QUARTERS_PUBLIC_TARGET names. Later fields are optional.
 */
export type Target = {
  readonly origin: string;
  readonly game: {
    readonly id: string;
    readonly address: string;
    /** With all scopes and no limits. The game has quarters, may approve automatically, and its server may be called on loopback. */
    readonly serverKey: string;
    readonly clientSecret: string;
    readonly redirectUri: string;
  };
  readonly player: { readonly email: string; readonly password: string };
  /** Runs `quarters` beside the service: the file of the program and its environment. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
};

/** What the release that these tests belong to says of its API. */
const RELEASED = new URL('../../docs/openapi.json', import.meta.url);
export const released = JSON.parse(readFileSync(RELEASED, 'utf8')) as Description;
const faultOf = describedBy(released, { openToMore: true });

let own: Promise<Target> | undefined;

/** The service that the environment names, or else one of this tree. */
export async function useTarget(): Promise<Target> {
  const file = process.env.QUARTERS_PUBLIC_TARGET;
  if (file) return JSON.parse(readFileSync(file, 'utf8')) as Target;
  own ??= import('./own-target.ts').then(({ openOwnTarget }) => openOwnTarget());
  return own;
}

/** For tests that compare with the release before. They have nothing to compare with while they test their own tree. */
export const skipOwn = (t: TestContext): boolean => {
  if (process.env.QUARTERS_PUBLIC_TARGET) return false;
  t.skip('only the tests of an earlier release have something to compare');
  return true;
};

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests look at
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: any; readonly text: string };

type Call = {
  readonly bearer?: string;
  readonly key?: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** One call of the API. Throws unless the answer is as the release describes it; it may have more fields. */
export async function callApi(target: Target, method: string, path: string, call: Call = {}): Promise<Answer> {
  const { bearer, key, body, headers = {} } = call;
  const response = await fetch(`${target.origin}${path}`, {
    method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, body: text && JSON.parse(text), text };
  const fault = faultOf({
    ...{ method, url: path, status: answer.status, body: text },
    headers: Object.fromEntries(response.headers),
  });
  if (fault) throw new Error(fault);
  return answer;
}

/** A new guest of the game. */
export async function newGuest(
  target: Target,
): Promise<{ id: string; address: string; token: string; pageToken: string }> {
  const { body } = await callApi(target, 'POST', '/v1/new-guest', { bearer: target.game.serverKey });
  const [{ user_id: id, address, access_token: token, firebase_token: pageToken }] = body;
  return { id, address, token, pageToken };
}

/** Runs one command of the operator to its end. */
export function runQuarters(
  { program, env }: Target,
  args: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err }),
    );
    child.stdin?.end();
  });
}
