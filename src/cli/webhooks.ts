import { InvalidArgumentError, Option } from 'commander';
import type { Column } from '../base/columns.ts';
import { ENDPOINT_COLUMNS } from '../views/webhooks/endpoint-columns.ts';
import { EVENT_TYPES, type EventType, isEventType } from '../webhooks/event-types.ts';
import type { Endpoint } from '../webhooks/webhook-endpoints.ts';
import type { CliCommand } from './command.ts';
import { formatFacts, readableTime } from './format.ts';
import { listed } from './reading.ts';
import { AN_APP, parseUuid } from './values.ts';

const ENDPOINT_ARGUMENT = ['<endpoint>', 'the endpoint id, as printed by `webhooks list`', parseUuid] as const;
const AN_ENDPOINT = '019b2f6d-1e2f-7b60-a4c3-5d8e9f0a1b2c';

const { url, state, types } = ENDPOINT_COLUMNS;
const COLUMNS: readonly Column<Endpoint>[] = [
  { label: 'Endpoint', value: ({ id }) => id },
  url,
  { ...state, value: stateOf },
  types,
];

export function addWebhooksCommands(program: CliCommand): void {
  const webhooks = program.command('webhooks').description('Manage webhooks.');
  addList(webhooks);
  addAdd(webhooks);
  addRemove(webhooks);
  addEnable(webhooks);
  addRedeliver(webhooks);
}

function addList(webhooks: CliCommand): void {
  webhooks
    .command('list')
    .description("List an app's endpoints.")
    .app()
    .examples(`webhooks list ${AN_APP}`)
    .prints(async (service, id: string) => {
      const { appFor, OPERATOR } = await import('../service/managers.ts');
      const { endpointJson } = await import('../features/webhooks/manage-webhook-endpoints.ts');
      const { listEndpoints } = await import('../webhooks/webhook-endpoints.ts');
      const found = await listEndpoints(service.db, (await appFor(service, OPERATOR, id, 'read')).id);
      const none = 'This app has no webhook endpoints.';
      return listed({ endpoints: found.map(endpointJson) }, COLUMNS, found, { none });
    });
}

function addAdd(webhooks: CliCommand): void {
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
    .examples(`webhooks add ${AN_APP} https://game.example/hook --type request.completed`)
    .changes(async (service, id: string, url: string, { type }: { readonly type?: EventType[] }) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { addEndpoint } = await import('../features/webhooks/manage-webhook-endpoints.ts');
      const added = await addEndpoint(service, { by: OPERATOR, appId: id }, { url, types: type ?? null });
      const facts = formatFacts([
        ['Endpoint', added.id],
        ['Secret', added.secret],
      ]);
      return { json: added, text: facts, hint: '\nSave the secret now: it is shown only once.\n' };
    });
}

function addRemove(webhooks: CliCommand): void {
  webhooks
    .command('remove')
    .description('Remove an endpoint and stop sending events to it.')
    .app()
    .argument(...ENDPOINT_ARGUMENT)
    .examples(`webhooks remove ${AN_APP} ${AN_ENDPOINT}`)
    .changes(async (service, id: string, endpoint: string) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { removeEndpoint } = await import('../features/webhooks/manage-webhook-endpoints.ts');
      const removed = await removeEndpoint(service, { by: OPERATOR, appId: id }, endpoint);
      return { json: removed, text: `Removed ${removed.url}.\n` };
    });
}

function addEnable(webhooks: CliCommand): void {
  webhooks
    .command('enable')
    .description('Re-enable a disabled endpoint and resume its pending deliveries.')
    .app()
    .argument(...ENDPOINT_ARGUMENT)
    .examples(`webhooks enable ${AN_APP} ${AN_ENDPOINT}`)
    .changes(async (service, id: string, endpoint: string) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { changeEndpoint } = await import('../features/webhooks/manage-webhook-endpoints.ts');
      const enabled = await changeEndpoint(service, { by: OPERATOR, appId: id }, endpoint, { enabled: true });
      return { json: enabled, text: `Enabled ${enabled.url}.\n` };
    });
}

function addRedeliver(webhooks: CliCommand): void {
  webhooks
    .command('redeliver')
    .description('Deliver an event again.')
    .app()
    .argument('<event>', 'the event id (its webhook-id header)', parseUuid)
    .option('--endpoint <endpoint>', 'deliver only to this endpoint; default all that take its type', parseUuid)
    .examples(`webhooks redeliver ${AN_APP} 019b2f6e-9d3a-7c51-8e04-2f7a1b6c9d30`)
    .changes(async (service, id: string, event: string, { endpoint }: { readonly endpoint?: string }) => {
      const { OPERATOR } = await import('../service/managers.ts');
      const { redeliverEvent } = await import('../features/webhooks/events.ts');
      const sent = await redeliverEvent(service, { by: OPERATOR, appId: id }, event, endpoint ?? null);
      const count = sent.endpoints.length;
      const listening = endpoint === undefined ? ' Whoever runs npx quarters listen gets it again, too.' : '';
      return { json: sent, text: `Queued for ${count} endpoint${count === 1 ? '' : 's'}.${listening}\n` };
    });
}

/** Collects the types of a repeatable option, each once. */
export function addType(text: string, previous: readonly EventType[] = []): EventType[] {
  if (!isEventType(text)) throw new InvalidArgumentError(`Use one of ${EVENT_TYPES.join(', ')}.`);
  return previous.includes(text) ? [...previous] : [...previous, text];
}

function stateOf({ disabledReason, failingSince }: Endpoint): string {
  if (disabledReason) return `disabled (${disabledReason})`;
  return failingSince ? `failing since ${readableTime(failingSince)}` : 'enabled';
}
