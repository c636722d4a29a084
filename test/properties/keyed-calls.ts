import { type Address, asAddress, toChecksum } from '../../src/base/address.ts';
import type { RequestId, TransferId } from '../../src/base/ids.ts';
import { Problem, type ProblemCode } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { giveMoreTestQuarters, TEST_QUARTERS } from '../../src/features/apps/test-quarters.ts';
import { createGuest, giveGuestTokens } from '../../src/features/guests/create-guest.ts';
import { performAction } from '../../src/features/operator-actions/perform-action.ts';
import { namedIssueKey } from '../../src/features/payments/issue-quarters.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { payUsers } from '../../src/features/payments/pay-users.ts';
import { type Refunded, refundRequest } from '../../src/features/payments/refund-request.ts';
import { cancelRequest } from '../../src/features/requests/cancel-request.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { addressUse, addWithdrawalAddress } from '../../src/features/withdrawals/addresses.ts';
import { withdraw, withdrawalUse } from '../../src/features/withdrawals/withdraw.ts';
import { idempotencyKey } from '../../src/idempotency/keys.ts';
import type { Caller } from '../../src/identity/callers.ts';
import { findUser } from '../../src/identity/users.ts';
import type { Accepted } from '../../src/service/instruction.ts';
import { idOfKey, usesOf } from '../../src/service/keyed-ids.ts';
import { asDeveloper } from '../../src/service/managers.ts';
import type { Service } from '../../src/service/service.ts';
import { findTransfers } from '../../src/settlement/tables/transfers.ts';
import { refundAsMember } from '../../src/wings/developers-console/features/refund-as-member.ts';
import { beginBatch } from '../../src/wings/pay-files/features/begin-batch.ts';
import { planBatch } from '../../src/wings/pay-files/features/pay-batch.ts';
import { payRows, settledOutcome } from '../../src/wings/pay-files/features/pay-rows.ts';
import { readPaymentFile } from '../../src/wings/pay-files/features/payment-file.ts';
import { grantReward } from '../kit/service/operator-acts.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import type { Made, Model, ModelApp, ModelGuest } from '../kit/unit/model.ts';
import { readyAddresses } from '../rows/withdrawals.ts';
import {
  type KnownRequest,
  refusedAsking,
  refusedAuto,
  refusedCancel,
  refusedGrant,
  refusedPayout,
  refusedRefund,
} from './refusals.ts';
import type { Tables } from './tables.ts';

type Payout = { readonly guest: ModelGuest; readonly amount: number };
type Approval = { readonly request: KnownRequest; readonly byServer: boolean };
type Refund = { readonly request: KnownRequest; readonly amount: number };
type Issue = { readonly to: string; readonly quarters: number };
/** `to`: a user's or an app's id. */
type Row = { readonly to: string; readonly address: string; readonly amount: number };
type File = { readonly app: ModelApp | null; readonly rows: readonly Row[] };

type Answers = readonly (Made | null)[];

/** How a call with a key is made, and what its caller may rely on. */
type Call<Input extends object> = {
  /** What it stands for: operations, commands, actions that pay, and modules that make keys of forms and files. */
  readonly covers: readonly string[];
  /** Makes it. Throws its refusal. */
  send(service: Service, input: Input, key: string, model: Model): Promise<Answers>;
  /** The apps that have to exist for somebody to call. */
  apps(input: Input): readonly ModelApp[];
  /** Records the answer to one of its lines, which is a promise from then on. */
  promise(model: Model, input: Input, made: Made, place: number): void;
  /** The refusal of a call whose key is not known: undefined if the model does not foresee it. */
  refusal?(tables: Tables, input: Input, key: string): string | null | undefined;
};

const callOf = <Input extends object>(call: Call<Input>): Call<object> => call as unknown as Call<object>;

const paid = ({ transferId, requestId }: Accepted): Made => ({ transferId, requestId });
const refunded = ({ requestId, amount }: Refunded): Made => ({ requestId, amount: Number(amount) });
const keyFor = (app: ModelApp, route: string, key: string, body: object) =>
  idempotencyKey([app.id, route], key, JSON.stringify(body));

export function callerFor({ userId, app }: ModelGuest, byServer: boolean): Caller {
  return byServer ? { ...asApp(app.id), keyHash: app.keyHash } : asUser(userId, app.id);
}

function promisePayout(model: Model, { guest, amount }: Payout, { requestId }: Made): void {
  model.promise(`${requestId}`, { requestId: `${requestId}`, from: guest.app.address, to: guest.address, amount });
}

