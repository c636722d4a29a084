import { type Command, CommanderError } from 'commander';
import { type RequestContext, withContext } from '../base/log.ts';
import { RELEASE } from '../config/release.ts';
import { addActionCommands } from './action-commands.ts';
import { addActionsCommands } from './actions.ts';
import { COMMANDS } from './additions.ts';
import { addAppsCommands } from './apps.ts';
import { addAuditCommand } from './audit.ts';
import { CliCommand, type CliContext } from './command.ts';
import { addCustodyCommands } from './custody.ts';
import { EXIT_CODES, type ExitReason } from './exit-codes.ts';
import { addHealthCommand } from './health.ts';
import { addIdsCommands } from './ids.ts';
import { addLeftOutCommands } from './left-out.ts';
import { addOperatorsCommands } from './operators.ts';
import { osUserName } from './os-user.ts';
import { addReportsCommands } from './reports.ts';
import { addRestoreCommand } from './restore.ts';
import { addRewardsCommands } from './rewards.ts';
import { addMigrateCommand, addStartCommand } from './service.ts';
import { addSignInLinkCommand } from './sign-in-link.ts';
import { addSuspensionCommands } from './suspension.ts';
import { addTransfersCommands } from './transfers.ts';
import { addUsersCommands } from './users.ts';
import { addWebhooksCommands } from './webhooks.ts';

/** Runs one command line, given without the program's name. Resolves to the exit code of the process and never rejects. */
export async function runCli(context: CliContext, args: readonly string[]): Promise<number> {
  context.out.on('error', ignoreClosedPipe);
  context.err.on('error', ignoreClosedPipe);
  const isJson = args.includes('--json');
  let usage = '';
  const writeErr = (text: string) => {
    if (isJson) usage += text;
    else context.err.write(text);
  };
  try {
    await runAsOperator(await buildProgram(context, writeErr), args);
    return EXIT_CODES.done.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already written its message, or the help that the user asked for.
      if (error.exitCode === 0) return EXIT_CODES.done.code;
      if (isJson) context.err.write(errorJson('wrongUsage', { detail: usage.trim() }));
      return EXIT_CODES.wrongUsage.code;
    }
    const { explainError } = await import('./explain-error.ts');
    const { reason, text, json } = explainError(error);
    context.err.write(isJson ? errorJson(reason, json) : `${text}\n`);
    return EXIT_CODES[reason].code;
  }
}

/** One line, because the log writes JSON lines to stderr too. */
function errorJson(reason: ExitReason, facts: object): string {
  return `${JSON.stringify({ error: { reason, exitCode: EXIT_CODES[reason].code, ...facts } })}\n`;
}

/** Builds the whole command line, which loads nothing of the service. No command ends the process: each throws its errors, which `runCli` turns into exit codes. */
export async function buildProgram(context: CliContext, writeErr: (text: string) => void): Promise<Command> {
  const program = new CliCommand('quarters', context)
    .description('Run and manage Quarters, a game currency on Ethereum.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr,
    })
    .showHelpAfterError('Add --help for usage and examples.')
    .version(versionText(), '-V, --version', 'print the version')
    .addHelpText(
      'after',
      '\nSettings come from the environment. Give every command the settings that the service runs with.',
    );
  addStartCommand(program);
  addMigrateCommand(program);
  addAppsCommands(program);
  addActionCommands(program);
  addRewardsCommands(program);
  addUsersCommands(program);
  addTransfersCommands(program);
  addWebhooksCommands(program);
  addReportsCommands(program);
  addOperatorsCommands(program);
  addActionsCommands(program);
  addAuditCommand(program);
  addHealthCommand(program);
  addCustodyCommands(program);
  addIdsCommands(program);
  addSuspensionCommands(program);
  addRestoreCommand(program);
  addSignInLinkCommand(program);
  for (const { load } of context.house().of(COMMANDS)) (await load())(program);
  addLeftOutCommands(program);
  return program;
}

/** The version of this program, and of the Node.js that runs it: a report of a fault needs both. */
function versionText(): string {
  return `quarters ${RELEASE.version} (Node.js ${process.version})`;
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

/** A reader such as `| head` may close the pipe early; that is no error. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
