import { userInfo } from 'node:os';
import { type Command, CommanderError } from 'commander';
import { Problem } from '../base/problems.ts';
import { type RequestContext, withContext } from '../base/request-context.ts';
import { SettingsError } from '../config/read-settings.ts';
import { CommitUnknown } from '../db/database.ts';
import type { CliContext } from './context.ts';
import { buildProgram } from './program.ts';

const FAILED = 1;
const WRONG_USAGE = 2;

/** Where a use-case's fault lies, in the words of the command line. */
const SPOKEN: Record<string, string> = {
  name: 'The name',
  redirectUris: 'The redirect address',
  frameAncestors: 'The frame ancestor',
  resultOrigins: 'The result origin',
  kind: 'The kind',
  picture: 'The picture',
  recipient: 'The recipient',
  user: 'The user',
  key: 'The key',
};

/** Runs one command line (without the program's own name). Resolves to the process's exit code; never rejects. */
export async function runCli(context: CliContext, args: readonly string[]): Promise<number> {
  context.out.on('error', ignoreClosedPipe);
  context.err.on('error', ignoreClosedPipe);
  try {
    await runAsOperator(buildProgram(context), args);
    return 0;
  } catch (error) {
    // Commander has written its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    context.err.write(`${explain(error)}\n`);
    return FAILED;
  }
}

/** What a command changes is noted as the operator's doing: which command, and who they are to the operating system. */
async function runAsOperator(program: Command, args: readonly string[]): Promise<void> {
  const operator: RequestContext = { actor: 'operator', osUser: osUserName() };
  program.hook('preAction', (_program, command) => {
    operator.command = nameOf(command);
  });
  await withContext(operator, () => program.parseAsync(args, { from: 'user' }));
}

/** Without the program's own name, and without what the command was given, which may be a secret. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** A container may run as a number that has no name. */
function osUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** `… | head` has read enough: nothing is wrong, and nobody is left to read more. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

const NOT_KNOWN =
  'It is not known whether this was done: the database went away before it said so. Look whether it was, before you run it again.';

function explain(error: unknown): string {
  if (error instanceof Problem) return problemSentence(error);
  if (error instanceof CommitUnknown) return NOT_KNOWN;
  if (error instanceof SettingsError) return error.faults.map(endSentence).join('\n');
  if (/^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '')) return (error as Error | null)?.stack ?? String(error);
  const message = messageOf(error);
  // What our own code says to people ends in a full stop; a library's or the system's words seldom do.
  if (message.endsWith('.')) return message;
  return `${endSentence(message.split('\n', 1)[0] ?? '')} Set LOG_LEVEL=debug to see where this comes from.`;
}

function problemSentence(problem: Problem): string {
  if (problem.faults.length === 0) return endSentence(problem.message);
  return problem.faults
    .map(({ pointer, detail }) => {
      const [field = '', index] = pointer.split('/').slice(1);
      const place = index === undefined ? '' : ` (no. ${Number(index) + 1})`;
      return endSentence(`${SPOKEN[field] ?? field}${place} ${detail}`);
    })
    .join('\n');
}

/** A refused connection to a name with several addresses has no message of its own, only a code. */
function messageOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { message?: string; code?: string };
  return (message || code || String(error)).trim();
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
