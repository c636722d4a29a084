import type { InjectOptions } from 'fastify';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { ALL_KEY_SCOPES } from '../../src/identity/key-scopes.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { newPayment } from '../kit/service/payment.ts';
import type { TestApp, TestService } from '../kit/service/service.ts';
import { keyWith } from '../kit/unit/callers.ts';
import type { Answer } from '../kit/unit/description.ts';
import { revokeSecret } from '../rows/apps.ts';
import type { Planned } from './arbitraries.ts';

type Game = TestApp & {
  readonly key: string;
  readonly guests: NewGuest[];
  /** By player. */
  readonly requests: Map<string, string[]>;
  /** Ids from lists and responses, the newest last. */
  readonly known: Record<KnownIds, string[]>;
};

const LISTS = { listTransfers: 'transfers', listEvents: 'events', listWebhookEndpoints: 'endpoints' } as const;
type KnownIds = (typeof LISTS)[keyof typeof LISTS];

/** Two games with players, and values from earlier responses, which replace the marks of planned calls. */
export type Stage = {
  call(planned: Planned): InjectOptions;
  learn(planned: Planned, answer: Answer): void;
};

export async function openStage(s: TestService): Promise<Stage> {
  const games = [await openGame(s, true), await openGame(s, false)];
  const [first, second] = games as [Game, Game];
  const few = await issueKey(s.service, OPERATOR, second.id, { kind: 'server', scopes: ['guests'], payPerDay: null });

  /** The caller: mostly of the first game, where everything is enabled. */
  const cast = (who: number) => {
    const game = who % 5 === 0 ? second : first;
    const guest = game.guests[who % game.guests.length]!;
    return { game, guest, requests: game.requests.get(guest.userId) ?? [] };
  };
  const value = (name: string, n: number, who: number): string => {
    // One time in five, a foreign one.
    const { game, guest, requests } = cast(n % 5 === 4 ? who + n : who);
    switch (name) {
      case 'appId':
        return game.id;
      case 'appAddress':
        return game.address;
      case 'userId':
        return guest.userId;
      case 'userAddress':
        return guest.address;
      case 'requestId':
        return requests.at(-1 - (n % 3)) ?? '00000000-0000-7000-8000-000000000000';
      case 'transferId':
        return game.known.transfers.at(-1 - (n % 3)) ?? '00000000-0000-7000-8000-000000000000';
      case 'eventId':
        return game.known.events.at(-1 - (n % 3)) ?? '00000000-0000-7000-8000-000000000000';
      case 'endpointId':
        return game.known.endpoints.at(-1 - (n % 3)) ?? '00000000-0000-7000-8000-000000000000';
      case 'accessToken':
        return guest.accessToken;
      case 'pageToken':
        return guest.pageToken;
      default:
        return 'x'.repeat(20);
    }
  };
  const credential = ({ credential, who, operationId }: Planned): string | undefined => {
    const { game, guest } = cast(who);
    const other = cast(who + 1);
    const forApps = APP_CALLS.test(operationId) || (CALLS_OF_BOTH.test(operationId) && who % 2 === 1);
    switch (credential) {
      case 'right':
        return `Bearer ${forApps ? game.key : guest.accessToken}`;
      case 'other user':
        return `bearer ${other.guest.accessToken}`;
      case 'other app':
        return `Bearer ${(game === first ? second : first).key}`;
      case 'other kind':
        return `Bearer ${forApps ? guest.accessToken : game.key}`;
      case 'few scopes':
        return `Bearer ${few}`;
      case 'revoked':
        return `Bearer ${second.serverKey}`;
      case 'unknown':
        return `Bearer qk_${'a'.repeat(43)}`;
      case 'garbage':
        return ['Bearer', 'Bearer ', 'Basic YTpi', 'Bearer \u00fc', `Bearer ${guest.pageToken}`, 'Bearer a b'][who % 6];
      case 'none':
        return undefined;
    }
  };

  return {
    call(planned) {
      const fill = (text: string) =>
        text.replaceAll(/\{\{(\w+):(\d+)\}\}/g, (_, name: string, n: string) => value(name, Number(n), planned.who));
      const authorization = credential(planned);
      return {
        method: planned.method as 'GET',
        url: fill(planned.path) + (planned.query && `?${fill(planned.query)}`),
        headers: {
          ...(authorization !== undefined && { authorization }),
          ...(planned.body !== undefined && { 'content-type': 'application/json' }),
          ...planned.headers,
        },
        ...(planned.body !== undefined && { payload: fill(planned.body) }),
      };
    },
    learn({ operationId, who }, { status, headers, body }) {
      const list = LISTS[operationId as keyof typeof LISTS];
      if (list && status === 200 && body !== '') {
        // A path with something added may have reached another route.
        const { data } = JSON.parse(body) as { data?: { id: string }[] };
        if (data?.length) cast(who).game.known[list] = data.map(({ id }) => id).reverse();
      }
      if (operationId === 'createRequest' && status === 201) {
        const { id, userId, appId } = JSON.parse(body) as { id: string; userId: string; appId: string };
        const { requests } = games.find((game) => game.id === appId)!;
        requests.set(userId, [...(requests.get(userId) ?? []), id].slice(-10));
      }
      // Only the newest twenty tokens of a guest are valid.
      if (operationId === 'createGuestTokens' && status === 200 && !headers['idempotent-replayed']) {
        const [tokens] = JSON.parse(body) as [{ user_id: string; access_token: string; firebase_token: string }];
        for (const { guests } of games) {
          const at = guests.findIndex(({ userId }) => userId === tokens.user_id);
          if (at >= 0) {
            guests[at] = { ...guests[at]!, accessToken: tokens.access_token, pageToken: tokens.firebase_token };
          }
        }
      }
    },
  };
}

/** Operations only for server API keys. */
const APP_CALLS =
  /^(transfer|transferToMany|createGuest|createGuestTokens|cancelRequest|refundRequest|redeliverEvent|listEvents|.*Webhook.*)$/;

/** Operations for a player's token and for a server API key. */
const CALLS_OF_BOTH = /^(createRequest|autoApproveRequest)$/;

async function openGame(s: TestService, autoApprove: boolean): Promise<Game> {
  const app = await s.createApp({ autoApprove, redirectUris: ['https://game.example/'] });
  // `app.serverKey` is the revoked one.
  await revokeSecret(s.service.db, app.id, app.serverKey);
  const key = await issueKey(s.service, OPERATOR, app.id, keyWith(ALL_KEY_SCOPES));
  await s.issue(app.id, 1_000_000);
  const guests: NewGuest[] = [];
  for (let n = 0; n < 3; n++) {
    const guest = await s.createGuest(app);
    await s.issue(guest.userId, 100_000);
    await (await newPayment(s, app, { guest })).decide({ decision: 'approve', ...(autoApprove && { mandate: 'on' }) });
    guests.push(guest);
  }
  return { ...app, key, guests, requests: new Map(), known: { transfers: [], events: [], endpoints: [] } };
}
