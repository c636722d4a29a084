import { createInterface } from 'node:readline';
import type { CliContext } from './command.ts';
import { CommandEnd } from './exit-codes.ts';

/** The option of every command that asks first: `.option(...YES_OPTION)`. */
export const YES_OPTION = ['--yes', 'do it without asking'] as const;

export type ConfirmOptions = { readonly yes?: true };

/**
 * Shows what a command is about to do, and asks. Returns if the operator agrees, or gave `--yes`.
 *
 * `what`: lines for people that end in a line break, with every fact the decision needs. They and the question go to stderr, so that
 * stdout has nothing but the result. `question`: answered with y or yes.
 *
 * Throws {@link CommandEnd}: `failed` if the answer is anything else, and `wrongUsage` if there is no terminal to ask on.
 */
export async function confirm(
  context: CliContext,
  options: ConfirmOptions,
  { what, question }: { readonly what: string; readonly question: string },
): Promise<void> {
  if (options.yes) return;
  const { in: input, err } = context;
  err.write(what);
  if (!input?.isTTY) {
    throw new CommandEnd('wrongUsage', 'Nothing was done: there is no terminal to ask on. To do it, add --yes.');
  }
  err.write(`\n${question} [y/N] `);
  const answer = await readLine(input);
  // After the end of the input the cursor is still behind the question.
  if (answer === null) err.write('\n');
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CommandEnd('failed', 'Nothing was done.');
}

/** The next line; null if the input ends before. The terminal itself edits the line, so Ctrl-C ends the process as usual. */
function readLine(input: NodeJS.ReadableStream): Promise<string | null> {
  const lines = createInterface({ input, terminal: false });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(null));
  });
}
