import { type Quarters, withThousands } from '../base/quarters.ts';
import type { AppKey } from '../identity/app-keys.ts';
import type { App } from '../identity/apps.ts';
import type { ListedApp } from '../usecases/listed-app.ts';
import type { CreatedApp } from '../usecases/new-app.ts';
import type { ShownApp } from '../usecases/operator/show-app.ts';
import { picturePath } from '../web/app-face.ts';
import { jsonAmount, readableAmount } from './amount.ts';
import { readableTime } from './command.ts';
import { formatFacts, formatTable } from './table.ts';

/** An app in JSON. */
export function describeApp({ app, address }: Pick<ListedApp, 'app' | 'address'>) {
  const { id, name, redirectUris, frameAncestors, resultOrigins, publicClient, autoApprove } = app;
  return {
    id,
    name,
    address,
    redirectUris,
    frameAncestors,
    resultOrigins,
    publicClient,
    autoApprove,
    verifiedAt: app.verifiedAt?.toISOString() ?? null,
    picture: picturePath(app),
    autoApproveRequestedAt: app.autoApproveRequestedAt?.toISOString() ?? null,
    createdAt: app.createdAt.toISOString(),
  };
}

/** A key in JSON. */
export function describeKey({ id, kind, ending, scopes, createdAt, revokedAt, ...caps }: AppKey) {
  const amount = (cap: Quarters | null) => cap && jsonAmount(cap);
  return {
    id,
    kind,
    ending,
    ...(kind === 'server' && {
      scopes,
      payPerDay: amount(caps.payPerDay),
      askPerDay: amount(caps.askPerDay),
      approvePerDay: amount(caps.approvePerDay),
    }),
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

export function createdText({ app, address, clientSecret, serverKey }: CreatedApp): string {
  const facts = formatFacts([
    ['App', app.name],
    ['App id', app.id],
    ['Account', address],
    ...(clientSecret === null ? [] : [['Client secret', clientSecret] as const]),
    ['Server API key', serverKey],
  ]);
  const what = clientSecret === null ? 'The key is' : 'Secret and key are';
  return `${facts}\n${what} shown this once and stored only as a hash: keep them on your server, never in a game.\n`;
}

export function listText(listed: readonly ListedApp[]): string {
  if (listed.length === 0) return 'There is no app yet. Register one with `npx quarters apps create --name <name>`.\n';
  return formatTable(
    [
      { title: 'NAME' },
      { title: 'APP ID' },
      { title: 'ACCOUNT' },
      { title: 'QUARTERS', align: 'right' },
      { title: 'VERIFIED' },
      { title: 'AUTO APPROVAL' },
      { title: 'CREATED' },
    ],
    listed.map(({ app, address, balance }) => [
      app.name,
      app.id,
      address,
      withThousands(balance),
      app.verifiedAt ? 'yes' : 'no',
      autoApprovalText(app),
      readableTime(app.createdAt),
    ]),
  );
}

function autoApprovalText({ autoApprove, autoApproveRequestedAt }: App): string {
  if (autoApprove) return 'enabled';
  return autoApproveRequestedAt ? 'asked for' : 'no';
}

export function shownText({ app, address, balance, ownerEmail, keys }: ShownApp): string {
  const facts = formatFacts([
    ['App', app.name],
    ['App id', app.id],
    ['Account', address],
    ['Balance', readableAmount(balance)],
    ['Owner', ownerEmail ?? 'the operator'],
    ['Client', app.publicClient ? 'public: keeps no secret' : 'confidential'],
    ...listFacts('Redirect address', app.redirectUris),
    ...listFacts('Frame ancestor', app.frameAncestors),
    ...listFacts('Result origin', app.resultOrigins),
    ['Picture', picturePath(app) ?? 'none'],
    ['Verified', app.verifiedAt ? readableTime(app.verifiedAt) : 'no'],
    ['Auto approval', autoApprovalText(app)],
    ['Created', readableTime(app.createdAt)],
  ]);
  return `${facts}\n${keysText(keys)}`;
}

function listFacts(name: string, values: readonly string[]): (readonly [string, string])[] {
  return values.map((value) => [name, value] as const);
}

export function keysText(keys: readonly AppKey[]): string {
  if (keys.length === 0) return 'The app has no key.\n';
  return formatTable(
    [
      { title: 'KEY' },
      { title: 'KIND' },
      { title: 'ENDS IN' },
      { title: 'MAY' },
      { title: 'PAYS A DAY', align: 'right' },
      { title: 'ASKS A DAY', align: 'right' },
      { title: 'APPROVES A DAY', align: 'right' },
      { title: 'CREATED' },
      { title: 'REVOKED' },
    ],
    keys.map(({ id, kind, ending, scopes, payPerDay, askPerDay, approvePerDay, createdAt, revokedAt }) => [
      id,
      kind,
      ending,
      kind === 'client' ? 'OAuth' : ['read', ...scopes].join(' '),
      ...[payPerDay, askPerDay, approvePerDay].map((cap) => (cap === null ? '-' : withThousands(cap))),
      readableTime(createdAt),
      revokedAt ? readableTime(revokedAt) : '-',
    ]),
  );
}
