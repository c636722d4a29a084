import { houseOf } from '../service/house.ts';
import { COMMANDS } from './additions.ts';
import type { CliCommand } from './command.ts';
import { CommandEnd } from './exit-codes.ts';

/** The commands of wings that are left out say so, instead of being unknown. Nothing of them is loaded. */
export function addLeftOutCommands(program: CliCommand): void {
  for (const wing of program.context.house().leftOut) {
    for (const { name } of houseOf([wing]).of(COMMANDS)) {
      const isOff = `${name} is off: WINGS leaves out ${wing.name}.`;
      program
        .command(name, { hidden: true })
        .description(isOff)
        .argument('[anything...]')
        .allowUnknownOption()
        .helpOption(false)
        .action(() => {
          throw new CommandEnd('wrongUsage', isOff);
        });
    }
  }
}
