import { type Command, InvalidArgumentError } from 'commander';
import type { AppId } from '../base/ids.ts';
import { addEndpoint } from '../usecases/app/add-endpoint.ts';
import { changeEndpoint } from '../usecases/app/change-endpoint.ts';
import { redeliverEvent } from '../usecases/app/redeliver-event.ts';
import { removeEndpoint } from '../usecases/app/remove-endpoint.ts';
import { endpointJson } from '../usecases/endpoint-json.ts';
import { findApp } from '../usecases/operator/find-app.ts';
import { type Endpoint, listEndpoints } from '../webhooks/endpoints.ts';
import { EVENT_TYPES, type EventType, isEventType } from '../webhooks/event-types.ts';
import { example, JSON_OPTION, type OutputOptions, print, readableTime, withService } from './command.ts';
import type { CliContext } from './context.ts';
import { formatFacts, formatTable } from './table.ts';

const APP = ['<app>', "the app's id"] as const;
const ENDPOINT = ['<endpoint>', "the endpoint's id, as `webhooks list` prints it"] as const;
const AN_APP = '7Qm2xVb9KcRt4LpWz8Yd';
const AN_ENDPOINT = '019b2f6d-1e2f-7b60-a4c3-5d8e9f0a1b2c';

export function addWebhooksCommands(program: Command, context: CliContext): void {
  const webhooks = program.command('webhooks').description("Where apps' events are sent.");
  webhooks
    .command('list')
    .description("List an app's endpoints.")
    .argument(...APP)
    .option(...JSON_OPTION)
    .addHelpText('after', example(`webhooks list ${AN_APP}`))
    .action(async (id: string, options: OutputOptions) => {
      const endpoints = await withService(context, async (service) =>
        listEndpoints(service.db, (await findApp(service, id as AppId)).id),
      );
      print(context, options, { endpoints: endpoints.map(endpointJson) }, listText(endpoints));
    });
  webhooks
    .command('add')
    .description("Have an app's events sent to a URL. The secret that signs them is shown once.")
    .argument(...APP)
    .argument('<url>', 'an https:// address')
    .option('--type <type>', `${EVENT_TYPES.join(', ')}; may be repeated; default all`, addType)
    .option(...JSON_OPTION)
    .addHelpText('after', example(`webhooks add ${AN_APP} https://game.example/hook --type request.completed`))
    .action(async (id: string, url: string, options: OutputOptions & { readonly type?: EventType[] }) => {
      const added = await withService(context, async (service) => {
        const app = await findApp(service, id as AppId);
        const endpoint = await service.db.transaction((tx) =>
          addEndpoint(service, tx, app.id, { url, types: options.type ?? null }),
        );
        service.security.note('webhook-changed', { appId: app.id, what: `add ${endpoint.id}` });
        return endpoint;
      });
      const facts = formatFacts([
        ['Endpoint', added.id],
        ['Secret', added.secret],
      ]);
      print(context, options, added, `${facts}\nThe secret is shown this once and stored sealed.\n`);
    });
  webhooks
    .command('remove')
    .description('Send nothing to an endpoint any more.')
    .argument(...APP)
    .argument(...ENDPOINT)
    .option(...JSON_OPTION)
    .addHelpText('after', example(`webhooks remove ${AN_APP} ${AN_ENDPOINT}`))
    .action(async (id: string, endpoint: string, options: OutputOptions) => {
      const removed = await withService(context, async (service) => {
        const gone = await removeEndpoint(service.db, id as AppId, endpoint);
        service.security.note('webhook-changed', { appId: id, what: `remove ${gone.id}` });
        return gone;
      });
      print(context, options, removed, `Nothing is sent to ${removed.url} any more.\n`);
    });
  webhooks
    .command('enable')
    .description('Send to an endpoint again that was disabled, also what was on its way then.')
    .argument(...APP)
    .argument(...ENDPOINT)
    .option(...JSON_OPTION)
    .addHelpText('after', example(`webhooks enable ${AN_APP} ${AN_ENDPOINT}`))
    .action(async (id: string, endpoint: string, options: OutputOptions) => {
      const enabled = await withService(context, async (service) => {
        const change = { enabled: true };
        const changed = await service.db.transaction((tx) =>
          changeEndpoint(service, tx, id as AppId, endpoint, change),
        );
        service.security.note('webhook-changed', { appId: id, what: `change ${changed.id}` });
        return changed;
      });
      print(context, options, enabled, `Events are sent to ${enabled.url} again.\n`);
    });
  webhooks
    .command('redeliver')
    .description('Send an event again.')
    .argument(...APP)
    .argument('<event>', "the event's id, its webhook-id")
    .option('--endpoint <endpoint>', 'to this endpoint only; default all that want the type')
    .option(...JSON_OPTION)
    .addHelpText('after', example(`webhooks redeliver ${AN_APP} 019b2f6e-9d3a-7c51-8e04-2f7a1b6c9d30`))
    .action(async (id: string, event: string, options: OutputOptions & { readonly endpoint?: string }) => {
      const sent = await withService(context, ({ db }) =>
        db.transaction((tx) => redeliverEvent(tx, id as AppId, event, options.endpoint ?? null)),
      );
      const count = sent.endpoints.length;
      print(context, options, sent, `It is sent to ${count} endpoint${count === 1 ? '' : 's'}.\n`);
    });
}

function addType(text: string, previous: readonly EventType[] = []): EventType[] {
  if (!isEventType(text)) throw new InvalidArgumentError(`A type is one of ${EVENT_TYPES.join(', ')}.`);
  return previous.includes(text) ? [...previous] : [...previous, text];
}

function listText(endpoints: readonly Endpoint[]): string {
  if (endpoints.length === 0) return 'This app has no webhook endpoints.\n';
  return formatTable(
    [{ title: 'Endpoint' }, { title: 'URL' }, { title: 'State' }, { title: 'Types' }],
    endpoints.map((endpoint) => [endpoint.id, endpoint.url, stateOf(endpoint), endpoint.types?.join(' ') ?? 'all']),
  );
}

function stateOf({ disabledReason, failingSince }: Endpoint): string {
  if (disabledReason) return `disabled (${disabledReason})`;
  return failingSince ? `failing since ${readableTime(failingSince)}` : 'enabled';
}
