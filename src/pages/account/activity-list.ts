import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import type { RequestId } from '../../base/ids.ts';
import type { RequestSource } from '../../requests/requests.ts';
import { isOnItsWay, type RequestStatus } from '../../requests/states.ts';
import type { Service } from '../../service/service.ts';
import type { Activity } from '../../views/accounts/read-activity.ts';
import { gameText } from '../../web/game-text.ts';
import type { Markup } from '../../web/layout.ts';
import { words } from '../../words/words.ts';
import { appName, moment, transactionLink } from './account-frame.ts';

type Settings = Pick<Service['settings'], 'explorerUrl' | 'approvalPath' | 'brandName'>;
type States = Record<RequestStatus, string>;

const says = words.activity;
const ASKED: States = says.asked;
const UNASKED: States = { ...ASKED, ...says.unasked };
const PAID: States = { ...ASKED, ...says.paid };
const REFUNDED: States = { ...PAID, ...says.refunded };
const STATES = { user: ASKED, payout: PAID, refund: REFUNDED } as const satisfies Record<RequestSource, States>;

/** The stream of what is still in progress, in one address. */
export const PROGRESS_PATH = '/account/progress';

/** Rows of a player's activity. Those in progress are followed by `progress.js`. */
export function activityList(settings: Settings, activities: readonly Activity[]): Markup {
  if (activities.length === 0) return html`<p>${says.none}</p>`;
  const going = onTheirWay(activities);
  const address = `${PROGRESS_PATH}?requests=${going.join(',')}`;
  return html`<ul class="rows"${going.length > 0 && html` data-progress="${address}"`}>${activities.map((activity) => item(settings, activity))}</ul>`;
}

/** The shown requests that are still in progress. */
export function onTheirWay(activities: readonly Activity[]): RequestId[] {
  return activities.flatMap((activity) =>
    activity.kind === 'request' && isOnItsWay(activity.request.status) ? [activity.request.id] : [],
  );
}

function item(settings: Settings, activity: Activity): Markup {
  return html`<li class="activity"><div>
<div>${who(settings, activity)}</div>
${what(activity)}
<div class="hint"><span${changing(activity, 'state')}>${state(settings, activity)}</span>${activity.at && html` ${moment(activity.at)}`}</div>
</div>
<div${changing(activity, 'amount')} class="${directionOf(activity) === 'none' ? 'asked' : 'moved'}">${signed(activity)} <span class="visually-hidden">${words.unit(activity.amount)}</span></div>
${activity.txHash && transaction(settings, activity.txHash)}</li>`;
}

/** Gives a part of a row an id, so that an open page finds it in a newer copy of itself. */
function changing(activity: Activity, part: 'state' | 'amount'): Markup | '' {
  if (activity.kind === 'outside') return '';
  const { id, status } = activity.request;
  const live = isOnItsWay(status) && html` data-live${part === 'state' && html` aria-live="polite"`}`;
  return html` id="${part}-${id}"${live}`;
}

function who({ brandName }: Settings, activity: Activity): Markup | string {
  if (activity.kind === 'request') return appName(activity.app);
  const { direction, otherSide, otherAddress } = activity.posting;
  if (otherSide === 'treasury') return direction === 'in' ? says.fromOperator(brandName) : says.toOperator(brandName);
  if (otherSide === 'guest') return says.fromGuest;
  const address = html`<code>${toChecksum(otherAddress)}</code>`;
  return direction === 'in' ? says.depositFrom(address) : says.sentTo(address);
}

function what(activity: Activity): Markup | '' {
  const text = activity.kind === 'request' ? gameText(activity.request.description, 280) : null;
  return text ? html`<div class="hint"><bdi>“${text}”</bdi></div>` : '';
}

function state({ approvalPath }: Settings, activity: Activity): Markup | string {
  if (activity.kind === 'outside') return activity.posting.direction === 'in' ? says.received : says.sent;
  const { id, source, status } = activity.request;
  const inWords = (source === 'user' && activity.withoutAsking ? UNASKED : STATES[source])[status];
  return status === 'pending' ? html`<a href="${approvalPath ?? ''}/requests/${id}">${inWords}</a>` : inWords;
}

/** With `+` or `−` if quarters moved or are on their way. */
function signed(activity: Activity): string {
  const { amount } = activity;
  const direction = directionOf(activity);
  if (direction === 'none') return words.number(amount);
  return words.signed(direction === 'in' ? amount : -amount);
}

/** Whether quarters came, went or did not move. */
export function directionOf(activity: Activity): 'in' | 'out' | 'none' {
  if (activity.kind === 'outside') return activity.posting.direction;
  const { source, status } = activity.request;
  if (!isOnItsWay(status) && status !== 'completed') return 'none';
  return source === 'user' ? 'out' : 'in';
}

function transaction({ explorerUrl }: Settings, hash: NonNullable<Activity['txHash']>): Markup {
  const link = transactionLink(explorerUrl, hash);
  return html`<div class="chain">${
    link
      ? html`<a href="${link}" rel="noreferrer">${says.transaction}</a>`
      : html`<details><summary>${says.transaction}</summary><code class="copy">${hash}</code></details>`
  }</div>`;
}
