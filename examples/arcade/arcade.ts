import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { codeChallenge, QuartersError, type QuartersPlayer, type SignIn, type Tokens } from '../../sdk/src/index.ts';
import type { Player } from './players.ts';
import { replay, TICKS_PER_SECOND, winnings } from './public/rules.js';
import type { Quarters } from './quarters.ts';

export const SHIELD_PRICE = 25;
const WELCOME = 50;
const MOST_WON_A_DAY = 500;
const MOST_ASKED = 5;
const MOST_GIVEN = 50;
/** Nothing more comes of such a payment. */
const OVER = ['failed', 'declined', 'expired', 'cancelled'];
/** Approved and irrevocable; `completed` follows with the next block. */
const PAID = ['approved', 'submitted', 'completed'];

const RESULTS: Readonly<Record<string, string>> = {
  pending: 'This payment is not decided yet',
  declined: 'Declined: nothing was paid',
  expired: 'This payment expired: nothing was paid',
  cancelled: 'The game cancelled this payment',
  failed: 'This payment didn’t go through',
};

/** A refusal whose message the player should read. */
export class NotNow extends Error {}

/** The player's tokens no longer work: perhaps the player withdrew the game's access on the account page. */
export class SignedOut extends Error {}

const newPlayer = (kind: Player['kind'], name: string | null) =>
  ({
    kind,
    name,
    shields: 0,
    best: 0,
    round: null,
    asked: [],
    won: { day: '', quarters: 0 },
  }) satisfies Partial<Player>;

