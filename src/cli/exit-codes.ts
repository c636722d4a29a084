import { PROBLEMS, Problem } from '../base/problems.ts';

/** What a command's end means to a program. docs/operate/commands.md prints this table. */
export const EXIT_CODES = {
  done: { code: 0, means: 'Done.' },
  failed: { code: 1, means: 'Failed, refused, or answered with no. The message says why.' },
  wrongUsage: {
    code: 2,
    means: 'Wrong usage. Nothing was done. Also: a command that asks, without a terminal and without `--yes`.',
  },
  notFound: { code: 3, means: 'What the command names does not exist. Nothing was done.' },
  partlyDone: { code: 4, means: 'Done in part. The output lists what was refused.' },
  tryAgain: { code: 5, means: 'Busy or out of reach. Nothing was done. Try again later.' },
  needsApproval: { code: 6, means: 'Another operator must approve this first. Nothing was done.' },
  interrupted: { code: 130, means: 'Interrupted by Ctrl-C or SIGTERM.' },
} as const;

export type ExitReason = keyof typeof EXIT_CODES;

/** Ends a command with another exit code than 1. `message`: one sentence or more, printed on stderr. */
export class CommandEnd extends Error {
  override readonly name = 'CommandEnd';
  readonly reason: ExitReason;

  constructor(reason: ExitReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The reason that a command ends with after this error. */
export function exitReason(error: unknown): ExitReason {
  if (error instanceof CommandEnd) return error.reason;
  if (!(error instanceof Problem)) return 'failed';
  if (error.code === 'not-found') return 'notFound';
  return 'nothingDecided' in PROBLEMS[error.code] ? 'tryAgain' : 'failed';
}
