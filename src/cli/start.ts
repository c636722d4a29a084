import type { Command } from 'commander';
import { outsideContext } from '../base/request-context.ts';
import { example } from './command.ts';
import type { CliContext } from './context.ts';

export function addStartCommand(program: Command, context: CliContext): void {
  program
    .command('start')
    .description('Start the service. It brings its own database and chain unless you set them.')
    .addHelpText('after', example('start'))
    // From here on the service acts, not the operator: events must not be logged as theirs.
    .action(() => outsideContext(() => context.start()));
}
