import { houseOf, loadAll } from '../service/house.ts';
import { COMMANDS } from './additions.ts';
import type { CliCommand } from './command.ts';
import { CommandEnd } from './exit-codes.ts';

/** The commands of wings that are left out say so, instead of being unknown. */
export async function addLeftOutCommands(program: CliCommand): Promise<void> {
  for (const wing of program.context.house().leftOut) {
    const declared = program.createCommand();
    for (const add of await loadAll(houseOf([wing]), COMMANDS)) add(declared);
    for (const name of declared.commands.map((command) => command.name())) {
      program
        .command(name, { hidden: true })
        .argument('[anything...]')
        .allowUnknownOption()
        .helpOption(false)
        .action(() => {
          throw new CommandEnd('wrongUsage', `${name} is off: WINGS leaves out ${wing.name}.`);
        });
    }
  }
}
