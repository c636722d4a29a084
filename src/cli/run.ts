import { userInfo } from 'node:os';
import { Command, CommanderError } from 'commander';
import { type RequestContext, withContext } from '../base/log.ts';
import { Problem } from '../base/problems.ts';
import { SettingsError } from '../config/read-settings.ts';
import { CommitUnknown } from '../db/database.ts';
import { addAppsCommands } from './apps.ts';
import { addAuditCommand } from './audit.ts';
import type { CliContext } from './command.ts';
import { addEconomyCommand } from './economy.ts';
import { addHealthCommand } from './health.ts';
import { addIssueCommand } from './issue.ts';
import { addListenCommand } from './listen.ts';
import { addLogCommands } from './log.ts';
import { addOperatorsCommands } from './operators.ts';
import { addReportsCommands } from './reports.ts';
import { addRewardsCommands } from './rewards.ts';
import { addMigrateCommand, addStartCommand } from './service.ts';
import { addSignInLinkCommand } from './sign-in-link.ts';
import { addSuspensionCommands } from './suspension.ts';
import { addTransfersCommands } from './transfers.ts';
import { addTriggerCommand } from './trigger.ts';
import { addWebhooksCommands } from './webhooks.ts';

const FAILED = 1;
const WRONG_USAGE = 2;

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
  payPerDay: '--pay-per-day',
  askPerDay: '--ask-per-day',
  approvePerDay: '--approve-per-day',
};

/** Runs one command line, given without the program's name. Resolves to the exit code of the process and never rejects. */
export async function runCli(context: CliContext, args: readonly string[]): Promise<number> {
  context.out.on('error', ignoreClosedPipe);
  context.err.on('error', ignoreClosedPipe);
  try {
    await runAsOperator(buildProgram(context), args);
    return 0;
  } catch (error) {
    // Commander has already written its message, or the help that the user asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    context.err.write(`${explain(error)}\n`);
    return FAILED;
  }
}

/** Builds the whole command line. No command ends the process: each throws its errors, which `runCli` turns into exit codes. */
function buildProgram(context: CliContext): Command {
  const program = new Command('quarters')
    .description('Run and manage Quarters, a game currency on Ethereum.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
    })
    .showHelpAfterError('Add --help for usage and examples.')
    .addHelpText(
      'after',
      '\nSettings come from the environment. Give every command the settings that the service runs with.',
    );
  addStartCommand(program, context);
  addMigrateCommand(program, context);
  addAppsCommands(program, context);
  addIssueCommand(program, context);
  addRewardsCommands(program, context);
  addTransfersCommands(program, context);
  addWebhooksCommands(program, context);
  addListenCommand(program, context);
  addTriggerCommand(program, context);
  addReportsCommands(program, context);
  addOperatorsCommands(program, context);
  addEconomyCommand(program, context);
  addLogCommands(program, context);
  addAuditCommand(program, context);
  addHealthCommand(program, context);
  addSuspensionCommands(program, context);
  addSignInLinkCommand(program, context);
  return program;
}

/** Runs the command in the operator's context: security events name the command and the user of the operating system. */
async function runAsOperator(program: Command, args: readonly string[]): Promise<void> {
  const operator: RequestContext = { actor: 'operator', osUser: osUserName() };
  program.hook('preAction', (_program, command) => {
    operator.command = nameOf(command);
  });
  await withContext(operator, () => program.parseAsync(args, { from: 'user' }));
}

/** The command's name without the program's name and without arguments, which may be secrets. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** A container may run under a user id that has no name. */
function osUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** A reader such as `| head` may close the pipe early; that is no error. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

const OUTCOME_UNKNOWN =
  'We could not confirm whether this was done: the connection to the database was lost. Check before you run it again.';

function explain(error: unknown): string {
  if (error instanceof Problem) return problemSentence(error);
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
