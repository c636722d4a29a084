import { Problem } from '../base/problems.ts';
import { SettingsError } from '../config/settings-error.ts';
import { CommitUnknown } from '../db/database.ts';
import { CommandEnd, type ExitReason, exitReason } from './exit-codes.ts';

/** What the command line calls the input fields of features. */
const FIELD_NAMES: Record<string, string> = {
  name: 'The name',
  redirectUris: 'The redirect address',
  frameAncestors: 'The frame ancestor',
  resultOrigins: 'The result origin',
  topUpUrl: 'The top-up address',
  kind: 'The kind',
  picture: 'The picture',
  recipient: 'The recipient',
  user: 'The user',
  url: 'The URL',
  key: 'The key',
  email: 'The e-mail address',
  address: 'The address',
  account: 'The account',
  payPerDay: '--pay-per-day',
  askPerDay: '--ask-per-day',
  approvePerDay: '--approve-per-day',
};

/** What an error says: to people, and to programs as the fields of a problem. */
export type ExplainedError = {
  readonly reason: ExitReason;
  readonly text: string;
  readonly json: { readonly code?: string; readonly detail: string };
};

export function explainError(error: unknown): ExplainedError {
  const text = explain(error);
  const code = error instanceof Problem ? { code: error.code } : {};
  return { reason: exitReason(error), text, json: { ...code, detail: text } };
}

const OUTCOME_UNKNOWN =
  'We could not confirm whether this was done: the connection to the database was lost. Check before you run it again.';

function explain(error: unknown): string {
  if (error instanceof Problem) return problemSentence(error);
  if (error instanceof CommandEnd) return error.message;
  if (error instanceof CommitUnknown) return OUTCOME_UNKNOWN;
  if (error instanceof SettingsError) return error.faults.map(endSentence).join('\n');
  if (/^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '')) return (error as Error | null)?.stack ?? String(error);
  const message = messageOf(error);
  // Messages of our own code end in a full stop. Those of libraries and of the system seldom do.
  if (message.endsWith('.')) return message;
  return `${endSentence(message.split('\n', 1)[0] ?? '')} Set LOG_LEVEL=debug to see the stack trace.`;
}

function problemSentence(problem: Problem): string {
  if (problem.faults.length === 0) return endSentence(problem.message);
  return problem.faults
    .map(({ pointer, detail }) => {
      const [field = '', index] = pointer.split('/').slice(1);
      const place = index === undefined ? '' : ` (no. ${Number(index) + 1})`;
      return endSentence(`${FIELD_NAMES[field] ?? field}${place} ${detail}`);
    })
    .join('\n');
}

/** A refused connection to a host with several addresses has a code but no message. */
function messageOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { message?: string; code?: string };
  return (message || code || String(error)).trim();
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
