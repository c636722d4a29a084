import type { Column } from '../base/columns.ts';
import { columnsFor, type Facts, inJson } from '../base/facts.ts';
import { withThousands } from '../base/quarters.ts';
import type { CreatedApp } from '../features/apps/create-app.ts';
import type { AppDeletion } from '../features/apps/delete-app.ts';
import type { AppKey } from '../identity/app-keys.ts';
import { APP_FACTS, KEY_FACTS, LISTED_APP_COLUMNS } from '../views/apps/app-columns.ts';
import type { ListedApp, ShownApp } from '../views/apps/show-app.ts';
import type { Printed } from './command.ts';
import { formatFacts, readableAmount } from './format.ts';
import { listed, shown } from './reading.ts';

const LISTED_FACTS: Facts<ListedApp> = {
  ...APP_FACTS,
  balance: { label: 'Can spend', value: ({ balance }) => balance },
};

const SHOWN_FACTS: Facts<ShownApp> = {
  ...LISTED_FACTS,
  ownerEmail: {
    label: 'Owner',
    value: ({ ownerEmail }) => ownerEmail,
    text: ({ ownerEmail }) => (ownerEmail === '' ? 'a closed account' : (ownerEmail ?? 'the operator')),
  },
  keys: { value: ({ keys }) => keys.map(inJson(KEY_FACTS)) },
};

/** A new app, with its secrets. */
export function createdApp(created: CreatedApp): Printed {
  const { app, address, clientSecret, serverKey, testQuarters } = created;
  const facts = formatFacts([
    ['App', app.name],
    ['App id', app.id],
    ['Account', address],
    ['Test quarters', testQuarters && withThousands(testQuarters)],
    ['Client secret', clientSecret],
    ['Server API key', serverKey],
  ]);
  const warning =
    clientSecret === null
      ? 'Save the key now: it is shown only once. We store only a hash. Keep it on your server, never in a game.'
      : 'Save the secret and the key now: they are shown only once. We store only hashes. Keep them on your server, never in a game.';
  return {
    json: { ...inJson(APP_FACTS)(created), clientSecret, serverKey, testQuarters },
    text: facts,
    hint: `\n${warning}\n`,
  };
}

export function listedApps(apps: readonly ListedApp[]): Printed {
  const { app, registered, canSpend } = LISTED_APP_COLUMNS;
  const { id, address, autoApprove } = APP_FACTS;
  const verified: Column<ListedApp> = { label: 'Verified', value: (one) => (one.app.verifiedAt ? 'yes' : 'no') };
  const columns = [
    app,
    ...columnsFor<ListedApp>({ id, address }),
    canSpend,
    verified,
    ...columnsFor({ autoApprove }),
    registered,
  ];
  const none = 'No apps yet. Register one with `npx quarters apps create --name <name>`.';
  return listed({ apps: apps.map(inJson(LISTED_FACTS)) }, columns, apps, { none });
}

/** What deleting an app takes away: quarters that nobody reaches afterwards. */
export function deletionText({ app, balance, guests, guestQuarters }: AppDeletion): string {
  const theirs =
    guests === 0 ? 'none' : `${readableAmount(guestQuarters)} in ${guests} ${guests === 1 ? 'account' : 'accounts'}`;
  return formatFacts([
    ['App', app.name],
    ['In its account', balance],
    ['With its guests', theirs],
    ['Afterwards', 'nobody reaches these quarters; keys, tokens and webhooks end'],
  ]);
}

export function shownApp(app: ShownApp): Printed {
  return shown(SHOWN_FACTS, app, listedKeys(app.keys).text);
}

/** After a change: who owns it and its keys are for people alone. */
export function changedApp(app: ShownApp): Printed {
  return { json: inJson(APP_FACTS)(app), text: shownApp(app).text };
}

export function listedKeys(keys: readonly AppKey[]): Printed {
  return listed({ keys: keys.map(inJson(KEY_FACTS)) }, columnsFor(KEY_FACTS), keys, { none: 'This app has no keys.' });
}
