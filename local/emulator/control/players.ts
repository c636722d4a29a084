import { MAX_REPORT_CHARACTERS, REASONS } from '../../../src/requests/reports.ts';
import { approve, type Choice, closeAccountOf, decline, type Report, report } from '../player-acts.ts';
import { createPlayer, type NewPlayer, signUpGuest } from '../players.ts';
import { type Withdrawal, withdrawTo } from '../withdrawals.ts';
import { QUARTERS } from './apps.ts';
import { type Control, object } from './control.ts';

const TEXT = { type: 'string' };
const MAYBE = { type: ['string', 'null'] };
const LIMIT = { ...QUARTERS, minimum: 1, description: 'Quarters a day that the app may take without asking' };

const PLAYER = object(
  {
    id: TEXT,
    kind: { enum: ['guest', 'full'] },
    address: TEXT,
    accessToken: TEXT,
    refreshToken: { ...MAYBE, description: "A full user's" },
    pageToken: { ...MAYBE, description: "A guest's firebase_token" },
    email: { ...MAYBE, description: 'With the password, what signs a full user in on the pages' },
    password: MAYBE,
  },
  ['id', 'kind', 'address', 'accessToken', 'refreshToken', 'pageToken', 'email', 'password'],
);

const DECIDED = object({ outcome: TEXT, requestId: TEXT, txId: TEXT }, ['outcome', 'requestId']);

type OfPlayer<Input = object> = Input & { readonly player: string };

const act = (operationId: string, name: string, says: string) =>
  ({ operationId, method: 'POST', path: `/players/{player}/${name}`, says }) as const;

const DECISIONS: readonly Control[] = [
  {
    ...act('approve', 'approve', 'The player approves a request on its page, with a sign-in of a moment ago.'),
    input: object({ request: TEXT, askEveryTime: { type: 'boolean' }, limit: LIMIT }, ['request']),
    result: DECIDED,
    run: ({ world }, { player, ...choice }: OfPlayer<Choice>) => approve(world, player, choice),
  },
  {
    ...act('decline', 'decline', 'The player declines a request on its page.'),
    input: object({ request: TEXT }, ['request']),
    result: DECIDED,
    run: ({ world }, { player, ...choice }: OfPlayer<Choice>) => decline(world, player, choice),
  },
  {
    ...act('reportProblem', 'reports-problem', 'The player reports a request to the operator. It does not change.'),
    input: object(
      { request: TEXT, reason: { enum: REASONS }, text: { type: 'string', maxLength: MAX_REPORT_CHARACTERS } },
      ['request'],
    ),
    run: async ({ world }, { player, ...given }: OfPlayer<Report>) => {
      await report(world, player, given);
      return undefined;
    },
  },
];

export const PLAYER_CONTROLS: readonly Control[] = [
  {
    operationId: 'createPlayer',
    method: 'POST',
    path: '/players',
    says: 'Makes a guest of an app, or a full user who has agreed to all that it may do. Their quarters can be spent when this answers.',
    input: object(
      { app: TEXT, quarters: QUARTERS, guest: { type: 'boolean' }, email: TEXT, displayName: TEXT, approves: LIMIT },
      ['app'],
    ),
    result: PLAYER,
    run: ({ world }, given: NewPlayer) => createPlayer(world, given),
  },
  ...DECISIONS,
  {
    ...act(
      'signUp',
      'sign-up',
      'The guest becomes a full user, with the same account. Its tokens end, and these are new.',
    ),
    input: object({ email: TEXT, displayName: TEXT }),
    result: PLAYER,
    run: ({ world }, { player, ...given }: OfPlayer<Pick<NewPlayer, 'email' | 'displayName'>>) =>
      signUpGuest(world, player, given),
  },
  {
    ...act('closeAccount', 'closes-account', 'The full user closes the account for good.'),
    run: async ({ world }, { player }: OfPlayer) => {
      await closeAccountOf(world, player);
      return undefined;
    },
  },
  {
    ...act('withdraw', 'withdraws', 'The full user sends quarters to an address outside, which is confirmed already.'),
    input: object({ to: TEXT, amount: { ...QUARTERS, minimum: 1 } }, ['to', 'amount']),
    result: object({ transferId: TEXT, txId: TEXT }, ['transferId', 'txId']),
    run: async ({ world }, { player, ...withdrawal }: OfPlayer<Withdrawal>) => {
      const { transferId, txHash } = await withdrawTo(world, player, withdrawal);
      return { transferId, txId: txHash };
    },
  },
];
