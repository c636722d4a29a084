import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { type RequestId, UUID_PATTERN } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type ActivityCursor, readActivity } from '../../features/accounts/read-activity.ts';
import type { Service } from '../../settlement/service.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn } from '../../web/visitor.ts';
import { sendAccountPage } from './account-frame.ts';
import { activityList, onTheirWay } from './activity-list.ts';

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
