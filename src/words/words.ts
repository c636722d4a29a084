import type { Words } from '../../words/en.ts';
import type { PageReason, Problem } from '../base/problems.ts';

export type { Words } from '../../words/en.ts';

/** Why somebody is refused, in a sentence or two. */
export function reasonText(words: Words, { code, number = 0, names = [], otherWays }: PageReason): string {
  const sentence = words.reasons[code](number, ...names);
  return otherWays ? `${sentence}${words.gap}${words.otherWays}` : sentence;
}

/** `24 hours`, `90 minutes`. */
export function hoursOrMinutes({ account: { duration } }: Words, minutes: number): string {
  return minutes % 60 === 0 ? duration(minutes / 60, 'hour') : duration(minutes, 'minute');
}

/** What a page says of a refusal. */
export function refusalText(words: Words, { reason, faults }: Problem): string {
  return reasonText(words, reason ?? faults[0]?.reason ?? { code: 'wait' });
}

/** What a page says beside the field at `pointer`. Undefined: nothing is wrong with it. */
export function entryFault(words: Words, refusal: Problem | undefined, pointer: string): string | undefined {
  const reason = refusal?.faults.find((fault) => fault.pointer === pointer)?.reason;
  return reason && reasonText(words, reason);
}
