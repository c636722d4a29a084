import { isDay } from '../../../base/dates.ts';
import { type UserId, userIdFrom } from '../../../base/ids.ts';
import type { Quarters } from '../../../base/quarters.ts';
import { type App, findApps } from '../../../identity/apps.ts';
import { readSeenPage, type SeenPlayer, seenDaysOf } from '../../../identity/seen-players.ts';
import { findNamedUsers, type NamedUser, readUserPage } from '../../../identity/user-directory.ts';
import { available, findAccounts } from '../../../ledger/accounts.ts';
import { readLargestHolders } from '../../../ledger/largest-holders.ts';
import { oncePerService } from '../../../service/once-per-service.ts';
import type { Service } from '../../../service/service.ts';

/** The orders of the list. `largest`: by the balance on the confirmed chain. `seen`: by the day on which they were here last. */
export const PLAYER_ORDERS = ['newest', 'largest', 'seen'] as const;

export type PlayerOrder = (typeof PLAYER_ORDERS)[number];

export type ListedPlayer = {
  readonly user: NamedUser;
  /** The app whose guest they are or were. */
  readonly guestOf: App | null;
  /** Null if there is no account yet. */
  readonly canSpend: Quarters | null;
  /** The day (UTC) on which they were here last; null if it is not known. */
  readonly seenOn: string | null;
};

export type PlayerPage = {
  readonly players: readonly ListedPlayer[];
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
  /** When the order was found; null: just now. */
  readonly orderedAt: Date | null;
};

const PER_PAGE = 50;
/** How many of the largest there are in the list, and for how long it stays: finding them reads all accounts. */
export const MOST_LARGEST = 1_000;
const LARGEST_LAST_MS = 60_000;

type Place = { readonly id: UserId; readonly cursor: string };
type Places = { readonly places: readonly Place[]; readonly orderedAt: Date | null };

/**
 * Open players for an operator. `after`: the `next` of the page before, unchecked. A page may be short: who has closed their account is left
 * out. Recorded as a security event.
 */
export async function listPlayers(service: Service, order: PlayerOrder, after: string): Promise<PlayerPage> {
  const { reads, security } = service;
  security.note('personal-data-opened', { what: `players by ${order}` });
  const { places, orderedAt } = await placesIn(service, order, after);
  const page = places.slice(0, PER_PAGE);
  const ids = page.map(({ id }) => id);
  const [users, accounts, days] = await Promise.all([
    findNamedUsers(reads, ids),
    findAccounts(reads, { users: ids }),
    seenDaysOf(reads, ids),
  ]);
  const apps = await findApps(reads, [...new Set([...users.values()].flatMap(({ guestOf }) => guestOf ?? []))]);
  const accountOf = new Map(accounts.map((account) => [account.userId, account]));
  const players = ids.flatMap((id) => {
    const user = users.get(id);
    const account = accountOf.get(id);
    if (!user) return [];
    const guestOf = user.guestOf ? (apps.get(user.guestOf) ?? null) : null;
    return [{ user, guestOf, canSpend: account ? available(account) : null, seenOn: days.get(id) ?? null }];
  });
  return { players, orderedAt, next: places.length > PER_PAGE ? page.at(-1)!.cursor : null };
}

async function placesIn(service: Service, order: PlayerOrder, after: string): Promise<Places> {
  const { reads } = service;
  if (order === 'newest') {
    const users = await readUserPage(reads, userIdFrom(after), PER_PAGE + 1);
    return { places: users.map(({ id }) => ({ id, cursor: id })), orderedAt: null };
  }
  if (order === 'seen') {
    const seen = await readSeenPage(reads, seenIn(after), PER_PAGE + 1);
    return { places: seen.map(({ userId: id, day }) => ({ id, cursor: `${day}_${id}` })), orderedAt: null };
  }
  const { ids, at } = await largestOf(service)();
  const from = ids.indexOf(userIdFrom(after) ?? ('' as UserId)) + 1;
  return { places: ids.slice(from, from + PER_PAGE + 1).map((id) => ({ id, cursor: id })), orderedAt: at };
}

function seenIn(cursor: string): SeenPlayer | null {
  const [, day, id = ''] = /^(\d{4}-\d\d-\d\d)_(\w+)$/.exec(cursor) ?? [];
  const userId = userIdFrom(id);
  return day && userId && isDay(day) ? { day, userId } : null;
}

type Largest = { readonly ids: readonly UserId[]; readonly at: Date };

/** Looks as they open a page, and page by page: all read the same list, and one of them has it made. */
const largestOf = oncePerService(({ reads }) => {
  let made: Promise<Largest> | null = null;
  let until = 0;
  return (): Promise<Largest> => {
    if (made && performance.now() < until) return made;
    until = performance.now() + LARGEST_LAST_MS;
    made = readLargestHolders(reads, MOST_LARGEST).then((ids) => ({ ids, at: new Date() }));
    made.catch(() => {
      made = null;
    });
    return made;
  };
});
