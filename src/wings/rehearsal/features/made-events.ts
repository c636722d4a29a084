import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AppId, EndpointId, RequestId, UserId } from '../../../base/ids.ts';
import { asQuarters } from '../../../base/quarters.ts';
import { hashSecret, newSecret } from '../../../base/secrets.ts';
import { approveOrDecline } from '../../../features/approvals/approve-or-decline.ts';
import { openApproval } from '../../../features/approvals/open-approval.ts';
import { convertGuest } from '../../../features/guests/convert-guest.ts';
import { createGuest, type NewGuest } from '../../../features/guests/create-guest.ts';
import { mergeGuest } from '../../../features/guests/merge-guest.ts';
import { issueQuarters } from '../../../features/payments/issue-quarters.ts';
import { payUser } from '../../../features/payments/pay-user.ts';
import { cancelRequest } from '../../../features/requests/cancel-request.ts';
import { createRequest } from '../../../features/requests/create-request.ts';
import { type AppCaller, SCOPES } from '../../../identity/callers.ts';
import { ALL_KEY_SCOPES } from '../../../identity/key-scopes.ts';
import { lookUpUser } from '../../../identity/users.ts';
import { type Account, available, lookUpAccount, lookUpAccountOfApp, storedKeys } from '../../../ledger/accounts.ts';
import { waitForFollowing } from '../../../ledger/blocks.ts';
import { findSession } from '../../../oauth/sessions.ts';
import type { Service } from '../../../service/service.ts';
import { findTransfers, findTransfersOfRequests, type Transfer } from '../../../settlement/tables/transfers.ts';
import type { EventType } from '../../../webhooks/event-types.ts';
import { type AppEvent, eventBefore } from '../../../webhooks/events.ts';
import { listEndpoints } from '../../../webhooks/webhook-endpoints.ts';
import { cancelBeforePaid, giveEther, reorganizeAway } from './chain-faults.ts';
import { nextEvents } from './follow-events.ts';

const AMOUNT = asQuarters(60);
const WHAT = 'Rehearsal';
/** An embedded chain makes a block at once, and requests expire within a second. */
const COMES_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 50;

type Stage = { readonly service: Service; readonly app: AppCaller };
/** What the event is about: its `data.id`, or `data.userId` of events of guests. */
type Subject = RequestId | UserId;

/**
 * Makes what an event names, by the verbs of the pages and the API: a guest of the app is asked, pays, is paid or becomes a user. Returns
 * the event, once it has happened. In development mode only: it issues quarters, and makes the embedded chain reorganise or refuse.
 */
export async function makeEvent(
  service: Service,
  appId: AppId,
  type: EventType,
): Promise<{ readonly event: AppEvent; readonly endpoints: readonly EndpointId[] }> {
  if (!service.development) throw new Error('Only a service in development mode makes what its events name');
  const { db } = service;
  const app: AppCaller = { kind: 'app', appId, keyHash: Buffer.alloc(32), scopes: ALL_KEY_SCOPES, payPerDay: null };
  const cursor = (await eventBefore(db, appId, null)) ?? null;
  const subject = await MAKERS[type]({ service, app });
  const event = await until(`${type} of ${subject}`, async () => {
    const { events } = await nextEvents(db, appId, cursor, [type]);
    return events.find(({ data }) => isAbout(data, subject));
  });
  const endpoints = await listEndpoints(db, appId);
  const takes = endpoints.filter(({ disabledAt, types }) => !disabledAt && (types === null || types.includes(type)));
  return { event, endpoints: takes.map(({ id }) => id) };
}

function isAbout(data: object, subject: Subject): boolean {
  const { id, userId } = data as { id?: string; userId: string };
  return (id ?? userId) === subject;
}

const MAKERS: Readonly<Record<EventType, (stage: Stage) => Promise<Subject>>> = {
  'request.approved': approved,
  'request.completed': approved,
  async 'request.declined'(stage) {
    const guest = await newGuest(stage);
    const request = await ask(stage, guest);
    await decide(stage, guest, request, 'decline');
    return request;
  },
  'request.expired': async (stage) => ask(stage, await newGuest(stage), { expiresIn: 1 }),
  async 'request.cancelled'(stage) {
    const request = await ask(stage, await newGuest(stage));
    await cancelRequest(stage.service, stage.app, request, undefined);
    return request;
  },
  async 'request.reorged'(stage) {
    const request = await approved(stage);
    await reorganize(stage, () => findTransfersOfRequests(stage.service.db, [request]));
    return request;
  },
  async 'request.failed'(stage) {
    const guest = await guestWithQuarters(stage);
    const request = await ask(stage, guest);
    return fail(stage, guest, async () => {
      await decide(stage, guest, request, 'approve');
      return request;
    });
  },
  'transfer.completed': async (stage) => (await payOut(stage)).requestId,
  async 'transfer.reorged'(stage) {
    const { requestId, transferId } = await payOut(stage);
    await reorganize(stage, () => findTransfers(stage.service.db, [transferId]));
    return requestId;
  },
  async 'transfer.failed'(stage) {
    // Before following waits: the ledger may have to see new quarters.
    const from = await accountWithQuarters(stage);
    return fail(stage, from, async () => (await payOut(stage)).requestId);
  },
  'guest.converted': async (stage) => (await convert(stage)).userId,
  async 'guest.merged'(stage) {
    const { service, app } = stage;
    const { userId, session: cookie } = await convert(stage);
    const [into, session] = await Promise.all([
      lookUpUser(service.db, userId),
      findSession(service.db, cookie, service.settings.sessionIdleMinutes),
    ]);
    const guest = await newGuest(stage);
    const merge = { ...flowOf(guest), appId: app.appId, into: into!, session: session! };
    if ((await mergeGuest(service, merge)).kind === 'gone') throw new Error('The guest could not be merged');
    return guest.userId;
  },
};

