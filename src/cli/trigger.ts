import { Argument, InvalidArgumentError } from 'commander';
import { EVENT_TYPES, type EventType, isEventType } from '../webhooks/event-types.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';

type TriggerOptions = OutputOptions & { readonly app: string; readonly endpoint?: string };

export function addTriggerCommand(program: CliCommand, context: CliContext): void {
  program
    .command('trigger')
    .description('Send an app a test event, about a payment that does not exist.')
    .addArgument(new Argument('<type>', 'the type of the event').choices(EVENT_TYPES).argParser(parseType))
    .requiredOption('--app <app>', 'the app id')
    .option('--endpoint <endpoint>', 'send it only to this endpoint; default all that take its type')
    .json()
    .examples('trigger request.completed --app 7Qm2xVb9KcRt4LpWz8Yd')
    .action(async (type: EventType, options: TriggerOptions) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { sendTestEvent } = await import('../features/webhooks/test-events.ts');
      const sent = await withService(context, (service) =>
        sendTestEvent(service, OPERATOR, options.app, { type, endpoint: options.endpoint ?? null }),
      );
      const count = sent.endpoints.length;
      const to =
        count === 0 ? '. No endpoint is registered for it.' : ` to ${count} endpoint${count === 1 ? '' : 's'}.`;
      const text = `Sent ${type} ${sent.id}${to}
npx quarters listen and GET /v1/events show it. Its data says "test": true.\n`;
      print(context, options, sent, text);
    });
}

function parseType(text: string): EventType {
  if (!isEventType(text)) throw new InvalidArgumentError(`Use one of ${EVENT_TYPES.join(', ')}.`);
  return text;
}
