import { Argument, type Command, Option } from 'commander';
import type { ActionFacts } from '../features/operator-actions/action-deed.ts';
import type { ActionField, CommandReport, DeclaredAction } from '../features/operator-actions/declaration.ts';
import { DECLARED_ACTIONS } from '../features/operator-actions/declarations.ts';
import { ACTION_FACTS } from '../views/inspection/action-facts.ts';
import type { CliCommand, Printed } from './command.ts';
import { YES_OPTION } from './confirm.ts';
import { formatFacts, readableAmount, readableTime } from './format.ts';
import { shown } from './reading.ts';
import { type ActOptions, REASON_OPTION } from './reason.ts';
import {
  parseAmount,
  parseAppId,
  parseEmail,
  parseRecipient,
  parseTypedAddress,
  parseUser,
  parseUuid,
} from './values.ts';

/** What is wrong with a value by itself is said before anything is loaded. */
const PARSERS: Partial<Record<ActionField['kind'] | NonNullable<ActionField['form']>, (text: string) => unknown>> = {
  number: parseAmount,
  app: parseAppId,
  user: parseUser,
  person: parseEmail,
  address: parseTypedAddress,
  recipient: parseRecipient,
  transfer: parseUuid,
  report: parseUuid,
};
const FORMAT = { amount: readableAmount, time: readableTime };

type KeyOption = { readonly key?: string };

/** Adds the commands of operators' actions that belong below this one. Those that stop something come last. */
export function addActionCommands(parent: CliCommand): void {
  const noun = pathOf(parent);
  DECLARED_ACTIONS.filter(({ command }) => command && nounOf(command.path) === noun)
    .toSorted((a, b) => Number(a.command?.asks ?? 0) - Number(b.command?.asks ?? 0))
    .forEach((action) => void addActionCommand(parent, action));
}

/** Without the program's own name. */
const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : '';

const nounOf = (path: string) => path.split(' ').slice(0, -1).join(' ');

function addActionCommand(parent: CliCommand, { name: kind, fields, command }: DeclaredAction): void {
  const { path, description, key, asks, question, examples, report } = command!;
  const typed = Object.entries(fields).filter(([, field]) => field.typed);
  const added = parent.command(path.split(' ').at(-1)!).description(description);
  for (const [, field] of typed) addField(added, field);
  if (key) added.option('--key <key>', key.help);
  if (asks) added.requiredOption(...REASON_OPTION);
  else added.option(...REASON_OPTION);
  added.option(...YES_OPTION).examples(...examples);
  added.changes(async (service) => {
    const options = added.opts<ActOptions & KeyOption>();
    const operands = typed.filter(([, field]) => !isOption(field)).map(([name, { input = name }]) => input);
    const input = { ...options, ...Object.fromEntries(operands.map((name, i) => [name, added.processedArgs[i]])) };
    const { act, untilActionArrived } = await import('./perform.ts');
    const { action, replayed } = await act(parent.context, options, service, {
      ...{ kind, params: input, question, mustConfirm: asks ?? false },
      key: key && options.key !== undefined ? { text: options.key, hours: key.hours } : undefined,
    });
    const params = JSON.parse(action.params);
    const after = () => untilActionArrived(parent.context, service, action);
    try {
      const done = { service, typed: input, params, action, replayed, format: FORMAT };
      return { ...reported(await report(done)), after };
    } catch (error) {
      // It is done, and must not be repeated because it could not be read again.
      parent.context.err.write(`It is done, but could not be read again: ${(error as Error).message}\n`);
      return { ...shown(ACTION_FACTS, action), after };
    }
  });
}

function reported([json, ...parts]: CommandReport): Printed {
  const hints = parts.flatMap((part) => (typeof part === 'object' && 'hint' in part ? [`${part.hint}\n`] : []));
  return { json, text: parts.map(textOf).join(''), hint: hints.join('') };
}

const isOption = ({ typed }: ActionField) => typed![0].startsWith('-');

function addField(command: CliCommand, field: ActionField): void {
  const [flags, help] = field.typed!;
  const parse = PARSERS[field.form ?? field.kind];
  if (!isOption(field)) {
    const argument = new Argument(flags, help);
    command.addArgument(parse ? argument.argParser(parse) : argument);
    return;
  }
  const option = new Option(flags, help);
  if (parse) option.argParser(parse);
  const values = Object.keys(field.options ?? {});
  command.addOption(choices(option, values, field.optional ?? false));
}

function choices(option: Option, values: readonly string[], optional: boolean): Option {
  if (values.length === 0) return option;
  return optional ? option.choices(values) : option.choices(values).default(values[0]);
}

function textOf(part: CommandReport[number]): string {
  if (typeof part === 'string') return `${part}\n`;
  return Array.isArray(part) ? formatFacts(part as ActionFacts) : '';
}
