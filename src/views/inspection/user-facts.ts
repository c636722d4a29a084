import { toChecksum } from '../../base/address.ts';
import type { Column } from '../../base/columns.ts';
import type { Facts } from '../../base/facts.ts';
import { withThousands } from '../../base/quarters.ts';
import { available } from '../../ledger/accounts.ts';
import type { Access } from '../accounts/list-access.ts';
import type { Activity } from '../accounts/read-activity.ts';
import { ACTIVITY_COLUMNS } from './activity-columns.ts';
import type { InspectedUser } from './inspect-user.ts';

export const USER_FACTS: Facts<InspectedUser> = {
  id: { label: 'User', value: ({ user }) => user.id },
  kind: { label: 'Kind', value: ({ user }) => user.kind },
  displayName: { label: 'Name', value: ({ user }) => user.displayName },
  email: { label: 'E-mail', value: ({ user }) => user.email || null },
  guestOf: {
    label: 'Guest of',
    value: ({ guestOf }) => guestOf?.id ?? null,
    text: ({ guestOf }) => guestOf && `${guestOf.name} (${guestOf.id})`,
  },
  address: { label: 'Account', value: ({ account }) => account && toChecksum(account.address) },
  balance: { label: 'Can spend', value: ({ account }) => account && available(account) },
  held: { label: 'Held', value: ({ account }) => account?.held },
  rewardsLeft: { label: 'Rewards left', value: ({ rewardsLeft }) => rewardsLeft },
  createdAt: { label: 'Created', value: ({ user }) => user.createdAt },
  seenOn: { label: 'Last seen', value: ({ seenOn }) => seenOn },
  becameFullAt: { label: 'Full user since', value: ({ milestones }) => milestones.becameFullAt },
  closedAt: { label: 'Closed', value: ({ milestones }) => milestones.closedAt },
  mergedInto: {
    label: 'Merged into',
    value: ({ account }) => (account?.mergedInto ? toChecksum(account.mergedInto) : null),
  },
  apps: {
    label: 'Game',
    value: ({ access }) => access.map(accessJson),
    text: ({ access }) => access.map(accessText),
  },
  sessions: {
    label: 'Signed in',
    value: ({ signIn }) => signIn.sessions.length,
    text: ({ signIn }) => `${signIn.sessions.length} browsers, ${signIn.passkeys.length} passkeys`,
  },
  passkeys: { value: ({ signIn }) => signIn.passkeys.map(({ name, createdAt }) => ({ name, createdAt })) },
  activity: { value: ({ activity }) => activity.activities.map(activityJson) },
};

const accessJson = ({ app, consent, mandate }: Access) => ({
  id: app.id,
  name: app.name,
  scopes: consent?.scopes ?? [],
  perPayment: mandate?.maxPerTransfer,
  perDay: mandate?.maxPerDay,
});

function accessText({ app, mandate }: Access): string {
  const limit = mandate ? `spending limit ${withThousands(mandate.maxPerDay)} a day` : 'asks each time';
  return `${app.name} (${app.id}), ${limit}`;
}

function activityJson(activity: Activity) {
  const { kind, at, amount, txHash } = activity;
  const from = kind === 'request' ? { requestId: activity.request.id, appId: activity.request.appId } : {};
  return { kind, at, quarters: amount, txId: txHash, ...from };
}

const { time, what, status, quarters } = ACTIVITY_COLUMNS;

/** What moved, with the id by which a command shows it. */
export const MOVED_COLUMNS: readonly Column<Activity>[] = [
  ...[time, what, status, quarters],
  { label: 'Id', value: (activity) => (activity.kind === 'request' ? activity.request.id : activity.txHash) },
];
