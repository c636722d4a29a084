import assert from 'node:assert/strict';
import type { RequestId } from '../../../src/base/ids.ts';
import { approveOrDecline } from '../../../src/features/approvals/approve-or-decline.ts';
import { openApproval } from '../../../src/features/approvals/open-approval.ts';
import { issueKey } from '../../../src/features/keys/keys.ts';
import { OPERATOR } from '../../../src/service/managers.ts';
import { fundedPayment, newPayment } from './payment.ts';
import type { TestApp, TestService } from './service.ts';
import { addHook, cancelled } from './webhooks.ts';

/** A call to send, and how often it has taken effect. */
export type Post = {
  readonly what: string;
  readonly token: string;
  readonly body: object;
  /** The body for the same call with another body. */
  readonly otherBody: object;
  effects(): Promise<number>;
};

/** How to make a call for every POST route of the API. */
export const POSTS: Readonly<Record<string, (s: TestService, app: TestApp) => Promise<Post>>> = {
  '/v1/new-guest': async (s, app) => ({
    what: 'POST /v1/new-guest',
    token: app.serverKey,
    body: {},
    otherBody: { other: 1 },
    effects: () => count(s, 'SELECT count(*) FROM users WHERE guest_of = $1', app.id),
  }),
  '/v1/guests/:id/tokens': async (s, app) => {
    const guest = await s.createGuest(app);
    return {
      what: `POST /v1/guests/${guest.userId}/tokens`,
      token: await issueKey(s.service, OPERATOR, app.id, { kind: 'server', scopes: ['guest-tokens'], payPerDay: null }),
      body: {},
      otherBody: { other: 1 },
      effects: async () =>
        (await count(s, 'SELECT count(*) FROM guest_tokens WHERE user_id = $1', guest.userId)) / 2 - 1,
    };
  },
  '/v1/requests': async (s, app) => {
    const guest = await s.createGuest(app);
    return {
      what: 'POST /v1/requests',
      token: guest.accessToken,
      body: { tokens: 3, appId: app.id, description: 'a sword' },
      otherBody: { tokens: 4, appId: app.id, description: 'a sword' },
      effects: () => count(s, 'SELECT count(*) FROM requests WHERE user_id = $1', guest.userId),
    };
  },
  '/v1/requests/:id/autoApprove': async (s, app) => {
    const { guest, id } = await fundedPayment(s, app);
    const { formToken } = await openApproval(s.service, id, guest.pageToken);
    await approveOrDecline(s.service, {
      requestId: id,
      formToken,
      session: null,
      decision: 'approve',
      nextTime: 'allow',
    });
    const next = await newPayment(s, app, { guest });
    return {
      what: `POST /v1/requests/${next.id}/autoApprove`,
      token: guest.accessToken,
      body: { clientId: app.id, userId: guest.userId, address: guest.address },
      otherBody: { clientId: app.id, userId: guest.userId, address: guest.address.toUpperCase().replace('X', 'x') },
      effects: () => transfersOf(s, next.id),
    };
  },
  '/v1/webhook-endpoints': async (s, app) => ({
    what: 'POST /v1/webhook-endpoints',
    token: await hooksKey(s, app),
    body: { url: 'https://game.example/hook' },
    otherBody: { url: 'https://game.example/other' },
    effects: () => count(s, 'SELECT count(*) FROM webhook_endpoints WHERE app_id = $1', app.id),
  }),
  '/v1/webhook-endpoints/:id': async (s, app) => {
    const { id } = await addHook(s, app.id, 'https://game.example/hook');
    return {
      what: `POST /v1/webhook-endpoints/${id}`,
      token: await hooksKey(s, app),
      body: { enabled: false },
      otherBody: { enabled: true },
      effects: () => count(s, 'SELECT count(*) FROM webhook_endpoints WHERE id = $1 AND disabled_at IS NOT NULL', id),
    };
  },
  '/v1/webhook-endpoints/:id/rotate-secret': async (s, app) => {
    const { id } = await addHook(s, app.id, 'https://game.example/hook');
    return {
      what: `POST /v1/webhook-endpoints/${id}/rotate-secret`,
      token: await hooksKey(s, app),
      body: {},
      otherBody: { other: 1 },
      effects: () =>
        count(s, 'SELECT count(*) FROM webhook_endpoints WHERE id = $1 AND previous_until IS NOT NULL', id),
    };
  },
  '/v1/events/:id/redeliver': async (s, app) => {
    await cancelled(s, app, await s.createGuest(app));
    const [event] = await s.service.db.query<{ id: string }>('SELECT id FROM events WHERE app_id = $1', [app.id]);
    const { id } = await addHook(s, app.id, 'https://game.invalid/hook');
    return {
      what: `POST /v1/events/${event!.id}/redeliver`,
      token: await hooksKey(s, app),
      body: { endpoint: id },
      otherBody: {},
      effects: () => count(s, 'SELECT count(*) FROM deliveries WHERE endpoint_id = $1', id),
    };
  },
  '/v1/accounts/:address/transfer': async (s, app) => {
    await s.issue(app.id, 10);
    const guest = await s.createGuest(app);
    return {
      what: `POST /v1/accounts/${app.address}/transfer`,
      token: app.serverKey,
      body: { amount: 7, user: guest.userId },
      otherBody: { amount: 3, user: guest.userId },
      effects: () => count(s, 'SELECT count(*) FROM transfers WHERE to_address = $1', guest.address),
    };
  },
  '/v1/requests/:id/cancel': async (s, app) => {
    const { id } = await newPayment(s, app);
    return {
      what: `POST /v1/requests/${id}/cancel`,
      token: app.serverKey,
      body: {},
      otherBody: { other: 1 },
      effects: () =>
        count(
          s,
          `SELECT count(*) FROM requests, unnest(transitions) AS made WHERE made LIKE 'cancel %' AND id = $1`,
          id,
        ),
    };
  },
  '/v1/requests/:id/refunds': async (s, app) => {
    const payment = await fundedPayment(s, app);
    await payment.decide({ decision: 'approve' });
    await s.settled();
    return {
      what: `POST /v1/requests/${payment.id}/refunds`,
      token: app.serverKey,
      body: { amount: 3 },
      otherBody: { amount: 2 },
      effects: () => count(s, 'SELECT count(*) FROM requests WHERE refund_of = $1', payment.id),
    };
  },
  '/v1/accounts/:address/transfers': async (s, app) => {
    await s.issue(app.id, 10);
    const guest = await s.createGuest(app);
    return {
      what: `POST /v1/accounts/${app.address}/transfers`,
      token: app.serverKey,
      body: { transfers: [1, 2, 3].map((amount) => ({ amount, user: guest.userId })) },
      otherBody: { transfers: [{ amount: 1, user: guest.userId }] },
      effects: async () => (await count(s, 'SELECT count(*) FROM transfers WHERE to_address = $1', guest.address)) / 3,
    };
  },
};

function hooksKey({ service }: TestService, { id }: TestApp): Promise<string> {
  return issueKey(service, OPERATOR, id, { kind: 'server', scopes: ['webhooks'], payPerDay: null });
}

async function transfersOf(s: TestService, requestId: RequestId): Promise<number> {
  return count(s, 'SELECT count(*) FROM transfers WHERE request_id = $1', requestId);
}

async function count({ service }: TestService, query: string, value: string): Promise<number> {
  const [row] = await service.db.query<{ count: bigint }>(query, [value]);
  assert.ok(row);
  return Number(row.count);
}