/** What the game lets a player do. `now`: the clock, in milliseconds. */
export function arcade({ server, oauth, player: clientOf }: Quarters, now: () => number) {
  /** Acts on the player's behalf, and stores new tokens if they were refreshed. */
  async function as<T>(player: Player, act: (client: QuartersPlayer) => Promise<T>): Promise<T> {
    const keep = ({ accessToken, refreshToken }: Tokens) => Object.assign(player, { accessToken, refreshToken });
    try {
      return await act(clientOf(player, keep));
    } catch (error) {
      // 401 is the API's answer to a dead access token, `invalid_grant` that of OAuth to a dead refresh token.
      const over = error instanceof QuartersError && (error.status === 401 || error.code === 'invalid_grant');
      throw over ? new SignedOut() : error;
    }
  }

  async function isPaid({ userId, guestId }: Player, id: string): Promise<boolean> {
    const request = await server.request(id);
    const isTheirs = request.userId === userId || request.userId === guestId;
    return PAID.includes(request.status) && request.tokens === SHIELD_PRICE && isTheirs;
  }

  /** Awaits nothing: of several calls that have read the same payment, only one gets its shield. */
  function give(player: Player, id: string) {
    if (player.given?.includes(id)) return { shields: player.shields };
    if (!player.asked.includes(id)) throw new NotNow('We can’t find this payment.');
    player.asked = player.asked.filter((asked) => asked !== id);
    player.given = [...(player.given ?? []), id].slice(-MOST_GIVEN);
    player.shields += 1;
    return { shields: player.shields };
  }

  /** A payment that seemed safe has failed after all. Whoever has used the shield owes one. */
  function takeBack(player: Player, id: string): void {
    if (!player.given?.includes(id)) return;
    player.given = player.given.filter((given) => given !== id);
    player.shields -= 1;
  }

  return {
    async newPlayer(): Promise<Player> {
      const guest = await server.createGuest();
      const { user_id: userId, address, access_token: accessToken, firebase_token: pageToken } = guest;
      await server.pay({ user: userId, amount: WELCOME }, { idempotencyKey: `welcome-${userId}` });
      return { userId, address, accessToken, pageToken, ...newPlayer('guest', null) };
    },

    /** Where a player with an account is sent to sign in, and what to keep until they return to `redirectUri`. */
    signIn: (redirectUri: string) => oauth(redirectUri).signIn(),

    async comeBack(query: URLSearchParams, kept: SignIn, redirectUri: string): Promise<Player> {
      const { accessToken, refreshToken } = await oauth(redirectUri).comeBack(query, kept);
      const client = clientOf({ accessToken }, () => {});
      const [{ id: userId, displayName }, { address }] = await Promise.all([client.me(), client.account()]);
      return { userId, address, accessToken, refreshToken, ...newPlayer('user', displayName) };
    },

    async show(player: Player) {
      const { kind, shields, best, address } = player;
      if (kind === 'user') player.name ??= (await as(player, (client) => client.me())).displayName;
      const balance = await as(player, (client) => client.balance(address));
      return { kind, name: player.name, shields, best, quarters: Number(balance.quarters) };
    },

    /** A round uses up a bought shield, whether it was needed or not. */
    startRound(player: Player) {
      const shield = player.shields > 0;
      if (shield) player.shields -= 1;
      player.round = { id: randomUUID(), seed: randomInt(2 ** 32), shield, startedAt: now() };
      const { id, seed } = player.round;
      return { id, seed, shield };
    },

    /**
     * Ends a round and pays what it won. No score is trusted: the round is replayed from the player's taps, and cannot have
     * lasted longer than the time since it started.
     */
    async endRound(player: Player, id: string, taps: readonly number[]) {
      const { round } = player;
      if (round?.id !== id) throw new NotNow('This round is already over.');
      // Before the first await, so that a round pays once.
      player.round = null;
      const { score, ticks } = replay(round.seed, round.shield, taps);
      if (ticks / TICKS_PER_SECOND > (now() - round.startedAt) / 1000 + 1)
        throw new NotNow('This score came too fast to be real.');
      player.best = Math.max(player.best, score);
      const today = new Date(now()).toISOString().slice(0, 10);
      if (player.won.day !== today) player.won = { day: today, quarters: 0 };
      const won = Math.min(winnings(score), MOST_WON_A_DAY - player.won.quarters);
      player.won.quarters += won;
      if (won > 0) await server.pay({ user: player.userId, amount: won }, { idempotencyKey: `round-${id}` });
      return { score, won, best: player.best };
    },

    /** Asks for the price of a shield: paid at once within the player's spending limit, otherwise on the approval page. */
    async buyShield(player: Player) {
      // A payment whose answer was lost is checked first, so that nobody pays twice for one shield.
      for (const id of player.asked) if (await isPaid(player, id)) return give(player, id);
      const asked = { tokens: SHIELD_PRICE, description: 'A shield for your next round' };
      const request = await as(player, (client) => client.ask(asked));
      const { id } = request;
      player.asked = [...player.asked, id].slice(-MOST_ASKED);
      try {
        await as(player, (client) => client.autoApprove(request, player.address));
      } catch (error) {
        // Not enabled, no limit set, over the limit, too few quarters: the page explains it better.
        if (!(error instanceof QuartersError) || error.status >= 500) throw error;
        return { requestId: id, pageToken: player.pageToken };
      }
      return this.giveShield(player, id);
    },

    /** Gives one shield for a payment, after reading it with the server key: a browser cannot be trusted. */
    async giveShield(player: Player, id: string) {
      // An event may have been quicker than the player.
      if (player.given?.includes(id)) return give(player, id);
      if (!player.asked.includes(id)) throw new NotNow('We can’t find this payment.');
      if (!(await isPaid(player, id))) throw new NotNow('Nothing was paid.');
      return give(player, id);
    },

    /**
     * An event says that something may have changed, and the payment is read again: events come twice, late and in any order. `player`: who
     * was asked for it.
     */
    async takeNews(player: Player, id: string): Promise<void> {
      const { status } = await server.request(id);
      if (OVER.includes(status)) {
        player.asked = player.asked.filter((asked) => asked !== id);
        takeBack(player, id);
      } else if (player.asked.includes(id) && (await isPaid(player, id)) && player.asked.includes(id)) give(player, id);
    },

    /**
     * What became of a payment that this game did not ask for here: somebody who tries the API with the game's keys, for example. The
     * address that brought the player could say anything, so it is read with the server key.
     */
    async resultOf(id: string): Promise<string> {
      try {
        const { status, tokens } = await server.request(id);
        if (PAID.includes(status)) return `${tokens} ${tokens === 1 ? 'quarter' : 'quarters'} paid`;
        return RESULTS[status] ?? status;
      } catch (error) {
        if (!(error instanceof QuartersError)) throw error;
        const isUnknown = error.status === 404 || error.status === 400;
        return isUnknown ? 'We can’t find this payment' : 'We can’t check this payment right now';
      }
    },

    /** What the sign-up page gets. The token opens only the guest's own account. */
    async startSignUp(player: Player) {
      if (player.kind !== 'guest') throw new NotNow('You already have an account.');
      player.codeVerifier ??= randomBytes(32).toString('base64url');
      return { token: player.accessToken, codeChallenge: await codeChallenge(player.codeVerifier) };
    },

    /**
     * Redeems the code of a sign-up, which the verifier ties to this player. Guests keep their id, unless they moved to an account that
     * they had before: then it is that account's.
     */
    async becomeUser(player: Player, code: string): Promise<void> {
      const { codeVerifier, userId: guestId } = player;
      if (!codeVerifier) throw new NotNow('You didn’t sign up here.');
      const { accessToken, refreshToken } = await oauth().redeem(code, { codeVerifier });
      const client = clientOf({ accessToken }, () => {});
      const [{ id: userId, displayName: name }, { address }] = await Promise.all([client.me(), client.account()]);
      delete player.pageToken;
      delete player.codeVerifier;
      Object.assign(player, { accessToken, refreshToken, kind: 'user', name, userId, address, guestId });
    },
  };
}

export type Arcade = ReturnType<typeof arcade>;