const newGuest = ({ service, app }: Stage): Promise<NewGuest> => createGuest(service, app);

async function guestWithQuarters(stage: Stage): Promise<NewGuest> {
  const guest = await newGuest(stage);
  await fund(stage, guest.userId, () => lookUpAccount(stage.service.db, guest.address));
  return guest;
}

/** The app's account, which has enough for a payout. */
async function accountWithQuarters(stage: Stage): Promise<Account> {
  const { service, app } = stage;
  const find = () => lookUpAccountOfApp(service.db, app.appId);
  if (available((await find())!) < AMOUNT) await fund(stage, app.appId, find);
  return (await find())!;
}

/** Issues quarters, and waits until they can be spent. */
async function fund({ service }: Stage, recipient: string, find: () => Promise<Account | null>): Promise<void> {
  await issueQuarters(service, { recipient, amount: AMOUNT, reason: WHAT });
  await until(`quarters of ${recipient}`, async () => {
    const account = await find();
    return account && available(account) >= AMOUNT ? account : undefined;
  });
}

async function ask({ service, app }: Stage, { userId }: NewGuest, more: { expiresIn?: number } = {}) {
  const { appId } = app;
  const player = { kind: 'user', userId, appId, scopes: SCOPES } as const;
  const { id } = await createRequest(service, player, { tokens: Number(AMOUNT), appId, description: WHAT, ...more });
  return id;
}

/** As on the approval page. */
async function decide(
  { service }: Stage,
  { pageToken }: NewGuest,
  requestId: RequestId,
  decision: 'approve' | 'decline',
): Promise<void> {
  const { formToken } = await openApproval(service, requestId, pageToken);
  await approveOrDecline(service, { requestId, formToken, session: null, decision, nextTime: null });
}

async function approved(stage: Stage): Promise<RequestId> {
  const guest = await guestWithQuarters(stage);
  const request = await ask(stage, guest);
  await decide(stage, guest, request, 'approve');
  return request;
}

/** Pays a new guest from the app's account. */
async function payOut(stage: Stage) {
  const { service, app } = stage;
  const { address: from } = await accountWithQuarters(stage);
  const { userId: user } = await newGuest(stage);
  const paid = await payUser(service, app, { from, user, amount: Number(AMOUNT) });
  return { requestId: paid.requestId!, transferId: paid.transferId };
}

async function reorganize({ service }: Stage, find: () => Promise<readonly Transfer[]>): Promise<void> {
  const block = await until('the payment on the chain', async () => {
    const [transfer] = await find();
    return transfer?.status === 'completed' ? (transfer.decidedBlock ?? undefined) : undefined;
  });
  await reorganizeAway(service, block);
}

/**
 * Makes a payment that the chain cancels. Meanwhile following waits, so the ledger sees the cancellation alone. Whenever this is ended, ledger and
 * chain agree: the payment is paid or cancelled.
 */
async function fail(
  { service }: Stage,
  { address }: Pick<Account, 'address'>,
  pay: () => Promise<RequestId>,
): Promise<RequestId> {
  // It waits for the embedded chain, which answers at once.
  return service.db.transaction(async (tx) => {
    await waitForFollowing(tx);
    const since = await giveEther(service, address);
    const request = await pay();
    const transfers = await findTransfersOfRequests(service.db, [request]);
    const transfer = transfers.find(({ from }) => from === address)!;
    const key = (await storedKeys(tx, [address])).get(address)!;
    const isCancelled = () => cancelBeforePaid(service, transfer, key, since);
    await until('the cancellation on the chain', async () => (await isCancelled()) || undefined);
    return request;
  });
}

/** What a page gives that the guest's game has opened. */
const flowOf = ({ userId, accessToken }: NewGuest) => ({
  userId,
  tokenHash: hashSecret(accessToken),
  flowId: randomUUID(),
  redirectUri: null,
  codeChallenge: undefined,
});

/** A guest becomes a full user, with an address that no mail reaches. `session`: the value of its cookie. */
async function convert(stage: Stage): Promise<{ readonly userId: UserId; readonly session: string }> {
  const { service, app } = stage;
  const guest = await newGuest(stage);
  const converted = await convertGuest(service, {
    ...flowOf(guest),
    appId: app.appId,
    email: `${randomUUID()}@rehearsal.invalid`,
    displayName: WHAT,
    password: newSecret('access token'),
    signIn: { former: undefined },
    client: '127.0.0.1',
  });
  if (converted.kind !== 'converted') throw new Error(`The guest could not become a user (${converted.kind})`);
  return { userId: guest.userId, session: converted.session! };
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const began = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() - began > COMES_WITHIN_MS)
      throw new Error(`This did not happen within 30 seconds: ${what}. npx quarters health says why.`);
    await delay(LOOK_AGAIN_MS);
  }
}
