import { inTime } from '../../../base/in-time.ts';
import type { Subject } from '../../../config/read-settings.ts';
import { openExamination } from './examination.ts';
import { examineParts } from './examine.ts';
import {
  allOf,
  areAddressesSafe,
  areEventsTaken,
  hasMailServer,
  hasMetrics,
  hasNoFault,
  hasOperators,
  hasOwnDatabase,
  hasOwnNode,
  hasSupport,
  haveKeysLimits,
  isDemoGone,
  isForPlayers,
  isKitKept,
  isMasterKeyGiven,
  isOnTwoDisks,
  type Launch,
  type LiveCheck,
  type LiveVerdict,
  partInOrder,
} from './live-checks.ts';

/** Who sees to an item: those who make a game, or those who run the service. */
export type LiveSide = 'game' | 'service';

/**
 * What has to be so before players come. docs/integrate/going-live.md prints the list, and `doctor --going-live` goes through it. `check`: null
 * for what only people know.
 */
type LiveItem = { readonly says: string; readonly docs: string; readonly check: LiveCheck | null };

const GAME: readonly LiveItem[] = [
  {
    says: 'The server API key is on your server alone: in no client, no repository and no log.',
    docs: 'docs/integrate/api.md#replacing-a-key',
    check: null,
  },
  { says: 'A key that pays has a daily limit.', docs: 'docs/integrate/api.md#scopes', check: haveKeysLimits },
  {
    says: 'Redirect addresses and sites are those of the game, with https.',
    docs: 'docs/integrate/sign-in.md#redirect-addresses',
    check: areAddressesSafe,
  },
  {
    says: 'Your server reads each payment before it gives anything, and gives once.',
    docs: 'docs/integrate/browser.md#the-one-rule',
    check: null,
  },
  {
    says: 'Each call that pays carries an `Idempotency-Key`, which your server has stored before.',
    docs: 'docs/integrate/api.md#idempotency-keys',
    check: null,
  },
  {
    says: 'Webhook endpoints take their deliveries.',
    docs: 'docs/integrate/webhooks.md#delivery',
    check: areEventsTaken,
  },
  {
    says: 'They verify each message, with a secret of production, which you can replace.',
    docs: 'docs/integrate/webhooks.md#verifying-a-message',
    check: null,
  },
  { says: 'Your support can refund a payment.', docs: 'docs/integrate/console.md#payments', check: null },
  {
    says: 'Your tests cover the twelve things that go wrong.',
    docs: 'docs/integrate/test.md#twelve-things-your-game-should-survive',
    check: null,
  },
];

const SERVICE: readonly LiveItem[] = [
  { says: '`npx quarters doctor` finds no fault.', docs: 'docs/operate/doctor.md', check: hasNoFault },
  {
    says: 'Players reach it by https, at a public name.',
    docs: 'docs/operate/start.md#encryption',
    check: allOf(isForPlayers, partInOrder('Public address')),
  },
  {
    says: 'The database is a server of yours, or a provider’s.',
    docs: 'docs/operate/start.md#on-real-servers',
    check: hasOwnDatabase,
  },
  { says: 'So is the node of the chain.', docs: 'docs/operate/start.md#on-real-servers', check: hasOwnNode },
  {
    says: 'An answered payment survives the loss of a disk.',
    docs: 'docs/operate/doctor.md#durability',
    check: allOf(isOnTwoDisks, partInOrder('Durability')),
  },
  { says: 'Backups are made, apart from the master key.', docs: 'docs/operate/backup.md', check: null },
  {
    says: 'Somebody has rehearsed a restore, and knows its time.',
    docs: 'docs/operate/drills.md#rehearse-a-restore',
    check: null,
  },
  {
    says: 'The master key comes from where you keep your secrets.',
    docs: 'docs/operate/custody.md#where-the-master-key-is',
    check: isMasterKeyGiven,
  },
  { says: 'The recovery kit is kept.', docs: 'docs/operate/custody.md#the-recovery-kit', check: isKitKept },
  {
    says: 'Mails leave by your mail server.',
    docs: 'docs/operate/network.md#mail',
    check: allOf(hasMailServer, partInOrder('Mail')),
  },
  {
    says: 'Operators have passkeys, and losing one device locks nobody out.',
    docs: 'docs/operate/console.md#who-may-use-it',
    check: hasOperators,
  },
  { says: 'Relayers have gas.', docs: 'docs/operate/gas.md', check: partInOrder('Gas') },
  {
    says: 'Something reads the metrics, and alerts wake somebody.',
    docs: 'docs/operate/monitoring.md#metrics',
    check: hasMetrics,
  },
  { says: 'The demo app is deleted.', docs: 'docs/operate/commands.md#deleting-an-app', check: isDemoGone },
  {
    says: 'Rate limits fit your busiest hour, and guests your busiest day.',
    docs: 'docs/operate/limits.md#rate-limits',
    check: null,
  },
  {
    says: 'Large payments ask for a fresh sign-in, large issues for a second operator.',
    docs: 'docs/operate/players.md#large-payments',
    check: null,
  },
  {
    says: 'You have decided how players consent to spending limits, children above all.',
    docs: 'docs/operate/minors.md',
    check: null,
  },
  { says: 'Pages lead to your support.', docs: 'docs/operate/settings.md', check: hasSupport },
  {
    says: 'Your support page links your terms and privacy notice, which says what is kept.',
    docs: 'docs/operate/kept.md',
    check: null,
  },
];

export const LIVE_ITEMS = { game: GAME, service: SERVICE } as const satisfies Record<LiveSide, readonly LiveItem[]>;

export type LiveState = 'done' | 'not-done' | 'ask-yourself';

/** An item as it is. `missing`: what it lacks; null if nothing is known to be missing. */
export type LiveFinding = {
  readonly side: LiveSide;
  readonly state: LiveState;
  readonly says: string;
  readonly missing: string | null;
  readonly docs: string;
};

const LIMIT_MS = 5_000;

/** Goes through the list. Changes nothing, and never rejects. `onDone`: called after each part that doctor examines. */
export async function goThroughLiveItems(subject: Subject, onDone: () => void): Promise<LiveFinding[]> {
  const examination = openExamination(subject, { sendMailTo: null });
  try {
    const { checks } = await examineParts(examination, onDone);
    const launch: Launch = { ...examination, found: checks };
    const sides = Object.entries(LIVE_ITEMS) as [LiveSide, readonly LiveItem[]][];
    return await Promise.all(sides.flatMap(([side, items]) => items.map((item) => findLive(side, item, launch))));
  } finally {
    await examination.close();
  }
}

async function findLive(side: LiveSide, { says, docs, check }: LiveItem, launch: Launch): Promise<LiveFinding> {
  const verdict = await verdictOf(check, launch);
  const missing = verdict && !verdict.done ? verdict.says : null;
  const state = verdict ? (verdict.done ? 'done' : 'not-done') : 'ask-yourself';
  return { side, state, says, missing, docs };
}

/** What does not answer in time, or fails, is for people to find out: the first item says what is wrong. */
async function verdictOf(check: LiveCheck | null, launch: Launch): Promise<LiveVerdict> {
  if (!check) return null;
  return inTime((async () => check(launch))(), LIMIT_MS);
}
