import { Command } from 'commander';
import { addAppsCommands } from './apps.ts';
import { addAuditCommand } from './audit.ts';
import type { CliContext } from './context.ts';
import { addIssueCommand } from './issue.ts';
import { addMigrateCommand } from './migrate.ts';
import { addReportsCommands } from './reports.ts';
import { addRewardsCommands } from './rewards.ts';
import { addStartCommand } from './start.ts';
import { addSuspensionCommands } from './suspension.ts';
import { addTransfersCommands } from './transfers.ts';
import { addWebhooksCommands } from './webhooks.ts';

/** Builds the whole command line. No command ends the process: each throws its errors, which `runCli` turns into exit codes. */
export function buildProgram(context: CliContext): Command {
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
  addReportsCommands(program, context);
  addAuditCommand(program, context);
  addSuspensionCommands(program, context);
  return program;
}
