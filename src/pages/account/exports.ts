import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { toChecksum } from '../../base/address.ts';
import { readProfile } from '../../features/accounts/profile.ts';
import { type Activity, wholeActivity } from '../../features/accounts/read-activity.ts';
import type { Service } from '../../settlement/service.ts';
import { pageHeaders } from '../../web/send-page.ts';
import { signedIn } from '../../web/visitor.ts';
import { directionOf } from './activity-list.ts';

/** One cell: text, a number in digits, a date in ISO 8601, or nothing for null. */
export type Cell = string | bigint | number | boolean | Date | null;

/**
 * One record of a CSV file (RFC 4180), with its line break. Every cell is quoted, so that no text can start a new one, whatever
 * separator a spreadsheet uses.
 *
 * Text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, CSV Injection), since games write names and
 * descriptions. Numbers are never passed as text, so they stay unchanged.
 */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map((cell) => `"${textOf(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Full-width signs too, which spreadsheets in some languages treat the same. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function textOf(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell !== 'string') return String(cell);
  const text = cell.toWellFormed();
  return FORMULA.test(text) ? `'${text}` : text;
}

/**
 * There are two files, because a CSV file is one table (RFC 4180: the same fields in each line). The first line names the
 * columns.
 */
export function exportRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/account/export.csv',
    signedIn(service, async (_request, reply, { user }) =>
      sendCsv(reply, 'quarters-activity', activityLines(service, user)),
    ),
  );
  pages.get(
    '/account/export-profile.csv',
    signedIn(service, async (_request, reply, { user }) => {
      const lines = (await readProfile(service, user)).map(({ what, value }) => csvLine([what, value]));
      return sendCsv(reply, 'quarters-profile', [csvLine(['what', 'value']), ...lines]);
    }),
  );
}

function sendCsv(reply: FastifyReply, name: string, lines: Iterable<string> | AsyncIterable<string>): FastifyReply {
  return reply
    .headers(pageHeaders({}))
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .type('text/csv; charset=utf-8; header=present')
    .send(Readable.from(lines, { objectMode: true }));
}

const COLUMNS = [
  'time',
  'kind',
  'state',
  'direction',
  'quarters',
  'app',
  'app id',
  'description',
  'other address',
  'transaction',
  'request id',
  'without asking',
];

/** Reads one page of the history at a time, the next one after the last was sent. */
async function* activityLines(service: Service, user: { readonly id: Parameters<typeof wholeActivity>[1]['id'] }) {
  yield csvLine(COLUMNS);
  for await (const activities of wholeActivity(service, user)) {
    yield activities.map((activity) => csvLine(cellsOf(activity))).join('');
  }
}

function cellsOf(activity: Activity): Cell[] {
  const { at, amount, txHash } = activity;
  const direction = directionOf(activity);
  if (activity.kind === 'outside') {
    const { otherSide, otherAddress } = activity.posting;
    const kind = otherSide === 'treasury' ? 'operator' : 'outside';
    return [at, kind, 'completed', direction, amount, null, null, null, toChecksum(otherAddress), txHash, null, null];
  }
  const { source, status, description, appId, id, from, to } = activity.request;
  const kind = source === 'user' ? 'request' : source;
  const other = toChecksum(source === 'user' ? to : from);
  const { app, withoutAsking } = activity;
  const unasked = source === 'user' && txHash !== null ? withoutAsking : null;
  return [at, kind, status, direction, amount, app?.name ?? null, appId, description, other, txHash, id, unasked];
}
