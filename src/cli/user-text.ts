import { toChecksum } from '../base/address.ts';
import type { Column } from '../base/columns.ts';
import { withThousands } from '../base/quarters.ts';
import { available } from '../ledger/accounts.ts';
import type { Activity } from '../views/accounts/read-activity.ts';
import { ACTIVITY_COLUMNS } from '../views/inspection/found-columns.ts';
import type { InspectedUser } from '../views/inspection/inspect-user.ts';
import { formatFacts, formatTable, jsonAmount, readableAmount, readableTime } from './format.ts';

/** A player in JSON. */
export function userJson({ user, milestones, guestOf, account, rewardsLeft, access, signIn, activity }: InspectedUser) {
  return {
    id: user.id,
    kind: user.kind,
    displayName: user.displayName,
    email: user.email || null,
    guestOf: guestOf?.id ?? null,
    address: account && toChecksum(account.address),
    balance: account && jsonAmount(available(account)),
    held: account && jsonAmount(account.held),
    rewardsLeft: jsonAmount(rewardsLeft),
    createdAt: user.createdAt.toISOString(),
    becameFullAt: milestones.becameFullAt?.toISOString() ?? null,
    closedAt: milestones.closedAt?.toISOString() ?? null,
    mergedInto: account?.mergedInto ? toChecksum(account.mergedInto) : null,
    apps: access.map(({ app, consent, mandate }) => ({
      id: app.id,
      name: app.name,
      scopes: consent?.scopes ?? [],
      perPayment: mandate && jsonAmount(mandate.maxPerTransfer),
      perDay: mandate && jsonAmount(mandate.maxPerDay),
    })),
    sessions: signIn.sessions.length,
    passkeys: signIn.passkeys.map(({ name, createdAt }) => ({ name, createdAt: createdAt.toISOString() })),
    activity: activity.activities.map(activityJson),
  };
}

function activityJson(activity: Activity) {
  const { kind, at, amount, txHash } = activity;
  const from = kind === 'request' ? { requestId: activity.request.id, appId: activity.request.appId } : {};
  return { kind, at: at?.toISOString() ?? null, quarters: jsonAmount(amount), txId: txHash, ...from };
}

/** All that is known of a player, for a terminal. */
export function userText(inspected: InspectedUser): string {
  const { user, milestones, guestOf, account, rewardsLeft, access, signIn, activity } = inspected;
  const facts = formatFacts([
    ['User', user.id],
    ['Name', user.displayName],
    ['Kind', user.kind],
    ...(user.email ? [['E-mail', user.email] as const] : []),
    ...(guestOf ? [['Guest of', `${guestOf.name} (${guestOf.id})`] as const] : []),
    ...(account ? [['Account', toChecksum(account.address)] as const] : []),
    ...(account ? [['Can spend', readableAmount(available(account))] as const] : []),
    ...(account ? [['Held', readableAmount(account.held)] as const] : []),
    ['Rewards left', readableAmount(rewardsLeft)],
    ['Created', readableTime(user.createdAt)],
    ...(milestones.becameFullAt ? [['Full user since', readableTime(milestones.becameFullAt)] as const] : []),
    ...(milestones.closedAt ? [['Closed', readableTime(milestones.closedAt)] as const] : []),
    ...(account?.mergedInto ? [['Merged into', toChecksum(account.mergedInto)] as const] : []),
    ['Signed in', `${signIn.sessions.length} browsers, ${signIn.passkeys.length} passkeys`],
    ...access.map(({ app, mandate }) => {
      const limit = mandate ? `spending limit ${withThousands(mandate.maxPerDay)} a day` : 'asks each time';
      return ['Game', `${app.name} (${app.id}), ${limit}`] as const;
    }),
  ]);
  return activity.activities.length === 0 ? facts : `${facts}\n${activityText(activity.activities)}`;
}

function activityText(activities: readonly Activity[]): string {
  const { time, what, status, quarters } = ACTIVITY_COLUMNS;
  const id: Column<Activity> = {
    label: 'Id',
    value: (activity) => (activity.kind === 'request' ? activity.request.id : activity.txHash),
  };
  return formatTable([time, what, status, quarters, id], activities);
}
