import { Argument, InvalidArgumentError } from 'commander';
import type { AppId, EndpointId } from '../../../base/ids.ts';
import type { CliCommand } from '../../../cli/command.ts';
import { parseAppId, parseUuid } from '../../../cli/values.ts';
import type { Service } from '../../../service/service.ts';
import { EVENT_TYPES, type EventType, isEventType } from '../../../webhooks/event-types.ts';

type TriggerOptions = { readonly app: string; readonly endpoint?: string; readonly sample?: true };

export function addTriggerCommand(program: CliCommand): void {
  program
    .command('trigger')
    .description(
      'Make an event happen: a guest of the app is asked, pays, is paid, becomes a user. In development mode.',
    )
    .addArgument(new Argument('<type>', 'the type of the event').choices(EVENT_TYPES).argParser(parseType))
    .requiredOption('--app <app>', 'the app id', parseAppId)
    .option('--sample', 'send a sample instead, about a payment that does not exist')
    .option('--endpoint <endpoint>', 'send a sample only to this endpoint; default all that take its type', parseUuid)
    .examples(
      'trigger request.completed --app 7Qm2xVb9KcRt4LpWz8Yd',
      'trigger request.completed --app 7Qm2xVb9KcRt4LpWz8Yd --sample',
    )
    .changes(async (service, type: EventType, { app, endpoint, sample }: TriggerOptions) => {
      const { appFor, OPERATOR } = await import('../../../service/managers.ts');
      if (service.development && !sample && endpoint === undefined) {
        return make(service, (await appFor(service, OPERATOR, app, 'webhooks')).id, type);
      }
      const { sendTestEvent } = await import('../../../features/webhooks/test-events.ts');
      const sent = await sendTestEvent(service, OPERATOR, app, { type, endpoint: endpoint ?? null });
      const why = service.development ? '' : ' What an event names is made in development mode only.';
      const text = `Sent a sample of ${type}, ${sent.id}${reached(sent.endpoints)}
It is about a payment that does not exist, and its data says "test": true.${why}\n`;
      return { json: { ...sent, sample: true }, text, hint: SHOWN };
    });
}

async function make(service: Service, app: AppId, type: EventType) {
  const { makeEvent } = await import('../features/made-events.ts');
  const { event, endpoints } = await makeEvent(service, app, type);
  const { id, data } = event;
  const text = `Made ${type} ${id}${reached(endpoints)}\nIt is about ${subjectOf(data)}.\n`;
  return { json: { id, type, endpoints, sample: false, data }, text, hint: SHOWN };
}

const SHOWN = 'npx quarters listen and GET /v1/events show it.\n';

function subjectOf(data: object): string {
  const { id, userId } = data as { id?: string; userId: string };
  return id === undefined ? `the guest ${userId}` : `the request ${id} of the guest ${userId}`;
}

function reached({ length }: readonly EndpointId[]): string {
  if (length === 0) return '. No endpoint is registered for it.';
  return ` to ${length} endpoint${length === 1 ? '' : 's'}.`;
}

function parseType(text: string): EventType {
  if (!isEventType(text)) throw new InvalidArgumentError(`Use one of ${EVENT_TYPES.join(', ')}.`);
  return text;
}
