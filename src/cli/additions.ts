import { extensionPoint, type Load } from '../service/house.ts';
import type { CliCommand } from './command.ts';

/** One command of the first level, with all below it. */
type AddedCommand = { readonly name: string; readonly load: Load<(program: CliCommand) => void> };

export const COMMANDS = extensionPoint<AddedCommand>('commands of the command line');
