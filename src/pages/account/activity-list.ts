import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import type { RequestId } from '../../base/ids.ts';
import type { RequestSource } from '../../requests/requests.ts';
import { isOnItsWay, type RequestStatus } from '../../requests/states.ts';
import type { Service } from '../../service/service.ts';
import { type Activity, purposeOfOutside } from '../../views/accounts/read-activity.ts';
import { inQuotes } from '../../web/branding.ts';
import { gameText } from '../../web/game-text.ts';
import type { Markup } from '../../web/layout.ts';
import type { Words } from '../../words/words.ts';
import { appName, moment, transactionLink } from './account-frame.ts';

type Settings = Pick<Service['settings'], 'explorerUrl' | 'approvalPath' | 'brandName'>;
type States = Record<RequestStatus, string>;

/** What a request's state is called. */
function stateIn({ activity: says }: Words, source: RequestSource, unasked: boolean, status: RequestStatus): string {
  const ofPayment: Partial<States> = unasked ? says.unasked : {};
  const ofPayout: Partial<States> = source === 'refund' ? { ...says.paid, ...says.refunded } : says.paid;
  return (source === 'user' ? ofPayment : ofPayout)[status] ?? says.asked[status];
}

/** The stream of what is still in progress, in one address. */
export const PROGRESS_PATH = '/account/progress';

/** Rows of a player's activity. Those in progress are followed by `progress.js`. */
export function activityList(words: Words, settings: Settings, activities: readonly Activity[]): Markup {
  if (activities.length === 0) return html`<p>${words.activity.none}</p>`;
  const going = onTheirWay(activities);
  const address = `${PROGRESS_PATH}?requests=${going.join(',')}`;
  return html`<ul class="rows"${going.length > 0 && html` data-progress="${address}"`}>${activities.map((activity) => item(words, settings, activity))}</ul>`;
}

/** The shown requests that are still in progress. */
export function onTheirWay(activities: readonly Activity[]): RequestId[] {
  return activities.flatMap((activity) =>
    activity.kind === 'request' && isOnItsWay(activity.request.status) ? [activity.request.id] : [],
  );
}

function item(words: Words, settings: Settings, activity: Activity): Markup {
  return html`<li class="activity"><div>
<div>${who(words, settings, activity)}</div>
${what(words, activity)}
<div class="hint"><span${changing(activity, 'state')}>${state(words, settings, activity)}</span>${activity.at && html` ${moment(words, activity.at)}`}</div>
</div>
<div${changing(activity, 'amount')} class="${directionOf(activity) === 'none' ? 'asked' : 'moved'}">${signed(words, activity)} <span class="visually-hidden">${words.unit(activity.amount)}</span></div>
${activity.txHash && transaction(words, settings, activity.txHash)}</li>`;
}

/** Gives a part of a row an id, so that an open page finds it in a newer copy of itself. */
function changing(activity: Activity, part: 'state' | 'amount'): Markup | '' {
  if (activity.kind === 'outside') return '';
  const { id, status } = activity.request;
  const live = isOnItsWay(status) && html` data-live${part === 'state' && html` aria-live="polite"`}`;
  return html` id="${part}-${id}"${live}`;
}

function who(words: Words, { brandName }: Settings, activity: Activity): Markup | string {
  const says = words.activity;
  if (activity.kind === 'request') return appName(words, activity.app);
  const purpose = purposeOfOutside(activity);
  if (purpose === 'issue') return says.fromOperator(brandName);
  if (purpose === 'return') return says.toOperator(brandName);
  if (purpose === 'merge') return says.fromGuest;
  const address = html`<code>${toChecksum(activity.posting.otherAddress)}</code>`;
  return purpose === 'deposit' ? says.depositFrom(address) : says.sentTo(address);
}

function what(words: Words, activity: Activity): Markup | '' {
  const text = activity.kind === 'request' ? gameText(activity.request.description, 280) : null;
  return text ? html`<div class="hint">${inQuotes(words, text)}</div>` : '';
}

function state(words: Words, { approvalPath }: Settings, activity: Activity): Markup | string {
  const says = words.activity;
  if (activity.kind === 'outside') return activity.posting.direction === 'in' ? says.received : says.sent;
  const { id, source, status } = activity.request;
  const inWords = stateIn(words, source, activity.withoutAsking, status);
  return status === 'pending' ? html`<a href="${approvalPath ?? ''}/requests/${id}">${inWords}</a>` : inWords;
}

/** With `+` or `−` if quarters moved or are on their way. */
function signed(words: Words, activity: Activity): string {
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

function transaction(
  { activity: says }: Words,
  { explorerUrl }: Settings,
  hash: NonNullable<Activity['txHash']>,
): Markup {
  const link = transactionLink(explorerUrl, hash);
  return html`<div class="chain">${
    link
      ? html`<a href="${link}" rel="noreferrer">${says.transaction}</a>`
      : html`<details><summary>${says.transaction}</summary><code class="copy">${hash}</code></details>`
  }</div>`;
}
