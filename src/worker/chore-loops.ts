import { forgetOldKeys } from '../idempotency/keys.ts';
import { forgetOldCodes } from '../identity/email-codes.ts';
import { forgetOldBudgets } from '../identity/guess-budgets.ts';
import { forgetOldGuesses } from '../identity/guesses.ts';
import { forgetOldChallenges } from '../identity/passkey-challenges.ts';
import { pruneBlocksBelow, readCursor } from '../ledger/blocks.ts';
import { markUnswept } from '../ledger/closed-accounts.ts';
import { forgetOrphanedDeposits } from '../ledger/orphaned-deposits.ts';
import { forgetOldRecords } from '../oauth/records.ts';
import { forgetOldReports } from '../requests/reports.ts';
import type { Service } from '../usecases/service.ts';
import { expireRequests } from '../usecases/system/expire-requests.ts';
import { forgetOldEvents } from '../webhooks/events.ts';
import { type Loop, repeat } from './repeat.ts';

const PAUSE_MS = 5_000;
/** What is forgotten has been of no use for a while, and is of no harm for another minute. */
const FORGETTING_PAUSE_MS = 60_000;
/** What only mends the traces of an earlier version looks at everything. */
const THOROUGH_PAUSE_MS = 3_600_000;
const EXPIRE_MOST = 1_000;
const FORGET_MOST = 10_000;
/** Blocks kept behind the newest, to find the way back after a reorganisation; further back the ledger is read anew. */
const BLOCKS_KEPT = 10_000n;

type Chore = (service: Service) => Promise<boolean>;

/** Each does a bounded piece, and is true where there is more. By name, for the log. */
const CHORES: Readonly<Record<string, Chore>> = {
  'expire requests': async (service) => (await expireRequests(service, EXPIRE_MOST)) === EXPIRE_MOST,
  'forget idempotency keys': forgetting(forgetOldKeys),
  'forget codes': forgetting(forgetOldCodes),
  'forget guess budgets': forgetting(forgetOldBudgets),
  'forget guesses': forgetting(forgetOldGuesses),
  'forget challenges': forgetting(forgetOldChallenges),
  'forget reports': forgetting(forgetOldReports),
  'forget events': forgetting(forgetOldEvents),
  'forget OAuth records': forgetting(forgetOldRecords),
  'forget orphaned deposits': forgetting(forgetOrphanedDeposits),
  'forget blocks': async ({ db, settings }) => {
    const cursor = await readCursor(db);
    if (cursor) await pruneBlocksBelow(db, cursor.number - BLOCKS_KEPT - BigInt(settings.finalAfter));
    return false;
  },
  'look through closed accounts': async ({ db }) => (await markUnswept(db, FORGET_MOST)) === FORGET_MOST,
  // A slow, thorough look for transfers without a transaction; what is suspected is looked at sooner.
  'suspect stranded transfers': async ({ settlement }) => {
    settlement.strandedSuspected = true;
    return false;
  },
};

/**
 * What has to be done now and then. A loop each: one that fails, or has much to do, keeps no other from its turn. They begin
 * one after the other: all at once would take most of the database's connections.
 */
export function choreLoops(service: Service, firstAfterMs: number): Loop[] {
  const chores = Object.entries(CHORES);
  return chores.map(([name, chore], i) =>
    repeat(name, service.log, pauseOf(name), () => chore(service), firstAfterMs + (i * PAUSE_MS) / chores.length),
  );
}

function pauseOf(name: string): number {
  if (name.startsWith('look through')) return THOROUGH_PAUSE_MS;
  return name.startsWith('forget') ? FORGETTING_PAUSE_MS : PAUSE_MS;
}

/** Rows that somebody else holds are left for the next turn, so two processes never wait for each other. */
function forgetting(forget: (db: Service['db'], most: number) => Promise<number>): Chore {
  return async ({ db }) => (await forget(db, FORGET_MOST)) === FORGET_MOST;
}
