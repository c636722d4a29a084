import type { Column } from '../../base/columns.ts';
import type { Endpoint } from '../../webhooks/webhook-endpoints.ts';

export const ENDPOINT_COLUMNS = {
  url: { label: 'URL', value: ({ url }) => url },
  state: { label: 'State', value: ({ disabledReason }) => (disabledReason ? 'disabled' : 'enabled') },
  types: { label: 'Types', value: ({ types }) => types?.join(' ') ?? 'all' },
} satisfies Record<string, Column<Endpoint>>;
