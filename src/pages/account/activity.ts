import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import { type RequestId, UUID_PATTERN } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { withThousands } from '../../base/quarters.ts';
import { type Activity, type ActivityCursor, readActivity } from '../../features/accounts/read-activity.ts';
import { findRequests, type RequestSource } from '../../requests/requests.ts';
import { isOnItsWay, type RequestStatus } from '../../requests/states.ts';
import type { Service } from '../../settlement/service.ts';
import { gameText } from '../../web/game-text.ts';
import { type Markup, unit } from '../../web/layout.ts';
import type { ProgressStreams } from '../../web/progress-streams.ts';
import { parameter } from '../../web/request-parameters.ts';
import { readVisitor, signedIn } from '../../web/visitor.ts';
import { appName, moment, sendAccountPage, transactionLink } from './account-frame.ts';

type Settings = Pick<Service['settings'], 'explorerUrl' | 'approvalPath'>;

/** The state of a payment that an app asked for. */
const ASKED: Record<RequestStatus, string> = {
  pending: 'Waiting for your answer',
  approved: 'Approved, on its way',
  submitted: 'Approved, on its way',
  completed: 'Paid',
  // A payment from two sources may have been paid in part.
  failed: 'Failed, the rest was returned to you',
  declined: 'You declined',
  expired: 'Expired, nothing was taken',
  cancelled: 'Cancelled, nothing was taken',
};
/** The state of a payment under a mandate. */
const UNASKED: Record<RequestStatus, string> = {
  ...ASKED,
  approved: 'On its way, within your spending limit',
  submitted: 'On its way, within your spending limit',
  completed: 'Paid within your spending limit',
};
/** The state of a payout. */
const PAID: Record<RequestStatus, string> = {
  ...ASKED,
  approved: 'On its way to you',
  submitted: 'On its way to you',
  completed: 'Received',
  failed: 'Failed, you were not paid',
};
/** The state of a refund. */
const REFUNDED: Record<RequestStatus, string> = {
  ...PAID,
  approved: 'Refund, on its way to you',
  submitted: 'Refund, on its way to you',
  completed: 'Refunded',
  failed: 'Refund failed, you were not paid',
};
const WORDS = { user: ASKED, payout: PAID, refund: REFUNDED } as const satisfies Record<RequestSource, unknown>;

export function activityList(settings: Settings, activities: readonly Activity[]): Markup {
  if (activities.length === 0) return html`<p>No activity yet.</p>`;
  const going = onTheirWay(activities);
  return html`<ul class="rows"${going.length > 0 && html` data-progress="${progressAddress(going)}"`}>${activities.map((activity) => item(settings, activity))}</ul>`;
}

/** The shown requests that are still in progress. */
export function onTheirWay(activities: readonly Activity[]): RequestId[] {
  return activities.flatMap((activity) =>
    activity.kind === 'request' && isOnItsWay(activity.request.status) ? [activity.request.id] : [],
  );
}

function item(settings: Settings, activity: Activity): Markup {
  return html`<li class="activity"><div>
<div>${who(activity)}</div>
${what(activity)}
<div${changing(activity, 'state')} class="hint">${state(settings, activity)}</div>
${activity.at && html`<div class="hint">${moment(activity.at)}</div>`}
</div>
<div${changing(activity, 'amount')} class="${directionOf(activity) === 'none' ? 'asked' : 'moved'}">${signed(activity)} <span class="visually-hidden">${unit(activity.amount)}</span></div>
${activity.txHash && transaction(settings, activity.txHash)}</li>`;
}

/** Gives a part of a row an id, so that an open page finds it in a newer copy of itself. */
function changing(activity: Activity, part: 'state' | 'amount'): Markup | '' {
  if (activity.kind === 'outside') return '';
  const { id, status } = activity.request;
  const live = isOnItsWay(status) && html` data-live${part === 'state' && html` aria-live="polite"`}`;
  return html` id="${part}-${id}"${live}`;
}

function who(activity: Activity): Markup {
  if (activity.kind === 'request') return appName(activity.app);
  const { direction, otherSide, otherAddress } = activity.posting;
  if (otherSide === 'treasury') {
    return direction === 'in' ? html`From the operator of Quarters` : html`To the operator of Quarters`;
  }
  const address = html`<code>${toChecksum(otherAddress)}</code>`;
  return direction === 'in' ? html`Deposit from ${address}` : html`Sent to ${address}`;
}

