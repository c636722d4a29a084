import { InvalidArgumentError, Option } from 'commander';
import type { Column } from '../base/columns.ts';
import { ENDPOINT_COLUMNS } from '../views/webhooks/endpoint-columns.ts';
import type { Endpoint } from '../webhooks/endpoints.ts';
import { EVENT_TYPES, type EventType, isEventType } from '../webhooks/event-types.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { formatFacts, formatTable, readableTime } from './format.ts';

const ENDPOINT_ARGUMENT = ['<endpoint>', 'the endpoint id, as printed by `webhooks list`'] as const;
const AN_APP = '7Qm2xVb9KcRt4LpWz8Yd';
const AN_ENDPOINT = '019b2f6d-1e2f-7b60-a4c3-5d8e9f0a1b2c';

export function addWebhooksCommands(program: CliCommand, context: CliContext): void {
  const webhooks = program.command('webhooks').description('Manage webhooks.');
  addList(webhooks, context);
  addAdd(webhooks, context);
  addRemove(webhooks, context);
  addEnable(webhooks, context);
  addRedeliver(webhooks, context);
}

function addList(webhooks: CliCommand, context: CliContext): void {
  webhooks
    .command('list')
    .description("List an app's endpoints.")
    .app()
    .json()
    .examples(`webhooks list ${AN_APP}`)
    .action(async (id: string, options: OutputOptions) => {
      const { appFor, OPERATOR } = await import('../service/managers.ts');
      const { endpointJson } = await import('../features/webhooks/endpoints.ts');
      const { listEndpoints } = await import('../webhooks/endpoints.ts');
      const endpoints = await withService(context, async (service) =>
        listEndpoints(service.db, (await appFor(service, OPERATOR, id, 'read')).id),
      );
      print(context, options, { endpoints: endpoints.map(endpointJson) }, listText(endpoints));
    });
}

function addAdd(webhooks: CliCommand, context: CliContext): void {
  webhooks
    .command('add')
    .description("Send an app's events to a URL. The signing secret is shown once.")
    .app()
    .argument('<url>', 'an https:// URL')
    .addOption(
      new Option('--type <type>', 'event type to send (repeatable), default all')
        .choices(EVENT_TYPES)
        .argParser(addType),
    )
    .json()
    .examples(`webhooks add ${AN_APP} https://game.example/hook --type request.completed`)
    .action(async (id: string, url: string, options: OutputOptions & { readonly type?: EventType[] }) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { addEndpoint } = await import('../features/webhooks/endpoints.ts');
      const added = await withService(context, (service) =>
        addEndpoint(service, { by: OPERATOR, appId: id }, { url, types: options.type ?? null }),
      );
      const facts = formatFacts([
        ['Endpoint', added.id],
        ['Secret', added.secret],
      ]);
      print(context, options, added, `${facts}\nSave the secret now: it is shown only once.\n`);
    });
}

function addRemove(webhooks: CliCommand, context: CliContext): void {
  webhooks
    .command('remove')
    .description('Remove an endpoint and stop sending events to it.')
    .app()
    .argument(...ENDPOINT_ARGUMENT)
    .json()
    .examples(`webhooks remove ${AN_APP} ${AN_ENDPOINT}`)
    .action(async (id: string, endpoint: string, options: OutputOptions) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { removeEndpoint } = await import('../features/webhooks/endpoints.ts');
      const removed = await withService(context, (service) =>
        removeEndpoint(service, { by: OPERATOR, appId: id }, endpoint),
      );
      print(context, options, removed, `Removed ${removed.url}.\n`);
    });
}

function addEnable(webhooks: CliCommand, context: CliContext): void {
  webhooks
    .command('enable')
    .description('Re-enable a disabled endpoint and resume its pending deliveries.')
    .app()
    .argument(...ENDPOINT_ARGUMENT)
    .json()
    .examples(`webhooks enable ${AN_APP} ${AN_ENDPOINT}`)
    .action(async (id: string, endpoint: string, options: OutputOptions) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { changeEndpoint } = await import('../features/webhooks/endpoints.ts');
      const enabled = await withService(context, (service) =>
        changeEndpoint(service, { by: OPERATOR, appId: id }, endpoint, { enabled: true }),
      );
      print(context, options, enabled, `Enabled ${enabled.url}.\n`);
    });
}

function addRedeliver(webhooks: CliCommand, context: CliContext): void {
  webhooks
    .command('redeliver')
    .description('Deliver an event again.')
    .app()
    .argument('<event>', 'the event id (its webhook-id header)')
    .option('--endpoint <endpoint>', 'deliver only to this endpoint; default all that take its type')
    .json()
    .examples(`webhooks redeliver ${AN_APP} 019b2f6e-9d3a-7c51-8e04-2f7a1b6c9d30`)
    .action(async (id: string, event: string, options: OutputOptions & { readonly endpoint?: string }) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { redeliverEvent } = await import('../features/webhooks/events.ts');
      const sent = await withService(context, (service) =>
        redeliverEvent(service, { by: OPERATOR, appId: id }, event, options.endpoint ?? null),
      );
      const count = sent.endpoints.length;
      print(context, options, sent, `Queued for ${count} endpoint${count === 1 ? '' : 's'}.\n`);
    });
}

/** Collects the types of a repeatable option, each once. */
export function addType(text: string, previous: readonly EventType[] = []): EventType[] {
  if (!isEventType(text)) throw new InvalidArgumentError(`Use one of ${EVENT_TYPES.join(', ')}.`);
  return previous.includes(text) ? [...previous] : [...previous, text];
}

function listText(endpoints: readonly Endpoint[]): string {
  if (endpoints.length === 0) return 'This app has no webhook endpoints.\n';
  const { url, state, types } = ENDPOINT_COLUMNS;
  const id: Column<Endpoint> = { label: 'Endpoint', value: (endpoint) => endpoint.id };
  return formatTable([id, url, { ...state, value: stateOf }, types], endpoints);
}

function stateOf({ disabledReason, failingSince }: Endpoint): string {
  if (disabledReason) return `disabled (${disabledReason})`;
  return failingSince ? `failing since ${readableTime(failingSince)}` : 'enabled';
}
