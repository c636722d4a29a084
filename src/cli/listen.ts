import { type Command, InvalidArgumentError, Option } from 'commander';
import { type EventId, UUID_PATTERN } from '../base/ids.ts';
import { EVENT_TYPES } from '../webhooks/event-types.ts';
import { loopbackUrl, targetFault } from '../webhooks/targets.ts';
import { type CliContext, example } from './command.ts';
import type { ListenOptions } from './forward-events.ts';
import { addType } from './webhooks.ts';

const AN_APP = '7Qm2xVb9KcRt4LpWz8Yd';
const HERE = 'localhost:3000/hook';

export function addListenCommand(program: Command, context: CliContext): void {
  const listen = program.command('listen');
  listen
    .description("Forward an app's events to your own machine, as they happen, until Ctrl-C.")
    .requiredOption('--app <app>', 'the app id')
    .option('--forward <address>', `where your game listens on this machine, such as ${HERE}`, parseForward)
    .addOption(
      new Option('--type <type>', 'event type to forward (repeatable), default all')
        .choices(EVENT_TYPES)
        .argParser(addType),
    )
    .option('--since <event>', 'begin with this event instead of the next one', parseEvent)
    .option('--all', 'begin with the oldest event, 30 days back')
    .option('--print-secret', 'print the signing secret and end')
    .option('--json', 'print a line of JSON for each event')
    .addHelpText(
      'after',
      `${example(`listen --app ${AN_APP} --forward ${HERE}`, `listen --app ${AN_APP} --print-secret`)}
The events are signed as real ones, with a secret that is the same each time for an app. Your endpoints get them, too.`,
    )
    .action(async (options: ListenOptions) => {
      const { follow, printSecret } = await import('./forward-events.ts');
      if (options.printSecret) return printSecret(context, options);
      if (options.since && options.all) listen.error("error: use either '--since' or '--all'");
      const url = options.forward ?? listen.error(`error: add '--forward <address>', such as --forward ${HERE}`);
      const signal = context.untilStopped?.() ?? new AbortController().signal;
      return follow(context, { options, url, signal });
    });
}

/** Events are for the machine that this runs on: an address elsewhere could be anybody's. */
function parseForward(text: string): string {
  const url = loopbackUrl(text);
  if (url?.protocol !== 'http:') {
    throw new InvalidArgumentError(`Use an http:// address of this machine, such as ${HERE}.`);
  }
  const fault = targetFault(url.href, true);
  if (fault) throw new InvalidArgumentError(`It ${fault}.`);
  return url.href;
}

function parseEvent(text: string): EventId {
  if (!new RegExp(UUID_PATTERN).test(text)) throw new InvalidArgumentError('Use the id of an event, a UUID.');
  return text.toLowerCase() as EventId;
}
