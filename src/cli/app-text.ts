import { withThousands } from '../base/quarters.ts';
import type { CreatedApp } from '../features/apps/create-app.ts';
import type { AppDeletion } from '../features/apps/delete-app.ts';
import type { App } from '../identity/apps.ts';
import { LISTED_APP_COLUMNS } from '../views/apps/app-columns.ts';
import { picturePath } from '../views/apps/picture-path.ts';
import type { ListedApp, ShownApp } from '../views/apps/show-app.ts';
import { formatFacts, formatTable, jsonAmount, readableAmount, readableTime } from './format.ts';
import { keysText } from './keys.ts';

/** An app in JSON. */
export function describeApp({ app, address }: Pick<CreatedApp, 'app' | 'address'>) {
  const { id, name, redirectUris, frameAncestors, resultOrigins, topUpUrl, publicClient, autoApprove } = app;
  return {
    id,
    name,
    address,
    redirectUris,
    frameAncestors,
    resultOrigins,
    topUpUrl,
    publicClient,
    autoApprove,
    autoApproveConsent: app.autoApproveConsent,
    verifiedAt: app.verifiedAt?.toISOString() ?? null,
    picture: picturePath(app),
    autoApproveRequestedAt: app.autoApproveRequestedAt?.toISOString() ?? null,
    createdAt: app.createdAt.toISOString(),
    deletedAt: app.deletedAt?.toISOString() ?? null,
  };
}

/** A new app in JSON, with its secrets. */
export function describeNewApp(created: CreatedApp) {
  const { clientSecret, serverKey, testQuarters } = created;
  return { ...describeApp(created), clientSecret, serverKey, testQuarters: testQuarters && jsonAmount(testQuarters) };
}

export function createdText({ app, address, clientSecret, serverKey, testQuarters }: CreatedApp): string {
  const facts = formatFacts([
    ['App', app.name],
    ['App id', app.id],
    ['Account', address],
    ...(testQuarters === null ? [] : [['Test quarters', withThousands(testQuarters)] as const]),
    ...(clientSecret === null ? [] : [['Client secret', clientSecret] as const]),
    ['Server API key', serverKey],
  ]);
  const warning =
    clientSecret === null
      ? 'Save the key now: it is shown only once. We store only a hash. Keep it on your server, never in a game.'
      : 'Save the secret and the key now: they are shown only once. We store only hashes. Keep them on your server, never in a game.';
  return `${facts}\n${warning}\n`;
}

export function listText(listed: readonly ListedApp[]): string {
  if (listed.length === 0) return 'No apps yet. Register one with `npx quarters apps create --name <name>`.\n';
  const { app, registered, canSpend } = LISTED_APP_COLUMNS;
  return formatTable(
    [
      app,
      { label: 'App id', value: (listing) => listing.app.id },
      { label: 'Account', value: ({ address }) => address },
      canSpend,
      { label: 'Verified', value: (listing) => (listing.app.verifiedAt ? 'yes' : 'no') },
      { label: 'Spending limits', value: (listing) => autoApprovalText(listing.app) },
      registered,
    ],
    listed,
  );
}

function autoApprovalText({ autoApprove, autoApproveConsent, autoApproveRequestedAt }: App): string {
  if (autoApprove) return autoApproveConsent === 'box' ? 'enabled (box)' : 'enabled';
  return autoApproveRequestedAt ? 'requested' : 'disabled';
}

/** What deleting an app takes away: quarters that nobody reaches afterwards. */
export function deletionText({ app, balance, guests, guestQuarters }: AppDeletion): string {
  const theirs =
    guests === 0 ? 'none' : `${readableAmount(guestQuarters)} in ${guests} ${guests === 1 ? 'account' : 'accounts'}`;
  return formatFacts([
    ['App', app.name],
    ['In its account', readableAmount(balance)],
    ['With its guests', theirs],
    ['Afterwards', 'nobody reaches these quarters; keys, tokens and webhooks end'],
  ]);
}

export function shownText({ app, address, balance, ownerEmail, keys }: ShownApp): string {
  const facts = formatFacts([
    ['App', app.name],
    ['App id', app.id],
    ['Account', address],
    ['Can spend', readableAmount(balance)],
    ['Owner', ownerEmail === '' ? 'a closed account' : (ownerEmail ?? 'the operator')],
    ['Client', app.publicClient ? 'public (no secret)' : 'confidential'],
    ...listFacts('Redirect address', app.redirectUris),
    ...listFacts('Frame ancestor', app.frameAncestors),
    ...listFacts('Result origin', app.resultOrigins),
    ['Top-up page', app.topUpUrl ?? 'none'],
    ['Picture', picturePath(app) ?? 'none'],
    ['Verified', app.verifiedAt ? readableTime(app.verifiedAt) : 'no'],
    ['Spending limits', autoApprovalText(app)],
    ['Registered', readableTime(app.createdAt)],
    ...(app.deletedAt ? [['Deleted', readableTime(app.deletedAt)] as const] : []),
  ]);
  return `${facts}\n${keysText(keys)}`;
}

function listFacts(name: string, values: readonly string[]): (readonly [string, string])[] {
  return values.map((value) => [name, value] as const);
}