function promiseIssue(model: Model, { to, quarters: amount }: Issue, { transferId }: Made): void {
  model.promise(`${transferId}`, { requestId: null, from: model.treasury!, to, amount });
}

function promiseRefund(model: Model, { request: { guest } }: Refund, { requestId, amount }: Made): void {
  const promised = { requestId: `${requestId}`, from: guest.app.address, to: guest.address, amount: Number(amount) };
  model.promise(`${requestId}`, promised);
}

const SHELL = { kind: 'shell', osUser: 'deploy' } as const;

/** What an operator asks for on the command line, or by a form with this id. */
async function act(service: Service, id: string, key: string | null, input: Issue): Promise<Answers> {
  const settings = { ...service.settings, fourEyesAbove: undefined };
  const { to, quarters } = input;
  const { action } = await performAction({ ...service, settings }, SHELL, {
    ...{ id, kind: 'issue', params: { recipient: toChecksum(asAddress(to)), quarters }, reason: 'A test' },
    ...(key !== null && { key: { text: key, hours: 24 } }),
  });
  if (action.state === 'failed')
    throw new Problem(`${action.result?.code}` as ProblemCode, `${action.result?.message}`);
  return [{ transferId: action.transferId, requestId: null }];
}

/** Every call with a key, and every form that pays once. */
export const KEYED_CALLS = {
  pay: callOf<Payout>({
    covers: ['transfer'],
    apps: ({ guest }) => [guest.app],
    async send(service, { guest, amount }, key) {
      const idempotency = keyFor(guest.app, 'pay', key, { to: guest.userId, amount });
      const terms = { from: asAddress(guest.app.address), amount, user: guest.userId, idempotency };
      return [paid(await payUser(service, asApp(guest.app.id), terms))];
    },
    promise: promisePayout,
    refusal: (tables, { guest, amount }) => refusedPayout(tables, guest, amount),
  }),
  'pay an address': callOf<Payout>({
    covers: ['transfer'],
    apps: ({ guest }) => [guest.app],
    async send(service, { guest, amount }, key) {
      const address = asAddress(guest.address);
      const idempotency = keyFor(guest.app, 'pay', key, { to: address, amount });
      const terms = { from: asAddress(guest.app.address), amount, address, idempotency };
      return [paid(await payUser(service, asApp(guest.app.id), terms))];
    },
    promise: promisePayout,
    refusal(tables, { guest, amount }) {
      // The chain has not shown it, and nobody has named them.
      const isKnown = tables.accounts.some(({ user_id }) => user_id === guest.userId);
      return isKnown ? refusedPayout(tables, guest, amount) : 'not-found';
    },
  }),
  'pay many': callOf<{ readonly app: ModelApp; readonly lines: readonly Payout[] }>({
    covers: ['transferToMany'],
    apps: ({ app }) => [app],
    async send(service, { app, lines }, key) {
      const named = lines.map(({ guest, amount }) => ({ user: guest.userId, amount }));
      const idempotency = keyFor(app, 'bulk', key, named);
      const from = asAddress(app.address);
      const { outcomes } = await payUsers(service, asApp(app.id), { from, lines: named, idempotency });
      return outcomes.map((outcome) => {
        if (outcome.ok) return paid(outcome.result);
        if (outcome.error instanceof Problem) return null;
        throw outcome.error;
      });
    },
    promise(model, { app, lines }, made, place) {
      const { guest, amount } = lines[place]!;
      promisePayout(model, { guest: { ...guest, app }, amount }, made);
    },
  }),
  ask: callOf<Payout & { readonly byServer: boolean }>({
    covers: ['createRequest'],
    apps: ({ guest }) => [guest.app],
    async send(service, { guest, amount, byServer }, key) {
      const { app, userId } = guest;
      const idempotency = keyFor(app, `ask ${byServer}`, key, { userId, amount });
      const input = { tokens: amount, appId: app.id, userId, idempotency };
      return [{ requestId: (await createRequest(service, callerFor(guest, byServer), input)).id }];
    },
    promise(model, { guest, amount }, { requestId }) {
      const id = `${requestId}`;
      if (!model.requests.some((request) => request.id === id)) model.requests.push({ id, guest, amount });
    },
    refusal(tables, { guest, amount, byServer }) {
      // A guest who is not known has no access token any more. A server names them by their id, which proves whose they are.
      const isKnown = tables.accounts.some(({ user_id }) => user_id === guest.userId);
      return isKnown || byServer ? refusedAsking(tables, guest, amount, byServer) : undefined;
    },
  }),
  approve: callOf<Approval>({
    covers: ['autoApproveRequest'],
    apps: ({ request }) => [request.guest.app],
    async send(service, { request, byServer }, key) {
      const { id, guest } = request;
      const { app, userId } = guest;
      const idempotency = keyFor(app, `approve ${byServer}`, key, { id });
      return [
        paid(
          await autoApprove(service, callerFor(guest, byServer), {
            ...{ requestId: id as RequestId, clientId: app.id, userId, address: asAddress(guest.address), idempotency },
          }),
        ),
      ];
    },
    promise(model, { request: { id, guest, amount } }) {
      if (!model.requests.some((request) => request.id === id)) model.requests.push({ id, guest, amount });
      model.give(id, 'approved');
      // Where the chain had only one of its two parts, a restore made it again with that amount. A later one may know both.
      const known = model.promised.get(id);
      if (known && known.amount !== amount) return;
      model.promise(id, { requestId: id, from: guest.address, to: guest.app.address, amount });
    },
    refusal: (tables, { request, byServer }) => refusedAuto(tables, request, byServer),
  }),
  refund: callOf<Refund>({
    covers: ['refundRequest'],
    apps: ({ request }) => [request.guest.app],
    async send(service, { request, amount }, key) {
      const { app } = request.guest;
      const requestId = request.id as RequestId;
      const idempotency = keyFor(app, 'refund', key, { requestId, amount });
      const wanted = { requestId, ...(amount > 0 && { amount }), idempotency };
      return [refunded(await refundRequest(service, asApp(app.id), wanted))];
    },
    promise: promiseRefund,
    refusal: (tables, { request, amount }) => refusedRefund(tables, request, amount),
  }),
  'refund in the console': callOf<Refund>({
    covers: ['wings/developers-console/features/refund-as-member.ts'],
    apps: ({ request }) => [request.guest.app],
    async send(service, { request, amount: quarters }, formId, { developer }) {
      const requestId = request.id as RequestId;
      const form = { requestId, amount: asQuarters(quarters), formId };
      return [refunded(await refundAsMember(service, asDeveloper(developer!), request.guest.app.id, form))];
    },
    promise: promiseRefund,
  }),
  cancel: callOf<{ readonly request: KnownRequest }>({
    covers: ['cancelRequest'],
    apps: ({ request }) => [request.guest.app],
    async send(service, { request: { id, guest } }, key) {
      const idempotency = keyFor(guest.app, 'cancel', key, { id });
      await cancelRequest(service, asApp(guest.app.id), id as RequestId, idempotency);
      return [{ cancelled: id }];
    },
    promise: (model, { request: { id } }) => model.give(id, 'cancelled'),
    refusal: (tables, { request }) => refusedCancel(tables, request),
  }),
  guest: callOf<{ readonly app: ModelApp }>({
    covers: ['createGuest'],
    apps: ({ app }) => [app],
    async send(service, { app }, key, model) {
      const idempotency = keyFor(app, 'guest', key, {});
      const { userId, address, pageToken } = await createGuest(service, asApp(app.id), idempotency);
      keepToken(model, { userId, address, pageToken, app, full: false });
      return [{ userId, address }];
    },
    promise() {},
    refusal: (tables, { app }) =>
      tables.accounts.find(({ app_id }) => app_id === app.id)!.frozen_at ? 'app-suspended' : null,
  }),
  tokens: callOf<{ readonly guest: ModelGuest }>({
    covers: ['createGuestTokens'],
    apps: ({ guest }) => [guest.app],
    async send(service, { guest }, key, model) {
      const { app, userId } = guest;
      const idempotency = keyFor(app, 'tokens', key, { userId });
      const { address, pageToken } = await giveGuestTokens(service, asApp(app.id), userId, idempotency);
      keepToken(model, { ...guest, address, pageToken });
      return [{ userId, address }];
    },
    promise() {},
  }),
  issue: callOf<Issue>({
    covers: ['quarters issue --key', 'features/payments/issue-quarters.ts', 'action issue'],
    apps: () => [],
    send: (service, input, key) => act(service, crypto.randomUUID(), key, input),
    promise: promiseIssue,
  }),
  'issue by a form': callOf<Issue>({
    covers: ['features/operator-actions/action-transfer.ts', 'features/operator-actions/deeds/issue.ts'],
    apps: () => [],
    send: (service, input, key) => act(service, key, null, input),
    promise: promiseIssue,
  }),
  'test quarters': callOf<{ readonly app: ModelApp }>({
    covers: ['features/apps/test-quarters.ts'],
    apps: ({ app }) => [app],
    async send(service, { app }, formId, { developer }) {
      await giveMoreTestQuarters({ ...service, development: true }, asDeveloper(developer!), app.id, formId);
      // The page says no id.
      const issued = namedIssueKey(`more test quarters ${formId}`, asAddress(app.address), TEST_QUARTERS);
      const ids = usesOf(issued).map((used) => idOfKey(service, issued, used) as TransferId);
      const [transfer] = await findTransfers(service.db, ids);
      return [{ transferId: transfer!.id, requestId: null }];
    },
    promise(model, { app }, made) {
      promiseIssue(model, { to: app.address, quarters: Number(TEST_QUARTERS) }, made);
    },
  }),
  grant: callOf<Payout>({
    covers: ['quarters rewards grant --key'],
    apps: () => [],
    async send(service, { guest, amount }, key, model) {
      const reward = await grantReward(service, { user: guest.userId, amount: asQuarters(amount), key });
      model.grant(reward.id, { userId: guest.userId, amount, key });
      return [{ granted: key }];
    },
    promise() {},
    refusal: (tables, { guest, amount }, key) => refusedGrant(tables, guest, amount, key),
  }),
  file: callOf<File>({
    covers: ['quarters pay --batch', 'wings/pay-files/features/pay-rows.ts'],
    apps: ({ app }) => (app ? [app] : []),
    async send(service, { app, rows }, name) {
      const text = `recipient,quarters\n${rows.map(({ to, amount }) => `${to},${amount}`).join('\n')}\n`;
      const read = readPaymentFile(Buffer.from(text), service.chain.chainId);
      if (!('file' in read)) throw new Error(read.faults.map(({ fault }) => fault).join());
      const plan = await planBatch(service, read.file, { name, from: app?.id, payChanged: true });
      // A refusal that passes is tried again for half a minute. The next repetition does that here.
      const options = { signal: AbortSignal.timeout(2_000), report() {} };
      const { outcomes, stopped } =
        plan.left.rows === 0
          ? settledOutcome(plan)
          : await payRows(service, plan, await beginBatch(service, plan), options);
      if (stopped instanceof Problem && outcomes.every(({ transfer }) => transfer === null)) throw stopped;
      const ids = outcomes.flatMap(({ transfer }) => transfer?.transferId ?? []);
      const requests = new Map((await findTransfers(service.db, ids)).map(({ id, requestId }) => [id, requestId]));
      return outcomes.map(
        ({ transfer }) =>
          transfer && { transferId: transfer.transferId, requestId: requests.get(transfer.transferId) ?? null },
      );
    },
    promise(model, { app, rows }, { transferId, requestId }, place) {
      const { address: to, amount } = rows[place]!;
      const from = app?.address ?? model.treasury!;
      model.promise(`${requestId ?? transferId}`, { requestId: requestId as string | null, from, to, amount });
    },
  }),
  withdraw: callOf<Payout & { readonly to: Address }>({
    covers: ['features/withdrawals/withdraw.ts'],
    apps: () => [],
    async send(service, { guest, amount, to }, form) {
      const { session, passkey } = guest.person!;
      const user = (await findUser(service.db, guest.userId))!;
      const address = toChecksum(to);
      const adding = addWithdrawalAddress(service, user, session, {
        typed: address,
        answer: await passkey.answer(addressUse(session, address), service),
      });
      // It may be there already.
      await adding.catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
      await readyAddresses(service.db, guest.userId);
      const filled = { form, address, amount: `${amount}` };
      const answer = await passkey.answer(withdrawalUse(session, filled), service);
      const { transferId } = await withdraw(service, user, session, { ...filled, answer });
      return [{ transferId, requestId: null }];
    },
    promise(model, { guest, amount, to }, { transferId }) {
      model.promise(`${transferId}`, { requestId: null, from: guest.address, to, amount });
    },
  }),
} satisfies Record<string, Call<object>>;

export type CallKind = keyof typeof KEYED_CALLS;

/** Operations, commands and forms with a key that make nothing which a call after a restore could make twice, or make otherwise; and why. */
export const NOTHING_TO_LOSE: Readonly<Record<string, string>> = {
  redeliverEvent: 'It sends an event once more, which an app has to expect at any time.',
  addWebhookEndpoint: 'An endpoint is a setting: lost since the backup, it is added again, with another secret.',
  changeWebhookEndpoint: 'What a setting is changed to is said in full by the call.',
  rotateWebhookSecret: 'A secret that was lost is of no use. The next one is another.',
};

/** Keeps the newest token of a guest, who may be new. */
export function keepToken(model: Model, guest: ModelGuest): void {
  const at = model.guests.findIndex(({ userId }) => userId === guest.userId);
  model.guests.splice(at < 0 ? model.guests.length : at, 1, guest);
}

export const today = () => new Date().toISOString().slice(0, 10);
