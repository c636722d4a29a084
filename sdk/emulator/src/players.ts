import { type AppOrId, idOf } from './apps.ts';
import type { Call } from './calls.ts';
import type { ApproveResult, CreatePlayerResult, DeclineResult, Inputs, WithdrawResult } from './controls.generated.ts';

/** Without an app it is a player of the one that `quarters test` has made. */
export type NewPlayer = Omit<Inputs['createPlayer'], 'app'> & { readonly app?: AppOrId };

/** An input of a player's act, without what the act names itself. */
type Details<Name extends keyof Inputs> = Omit<Inputs[Name], 'player' | 'request'>;

/** What players do on the pages of the service. */
export type PlayerActs = {
  readonly id: string;
  /** Pays what the game asks for. */
  approve(requestId: string, choice?: Details<'approve'>): Promise<ApproveResult>;
  decline(requestId: string): Promise<DeclineResult>;
  /** Tells the operator. The request does not change. */
  reportsProblem(requestId: string, report?: Details<'reportProblem'>): Promise<void>;
  /** A guest becomes a full user with the same account. The guest's tokens end: the player that this resolves to has new ones. */
  signUp(details?: Details<'signUp'>): Promise<Player>;
  closesAccount(): Promise<void>;
  /** Sends quarters to an address outside. */
  withdraws(withdrawal: Details<'withdraw'>): Promise<WithdrawResult>;
};

/** A player with tokens. */
export type Player = CreatePlayerResult & PlayerActs;

export function playersOf(call: Call, ownApp: string | undefined) {
  return {
    /** Their quarters can be spent when this resolves. */
    create: async ({ app = ownApp, ...details }: NewPlayer = {}): Promise<Player> => {
      if (app === undefined)
        throw new TypeError('Give the app whose player it is, or run the tests by `quarters test -- <command>`');
      return playerOf(call, await call('createPlayer', { ...details, app: idOf(app) }));
    },
    /** A player whom the game has created. */
    of: (id: string): PlayerActs => actsOf(call, id),
  };
}

const playerOf = (call: Call, made: CreatePlayerResult): Player => ({ ...made, ...actsOf(call, made.id) });

function actsOf(call: Call, player: string): PlayerActs {
  return {
    id: player,
    approve: (request, choice = {}) => call('approve', { ...choice, player, request }),
    decline: (request) => call('decline', { player, request }),
    reportsProblem: (request, report = {}) => call('reportProblem', { ...report, player, request }),
    signUp: async (details = {}) => playerOf(call, await call('signUp', { ...details, player })),
    closesAccount: () => call('closeAccount', { player }),
    withdraws: (withdrawal) => call('withdraw', { ...withdrawal, player }),
  };
}
