import type { Column } from '../../base/columns.ts';
import type { AppKey } from '../../identity/app-keys.ts';
import type { App } from '../../identity/apps.ts';

/** `balance`: what the app can spend now; null without an account. */
type Listed = { readonly app: App; readonly balance: bigint | null };

export const LISTED_APP_COLUMNS = {
  app: { label: 'App', value: ({ app }) => (app.deletedAt ? `${app.name} (deleted)` : app.name) },
  registered: { label: 'Registered', value: ({ app }) => app.createdAt },
  canSpend: { label: 'Can spend', kind: 'number', value: ({ balance }) => balance },
} satisfies Record<string, Column<Listed>>;

export const KEY_COLUMNS = {
  key: { label: 'Key', value: ({ id }) => id },
  scopes: {
    label: 'Scopes',
    value: ({ kind, scopes }) => (kind === 'client' ? 'OAuth' : ['read', ...scopes].join(' ')),
  },
  created: { label: 'Created', value: ({ createdAt }) => createdAt },
  lastUsed: { label: 'Last used', value: ({ lastUsedAt }) => lastUsedAt },
} satisfies Record<string, Column<AppKey>>;
