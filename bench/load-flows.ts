import { randomUUID } from 'node:crypto';
import type { Call, Reply } from './http-connection.ts';

export type Ask = (call: Call) => Promise<Reply>;

/** What one turn of a flow brought: how many items were accepted and refused, and what later flows need of them. */
export type Turn = { readonly accepted: number; readonly refused: number; readonly kept?: readonly string[] };

/** One caller's work for one turn: one call, or several in a row. Throws at an answer that nothing explains. */
export type Flow = (ask: Ask, turn: number) => Promise<Turn>;

export type Payer = {
  readonly address: string;
  readonly serverKeys: readonly string[];
  readonly users: readonly string[];
};
export type Person = {
  readonly userId: string;
  readonly address: string;
  readonly token: string;
  readonly pageToken: string;
};

const ONE: Turn = { accepted: 1, refused: 0 };
const NONE: Turn = { accepted: 0, refused: 1 };

/** What can be asked of the service, by name. Data is JSON, because it comes from another process. */
export const FLOWS = {
  /** An app pays its users in turn, one quarter each. */
  transfer:
    ({ address, serverKeys, users }: Payer): Flow =>
    async (ask, turn) =>
      paid(
        await ask({
          method: 'POST',
          path: `/v1/accounts/${address}/transfer`,
          bearer: serverKeys[turn % serverKeys.length]!,
          body: `{"amount":1,"user":"${users[turn % users.length]}"}`,
        }),
      ),
  /** The same, each with its own Idempotency-Key. */
  transferOnce:
    ({ address, serverKeys, users }: Payer): Flow =>
    async (ask, turn) =>
      paid(
        await ask({
          method: 'POST',
          path: `/v1/accounts/${address}/transfer`,
          bearer: serverKeys[turn % serverKeys.length]!,
          body: `{"amount":1,"user":"${users[turn % users.length]}"}`,
          headers: `idempotency-key: ${randomUUID()}\r\n`,
        }),
      ),
  /** `GET` of a path with each user's own token. */
  read:
    ({ paths, tokens }: { readonly paths: readonly string[]; readonly tokens: readonly string[] }): Flow =>
    async (ask, turn) => {
      const one = turn % tokens.length;
      return expected(200, await ask({ method: 'GET', path: paths[one % paths.length]!, bearer: tokens[one]! }));
    },
  guest:
    ({ serverKey }: { readonly serverKey: string }): Flow =>
    async (ask) => {
      const reply = await ask({ method: 'POST', path: '/v1/new-guest', bearer: serverKey });
      expected(201, reply);
      const [made] = JSON.parse(reply.body) as [Record<string, string>];
      const { user_id: userId, address, access_token: token, firebase_token: pageToken } = made;
      return { ...ONE, kept: [JSON.stringify({ userId, address, token, pageToken })] };
    },
} satisfies Record<string, (data: never) => Flow>;

export type FlowName = keyof typeof FLOWS;
export type FlowData<Name extends FlowName> = Parameters<(typeof FLOWS)[Name]>[0];

/** Refused are only the answers that promise that nothing was accepted and that the caller may try again. */
function paid(reply: Reply): Turn {
  if (reply.status === 200 && reply.body.includes('"txId"')) return ONE;
  if ((reply.status === 503 && !reply.body.includes('outcome-unknown')) || reply.status === 429) return NONE;
  throw new Error(`${reply.status} ${reply.body}`);
}

function expected(status: number, reply: Reply): Turn {
  if (reply.status !== status) throw new Error(`${reply.status} ${reply.body}`);
  return ONE;
}