function what(activity: Activity): Markup | '' {
  const text = activity.kind === 'request' ? gameText(activity.request.description, 280) : null;
  return text ? html`<div class="hint"><bdi>“${text}”</bdi></div>` : '';
}

function state({ approvalPath }: Settings, activity: Activity): Markup | string {
  if (activity.kind === 'outside') return activity.posting.direction === 'in' ? 'Received' : 'Sent';
  const { id, source, status } = activity.request;
  const words = (source === 'user' && activity.withoutAsking ? UNASKED : WORDS[source])[status];
  return status === 'pending' ? html`<a href="${approvalPath ?? ''}/requests/${id}">${words}</a>` : words;
}

/** With `+` or `−` if quarters moved or are on their way. */
function signed(activity: Activity): string {
  const sign = { in: '+', out: '−', none: '' }[directionOf(activity)];
  return sign + withThousands(activity.amount);
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
      ? html`<a href="${link}" rel="noreferrer">Transaction</a>`
      : html`<details><summary>Transaction</summary><code class="copy">${hash}</code></details>`
  }</div>`;
}

const PER_PAGE = 20;

/** GET /account/activity: all entries, newest first. `before`: the cursor at the end of the previous page. */
export function activityRoute(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/account/activity',
    signedIn(service, async (request, reply, { user }) => {
      const before = parameter(request.query, 'before');
      const page = await readActivity(service, user, PER_PAGE, before === undefined ? undefined : readCursor(before));
      return sendAccountPage(
        reply,
        'Your activity',
        html`<p>Every payment and deposit.</p>
${activityList(service.settings, page.activities)}
<p class="pager">${before !== undefined && html`<a href="/account/activity">Newest</a>`} ${
          page.next && html`<a href="/account/activity?before=${writeCursor(page.next)}" rel="next">Older</a>`
        }</p>
<p><a href="/account/export.csv">Download all activity (CSV)</a></p>`,
        { live: onTheirWay(page.activities).length > 0 },
      );
    }),
  );
}

/** `<request>_<block>.<log>`. `-`: no entry of that kind was shown yet. */
function writeCursor({ request, posting }: ActivityCursor): string {
  return `${request ?? '-'}_${posting ? `${posting.block}.${posting.logIndex}` : '-'}`;
}

const CURSOR = new RegExp(
  `^(?:-|(?<request>${UUID_PATTERN.slice(1, -1)}))_(?:-|(?<block>\\d{1,18})\\.(?<logIndex>\\d{1,9}))$`,
);

function readCursor(text: string): ActivityCursor {
  const parts = CURSOR.exec(text)?.groups;
  if (!parts) throw new Problem('invalid-input', 'The cursor is not valid.');
  const { request, block, logIndex } = parts;
  return {
    request: (request as RequestId | undefined) ?? null,
    posting: block === undefined ? null : { block: BigInt(block), logIndex: Number(logIndex) },
  };
}

const PATH = '/account/progress';
/** The most that a page shows. */
const MOST = 20;
const REQUEST_IDS = new RegExp(`^(${UUID_PATTERN.slice(1, -1)}(,(?!$)|$)){1,${MOST}}$`);

/** GET /account/progress: the state of the user's requests that a page shows as in progress, all in one stream. */
export function activityProgressRoute(pages: FastifyInstance, service: Service, streams: ProgressStreams): void {
  pages.get(PATH, async (request, reply) => {
    const named = parameter(request.query, 'requests') ?? '';
    const visitor = REQUEST_IDS.test(named) ? await readVisitor(service, request) : null;
    const noSuch = new Problem('not-found', 'There are no such requests.');
    if (!visitor) throw noSuch;
    const ids = [...new Set(named.toLowerCase().split(','))] as RequestId[];
    const own = (await findRequests(service.db, ids)).filter(({ userId }) => userId === visitor.user.id);
    if (own.length < ids.length) throw noSuch;
    return streams.answer(request, reply, ids, visitor.user.id);
  });
}

function progressAddress(ids: readonly RequestId[]): string {
  return `${PATH}?requests=${ids.join(',')}`;
}
