import { randomInt, randomUUID } from 'node:crypto';
import { userIdOf } from './growth-history.ts';
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

export type Spenders = {
  readonly appId: string;
  readonly people: readonly Person[];
  /** Quarters of each payment. */
  readonly quarters: number;
};

const ONE: Turn = { accepted: 1, refused: 0 };
const NONE: Turn = { accepted: 0, refused: 1 };

/** What can be asked of the service, by name. Data is JSON, because it comes from another process. */
export const FLOWS = {
  /** An app pays its users in turn, one quarter each. */
  transfer:
    (payer: Payer): Flow =>
    (ask, turn) =>
      payOne(ask, payer, turn),
  /** The same, each with its own Idempotency-Key. */
  transferWithKey:
    (payer: Payer): Flow =>
    (ask, turn) =>
      payOne(ask, payer, turn, `idempotency-key: ${randomUUID()}\r\n`),
  /** An app pays one of many generated users, chosen at random. */
  random:
    ({ address, serverKeys, accounts }: Omit<Payer, 'users'> & { readonly accounts: number }): Flow =>
    (ask, turn) =>
      FLOWS.transfer({ address, serverKeys, users: [userIdOf(randomInt(accounts))] })(ask, turn),
  /** Many apps pay in turn, each its own users. */
  spread:
    ({ payers }: { readonly payers: readonly Payer[] }): Flow =>
    (ask, turn) =>
      FLOWS.transfer(payers[turn % payers.length]!)(ask, Math.floor(turn / payers.length)),
  /** An app registers an address for its events. */
  endpoint:
    ({ serverKeys, urls }: Pick<Payer, 'serverKeys'> & { readonly urls: readonly string[] }): Flow =>
    async (ask, turn) => {
      const bearer = serverKeys[turn]!;
      return expected(
        201,
        await ask({ method: 'POST', path: '/v1/webhook-endpoints', bearer, body: `{"url":"${urls[turn]}"}` }),
      );
    },
  /** Many payments in one call. */
  bulk:
    ({
      address,
      serverKeys,
      users,
      amount = 1,
      lines,
    }: Payer & { readonly amount?: number; readonly lines: number }): Flow =>
    async (ask, turn) => {
      const transfers = Array.from({ length: lines }, (_, i) => ({
        amount,
        user: users[(turn * lines + i) % users.length],
      }));
      const reply = await ask({
        method: 'POST',
        path: `/v1/accounts/${address}/transfers`,
        bearer: serverKeys[turn % serverKeys.length]!,
        body: JSON.stringify({ transfers }),
      });
      if (reply.status !== 200) return { accepted: 0, refused: lines * paid(reply).refused };
      const accepted = reply.body.split('"txId"').length - 1;
      return { accepted, refused: lines - accepted };
    },
  /** An app gives one quarter back, of each of these payments in turn. */
  refund:
    ({ serverKeys, requests }: Pick<Payer, 'serverKeys'> & { readonly requests: readonly string[] }): Flow =>
    async (ask, turn) =>
      paid(
        await ask({
          method: 'POST',
          path: `/v1/requests/${requests[turn % requests.length]}/refunds`,
          bearer: serverKeys[turn % serverKeys.length]!,
          body: '{"amount":1}',
        }),
      ),
  /** A game asks, with the player's token. The player opens our page and approves: three calls. `limit`: and sets a spending limit. */
  approve:
    ({ limit, ...spenders }: Spenders & { readonly limit?: boolean }): Flow =>
    async (ask, turn) => {
      const { pageToken } = spenderOf(spenders, turn);
      const id = await request(ask, spenders, turn);
      const page = await ask({ method: 'GET', path: `/requests/${id}?firebase_token=${pageToken}` });
      expected(200, page);
      const formToken = /name="page_token" value="([^"]+)"/.exec(page.body)?.[1];
      const reply = await ask({
        method: 'POST',
        path: `/requests/${id}/decision`,
        form: true,
        headers: 'sec-fetch-site: same-origin\r\n',
        body: `page_token=${encodeURIComponent(formToken!)}&decision=approve${limit ? '&mandate=on' : ''}`,
      });
      return { ...decided(reply), kept: [id] };
    },
  /** A game asks, and takes the quarters under the player's spending limit: two calls. */
  autoApprove:
    (spenders: Spenders): Flow =>
    async (ask, turn) => {
      const { userId, address, token: bearer } = spenderOf(spenders, turn);
      const id = await request(ask, spenders, turn);
      const body = JSON.stringify({ clientId: spenders.appId, userId, address });
      return paid(await ask({ method: 'POST', path: `/v1/requests/${id}/autoApprove`, bearer, body }));
    },
  /** `GET` of a path with each user's own token. */
  read:
    ({ paths, tokens }: { readonly paths: readonly string[]; readonly tokens: readonly string[] }): Flow =>
    async (ask, turn) => {
      const one = turn % tokens.length;
      return expected(200, await ask({ method: 'GET', path: paths[one % paths.length]!, bearer: tokens[one]! }));
    },
  /** Somebody without a credential sends one call after another, each from another of so many addresses. The service must trust a proxy. */
  stranger:
    ({ calls, addresses }: { readonly calls: readonly Call[]; readonly addresses: number }): Flow =>
    async (ask, turn) => {
      const call = calls[turn % calls.length]!;
      const from = `x-forwarded-for: 198.51.100.${turn % addresses}\r\n`;
      const { status } = await ask({ ...call, headers: from + (call.headers ?? '') });
      if (status >= 500 && status !== 503) throw new Error(`${call.path}: ${status}`);
      return status < 400 ? ONE : NONE;
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

async function payOne(ask: Ask, { address, serverKeys, users }: Payer, turn: number, headers = ''): Promise<Turn> {
  const bearer = serverKeys[turn % serverKeys.length]!;
  const body = `{"amount":1,"user":"${users[turn % users.length]}"}`;
  return paid(await ask({ method: 'POST', path: `/v1/accounts/${address}/transfer`, bearer, body, headers }));
}

function spenderOf({ people }: Spenders, turn: number): Person {
  return people[turn % people.length]!;
}

async function request(ask: Ask, spenders: Spenders, turn: number): Promise<string> {
  const { token: bearer } = spenderOf(spenders, turn);
  const body = JSON.stringify({ tokens: spenders.quarters, appId: spenders.appId });
  const reply = await ask({ method: 'POST', path: '/v1/requests', bearer, body });
  expected(201, reply);
  return (JSON.parse(reply.body) as { id: string }).id;
}

/** The answer to a form is the page of its result. */
function decided(reply: Reply): Turn {
  if (reply.status === 200 && reply.body.includes('txId')) return ONE;
  if (isRefusal(reply)) return NONE;
  throw new Error(`${reply.status} ${reply.body}`);
}

/** Refused are only the answers that promise that nothing was accepted, and that say when the caller may try again. */
function paid(reply: Reply): Turn {
  if (reply.status === 200 && reply.body.includes('"txId"')) return ONE;
  if (isRefusal(reply)) return NONE;
  throw new Error(`${reply.status} ${reply.body}`);
}

function isRefusal({ status, head, body }: Reply): boolean {
  return (status === 503 || status === 429) && /\r\nretry-after: /i.test(head) && !body.includes('outcome-unknown');
}

function expected(status: number, reply: Reply): Turn {
  if (reply.status !== status) throw new Error(`${reply.status} ${reply.body}`);
  return ONE;
}
