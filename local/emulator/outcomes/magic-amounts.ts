import type { Outcome } from './outcome.ts';

/**
 * Amounts that decide the outcome by themselves, as test cards do: for people who try a game by hand. The first three digits are the status
 * that is answered. No price is like them, and a new app and a player with 10,000 quarters can pay them.
 */
export const MAGIC_AMOUNTS: ReadonlyMap<number, Outcome> = new Map<number, Outcome>([
  [2001, { answerIsLost: true }],
  [2002, { answersAfter: 30_000 }],
  [2003, { isRevertedOnChain: true }],
  [2004, { isReorganizedAway: true }],
  [4021, { fails: 'insufficient-quarters' }],
  [4091, { fails: 'quarters-unconfirmed' }],
  [4291, { fails: 'app-backlog-full' }],
  [5001, { fails: 'internal' }],
  [5031, { fails: 'overloaded' }],
  [5032, { fails: 'payments-suspended' }],
  [5033, { fails: 'database-unavailable' }],
]);

/** What the first of these amounts that is magic decides, if it is of that kind. */
export function magicOutcome<Kind extends Outcome>(
  amounts: readonly number[],
  isWanted: (outcome: Outcome) => outcome is Kind,
): Kind | null {
  const outcome = amounts.map((amount) => MAGIC_AMOUNTS.get(amount)).find((one) => one !== undefined);
  return outcome && isWanted(outcome) ? outcome : null;
}

/** The same as a table in Markdown, for docs/integrate/test.md. */
export function magicAmountsTable(): string {
  const rows = [...MAGIC_AMOUNTS].map(([amount, outcome]) => `| ${amount} | ${textOf(outcome)} |`);
  return ['| Quarters | What happens |', '|---|---|', ...rows].join('\n');
}

function textOf(outcome: Outcome): string {
  if ('fails' in outcome) return `Refused: \`${outcome.fails}\``;
  if ('answerIsLost' in outcome) return 'Done, and the answer is lost';
  if ('answersAfter' in outcome) return `Done, and answered after ${outcome.answersAfter / 1000} s`;
  if ('isRevertedOnChain' in outcome) return 'The first transaction reverts, a second one pays';
  return 'Completed, taken back by a reorganisation, completed again';
}
