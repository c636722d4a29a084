import { Argument, InvalidArgumentError } from 'commander';
import type { CliCommand } from '../../../cli/command.ts';
import { EVENT_TYPES, type EventType, isEventType } from '../../../webhooks/event-types.ts';

type TriggerOptions = { readonly app: string; readonly endpoint?: string };

export function addTriggerCommand(program: CliCommand): void {
  program
    .command('trigger')
    .description('Send an app a test event, about a payment that does not exist.')
    .addArgument(new Argument('<type>', 'the type of the event').choices(EVENT_TYPES).argParser(parseType))
    .requiredOption('--app <app>', 'the app id')
    .option('--endpoint <endpoint>', 'send it only to this endpoint; default all that take its type')
    .examples('trigger request.completed --app 7Qm2xVb9KcRt4LpWz8Yd')
    .changes(async (service, type: EventType, { app, endpoint }: TriggerOptions) => {
      const { OPERATOR } = await import('../../../service/managers.ts');
      const { sendTestEvent } = await import('../../../features/webhooks/test-events.ts');
      const sent = await sendTestEvent(service, OPERATOR, app, { type, endpoint: endpoint ?? null });
      const count = sent.endpoints.length;
      const to =
        count === 0 ? '. No endpoint is registered for it.' : ` to ${count} endpoint${count === 1 ? '' : 's'}.`;
      const text = `Sent ${type} ${sent.id}${to}
npx quarters listen and GET /v1/events show it. Its data says "test": true.\n`;
      return { json: sent, text };
    });
}

function parseType(text: string): EventType {
  if (!isEventType(text)) throw new InvalidArgumentError(`Use one of ${EVENT_TYPES.join(', ')}.`);
  return text;
}
