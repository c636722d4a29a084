import type { Printed } from '../../../cli/command.ts';
import { wrapped } from '../../../cli/findings-text.ts';
import type { LiveFinding, LiveSide, LiveState } from '../diagnostics/going-live.ts';

const MARKS: Readonly<Record<LiveState, string>> = {
  done: 'done          ',
  'not-done': 'NOT DONE      ',
  'ask-yourself': 'ask yourself  ',
};
const INDENT = ' '.repeat(14);
const HEADINGS: Readonly<Record<LiveSide, string>> = { game: 'The game', service: 'The service' };

/** The list, for a terminal of 80 columns. An item that is not done ends the command with 1. */
export function liveText(items: readonly LiveFinding[]): Printed {
  const lacking = items.filter(({ state }) => state === 'not-done').length;
  const sides = Object.keys(HEADINGS) as LiveSide[];
  const text = sides
    .map(
      (side) =>
        `${HEADINGS[side]}\n${items
          .filter((item) => item.side === side)
          .map(lineOf)
          .join('')}`,
    )
    .join('\n');
  return {
    json: { items },
    text,
    end: lacking > 0 ? new Error(`${lacking} of ${items.length} are not done.`) : undefined,
  };
}

function lineOf({ state, says, missing, docs }: LiveFinding): string {
  const head = wrapped(says.replaceAll('`', ''), MARKS[state], INDENT);
  if (state === 'done') return head;
  return `${head}${missing ? wrapped(missing, INDENT, INDENT) : ''}${INDENT}See ${docs}\n`;
}
