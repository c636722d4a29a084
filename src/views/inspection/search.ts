import { type Address, toChecksum } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { AppId, EventId, RequestId, RewardId, TransferId, UserId } from '../../base/ids.ts';
import { findAppsByName } from '../../identity/app-directory.ts';
import { type App, lookUpApp } from '../../identity/apps.ts';
import { findGuestsByName, findUsersByPart, type NamedUser } from '../../identity/user-directory.ts';
import { findUser, findUserByEmail, foldEmail } from '../../identity/users.ts';
import { findReward } from '../../ledger/rewards.ts';
import { findReport } from '../../requests/reports.ts';
import { lookUpRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';
import { findEvent } from '../../webhooks/events.ts';
import { requireNotArchived } from '../requests/not-here.ts';
import { senderOfTransaction } from '../transfers/read-transfers.ts';
import type { SearchTerm } from './search-term.ts';

/** The page that a hit leads to. */
export type HitTarget =
  | { readonly page: 'user'; readonly id: UserId }
  | { readonly page: 'app'; readonly id: AppId }
  | { readonly page: 'payment'; readonly id: RequestId }
  | { readonly page: 'transfer'; readonly id: TransferId }
  | { readonly page: 'transaction'; readonly id: Hash }
  | { readonly page: 'address'; readonly id: Address };

/** Something that was found. `what`: what it is, in words; `name`: what tells it from others. */
export type Hit = { readonly what: string; readonly name: string; readonly target: HitTarget };

export type SearchOutcome = {
  readonly hits: readonly Hit[];
  /** What was looked for, to complete "There is no …". */
  readonly lookedFor: string;
  /** More have this name than are listed. */
  readonly isPart: boolean;
};

type Deps = Pick<Service, 'db' | 'reads' | 'rpc' | 'security'>;

/** The most players, guests and apps that a name finds, each. */
const MOST_NAMED = 20;

/**
 * Finds what a text names. Every look-up goes by a key or an index, however large the database is. Looking for an e-mail address or a name is
 * recorded as a security event. Throws `chain-unavailable` for a hash that only the node could know, if it does not answer.
 */
export async function searchEverything(
  service: Deps,
  term: Exclude<SearchTerm, { kind: 'fault' }>,
): Promise<SearchOutcome> {
  const { reads } = service;
  switch (term.kind) {
    // Its page says what is known of it, and that may be nothing.
    case 'address': {
      const name = toChecksum(term.address);
      return outcome('address', [{ what: 'Address', name, target: { page: 'address', id: term.address } }]);
    }
    case 'hash': {
      const isKnown = (await senderOfTransaction(service, term.hash)) !== null;
      const hit = { what: 'Transaction', name: term.hash, target: { page: 'transaction', id: term.hash } } as const;
      return outcome('transaction with this hash that the service or its node knows', isKnown ? [hit] : []);
    }
    case 'uuid': {
      const hits = await findById(service, term.id);
      if (hits.length === 0) await requireNotArchived(reads, term.id);
      return outcome('payment, transfer, reward, report or webhook event with this id', hits);
    }
    case 'user': {
      const user = await findUser(reads, term.id);
      return outcome('user with this id', user ? [userHit(user)] : []);
    }
    case 'app': {
      const app = await lookUpApp(reads, term.id);
      return outcome('app with this id', app ? [appHit(app)] : []);
    }
    case 'email':
      return byEmail(service, term.email);
    case 'name':
      return byName(service, term.name);
  }
}

function outcome(lookedFor: string, hits: readonly Hit[], isPart = false): SearchOutcome {
  return { lookedFor, hits, isPart };
}

/** Whose address it is, or else whose has it as a part. */
async function byEmail({ reads, security }: Deps, email: string): Promise<SearchOutcome> {
  const user = await findUserByEmail(reads, email);
  const users = user ? [user] : await findUsersByPart(reads, foldEmail(email), MOST_NAMED + 1);
  security.note('personal-data-opened', { what: user ? `email ${user.id}` : 'email' });
  const hits = users.slice(0, MOST_NAMED).map(userHit);
  return outcome('player whose e-mail address is this, or has it as a part', hits, users.length > MOST_NAMED);
}

async function byName({ reads, security }: Deps, name: string): Promise<SearchOutcome> {
  const [apps, users, guests] = await Promise.all([
    findAppsByName(reads, name, MOST_NAMED + 1),
    findUsersByPart(reads, name, MOST_NAMED + 1),
    findGuestsByName(reads, name, MOST_NAMED + 1),
  ]);
  security.note('personal-data-opened', { what: 'name' });
  const listed = [apps.map(appHit), users.map(userHit), guests.map(userHit)];
  return outcome(
    'player, guest or app with this in the name or the e-mail address',
    listed.flatMap((hits) => hits.slice(0, MOST_NAMED)),
    listed.some((hits) => hits.length > MOST_NAMED),
  );
}

/** All kinds of UUID are looked up together: the one who searches need not know which kind it is. */
async function findById({ reads }: Deps, id: string): Promise<Hit[]> {
  const [request, [transfer], reward, report, event] = await Promise.all([
    lookUpRequest(reads, id as RequestId),
    findTransfers(reads, [id as TransferId]),
    findReward(reads, id as RewardId),
    findReport(reads, id),
    findEvent(reads, id as EventId),
  ]);
  const about = (what: string, requestId: RequestId | null, appId: AppId): Hit => ({
    what,
    name: requestId ?? appId,
    target: requestId ? { page: 'payment', id: requestId } : { page: 'app', id: appId },
  });
  return [
    ...(request ? [about('Payment', request.id, request.appId)] : []),
    ...(transfer
      ? [{ what: 'Transfer', name: transfer.id, target: { page: 'transfer', id: transfer.id } } as const]
      : []),
    ...(reward
      ? [{ what: 'Reward of the user', name: reward.userId, target: { page: 'user', id: reward.userId } } as const]
      : []),
    ...(report ? [about('Report about', report.requestId, report.appId)] : []),
    ...(event ? [about(`Webhook event ${event.type} about`, event.requestId, event.appId)] : []),
  ];
}

function userHit({ id, kind, displayName }: Pick<NamedUser, 'id' | 'kind' | 'displayName'>): Hit {
  return { what: kind === 'guest' ? 'Guest' : 'Player', name: displayName, target: { page: 'user', id } };
}

function appHit({ id, name }: Pick<App, 'id' | 'name'>): Hit {
  return { what: 'App', name, target: { page: 'app', id } };
}
