import { Option } from 'commander';
import { type CliCommand, example } from '../../../cli/command.ts';
import { AN_APP, parseAppId, parseUuid } from '../../../cli/values.ts';
import { addType } from '../../../cli/webhooks.ts';
import { EVENT_TYPES } from '../../../webhooks/event-types.ts';
import type { ForwardTarget, ListenOptions } from './forward-events.ts';

const HERE = 'localhost:3000/hook';

export function addListenCommand(program: CliCommand): void {
  const listen = program.command('listen');
  listen
    .description("Forward an app's events to your own machine, as they happen, until Ctrl-C.")
    .requiredOption('--app <app>', 'the app id', parseAppId)
    .option('--forward <address>', `where your game listens on this machine, such as ${HERE}`)
    .option('--allow-host <host>', 'a host of your own network that --forward may name, such as a container')
    .addOption(
      new Option('--type <type>', 'event type to forward (repeatable), default all')
        .choices(EVENT_TYPES)
        .argParser(addType),
    )
    .option('--since <event>', 'begin with this event instead of the next one', parseUuid)
    .option('--all', 'begin with the oldest event, 30 days back')
    .option('--print-secret', 'print the signing secret and end')
    .option('--json', 'print a line of JSON for each event')
    .addHelpText(
      'after',
      `${example(
        `listen --app ${AN_APP} --forward ${HERE}`,
        `listen --app ${AN_APP} --forward game:3000/hook --allow-host game`,
        `listen --app ${AN_APP} --print-secret`,
      )}
The events are signed as real ones, with a secret that is the same each time for an app. Your endpoints get them, too.`,
    )
    .action(async (options: ListenOptions) => {
      const { context } = listen;
      const { follow, printSecret } = await import('./forward-events.ts');
      if (options.printSecret) return printSecret(context, options);
      if (options.since && options.all) listen.error("error: use either '--since' or '--all'");
      const target = await targetOf(options, (fault) => listen.error(`error: ${fault}`));
      const signal = context.untilStopped?.() ?? new AbortController().signal;
      return follow(context, { options, target, signal });
    });
}

/**
 * Events are for the machine that this runs on: an address elsewhere could be anybody's. A host of the developer's own network, such as
 * another container, must be named once more.
 */
async function targetOf(
  { forward, allowHost }: ListenOptions,
  refuse: (fault: string) => never,
): Promise<ForwardTarget> {
  const { loopbackLookup, loopbackUrl, privateLookup, targetFault, urlOfHost } = await import(
    '../../../webhooks/targets.ts'
  );
  if (forward === undefined) return refuse(`add '--forward <address>', such as --forward ${HERE}`);
  const own = loopbackUrl(forward);
  const url = own ?? (allowHost === undefined ? null : urlOfHost(forward, allowHost));
  if (!url) {
    return refuse(
      allowHost === undefined
        ? `'--forward' takes an http:// or https:// address of this machine, such as ${HERE}. Name a container with '--allow-host <host>'`
        : `'--forward' must have the host of '--allow-host', and that must be in a private network`,
    );
  }
  const fault = targetFault(url.href, true);
  if (fault) return refuse(`'--forward' ${fault}`);
  return { url: url.href, lookup: own ? loopbackLookup : privateLookup() };
}
