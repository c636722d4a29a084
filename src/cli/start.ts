import type { Command } from 'commander';
import { outsideContext } from '../base/request-context.ts';
import { example } from './command.ts';
import type { CliContext } from './context.ts';

export function addStartCommand(program: Command, context: CliContext): void {
  program
    .command('start')
    .description('Run the service; with an embedded database and chain where none is set.')
    .addHelpText('after', example('start'))
    // What the service does from then on is not the operator's doing.
    .action(() => outsideContext(() => context.start()));
}
