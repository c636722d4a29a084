import { extensionPoint, type Load } from '../service/house.ts';
import type { CliCommand } from './command.ts';

export const COMMANDS = extensionPoint<Load<(program: CliCommand) => void>>('commands of the command line');
