import type { Column } from '../../base/columns.ts';
import type { Facts } from '../../base/facts.ts';
import type { AppKey, KeyCaps } from '../../identity/app-keys.ts';
import type { App } from '../../identity/apps.ts';
import { picturePath } from './picture-path.ts';

/** `balance`: what the app can spend now; null without an account. */
type Listed = { readonly app: App; readonly balance: bigint | null };

export const LISTED_APP_COLUMNS = {
  app: { label: 'App', value: ({ app }) => (app.deletedAt ? `${app.name} (deleted)` : app.name) },
  registered: { label: 'Registered', value: ({ app }) => app.createdAt },
  canSpend: { label: 'Can spend', kind: 'number', value: ({ balance }) => balance },
} satisfies Record<string, Column<Listed>>;

export const APP_FACTS = {
  id: { label: 'App id', value: ({ app }) => app.id },
  name: { label: 'App', value: ({ app }) => app.name },
  address: { label: 'Account', value: ({ address }) => address },
  redirectUris: { label: 'Redirect address', value: ({ app }) => app.redirectUris },
  frameAncestors: { label: 'Frame ancestor', value: ({ app }) => app.frameAncestors },
  resultOrigins: { label: 'Result origin', value: ({ app }) => app.resultOrigins },
  topUpUrl: { label: 'Top-up page', value: ({ app }) => app.topUpUrl, text: ({ app }) => app.topUpUrl ?? 'none' },
  publicClient: {
    label: 'Client',
    value: ({ app }) => app.publicClient,
    text: ({ app }) => (app.publicClient ? 'public (no secret)' : 'confidential'),
  },
  autoApprove: { label: 'Spending limits', value: ({ app }) => app.autoApprove, text: ({ app }) => limitsText(app) },
  autoApproveConsent: { value: ({ app }) => app.autoApproveConsent },
  verifiedAt: { label: 'Verified', value: ({ app }) => app.verifiedAt, text: ({ app }) => app.verifiedAt ?? 'no' },
  picture: {
    label: 'Picture',
    value: ({ app }) => picturePath(app),
    text: ({ app }) => picturePath(app) ?? 'none',
  },
  autoApproveRequestedAt: { value: ({ app }) => app.autoApproveRequestedAt },
  createdAt: { label: 'Registered', value: ({ app }) => app.createdAt },
  deletedAt: { label: 'Deleted', value: ({ app }) => app.deletedAt },
} satisfies Facts<{ readonly app: App; readonly address: string }>;

function limitsText({ autoApprove, autoApproveConsent, autoApproveRequestedAt }: App): string {
  if (autoApprove) return autoApproveConsent === 'box' ? 'enabled (box)' : 'enabled';
  return autoApproveRequestedAt ? 'requested' : 'disabled';
}

/** What only a server key has is not there for a client secret. */
const cap = (label: string, name: keyof KeyCaps) =>
  ({ label, kind: 'number', value: (key: AppKey) => (key.kind === 'server' ? key[name] : undefined) }) as const;

export const KEY_FACTS = {
  id: { label: 'Key', value: ({ id }) => id },
  kind: { label: 'Kind', value: ({ kind }) => kind },
  name: { label: 'Name', value: ({ name }) => name, text: ({ name }) => name || null },
  ending: { label: 'Ends in', value: ({ ending }) => ending },
  scopes: {
    label: 'Scopes',
    value: ({ kind, scopes }) => (kind === 'server' ? scopes : undefined),
    text: ({ kind, scopes }) => (kind === 'client' ? 'OAuth' : ['read', ...scopes].join(' ')),
  },
  payPerDay: cap('Pay/day', 'payPerDay'),
  askPerDay: cap('Ask/day', 'askPerDay'),
  approvePerDay: cap('Approve/day', 'approvePerDay'),
  createdAt: { label: 'Created', value: ({ createdAt }) => createdAt },
  lastUsedAt: { label: 'Last used', value: ({ lastUsedAt }) => lastUsedAt },
  revokedAt: { label: 'Revoked', value: ({ revokedAt }) => revokedAt },
} satisfies Facts<AppKey>;
