import type { FastifyInstance } from 'fastify';
import { toChecksum } from '../../base/address.ts';
import { type Cell, csvPieces } from '../../base/csv.ts';
import { readProfile } from '../../features/accounts/profile.ts';
import type { Service } from '../../service/service.ts';
import { type Activity, wholeActivity } from '../../views/accounts/read-activity.ts';
import { sendCsv } from '../../web/csv.ts';
import { signedIn } from '../../web/visitor.ts';
import { directionOf } from './activity-list.ts';

/**
 * There are two files, because a CSV file is one table (RFC 4180: the same fields in each line). The first line names the
 * columns.
 */
export function exportRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/account/export.csv',
    signedIn(service, async (_request, reply, visitor) =>
      sendCsv(reply, visitor, 'quarters-activity', () =>
        csvPieces(COLUMNS, wholeActivity(service, visitor.user), cellsOf),
      ),
    ),
  );
  pages.get(
    '/account/export-profile.csv',
    signedIn(service, async (_request, reply, visitor) =>
      sendCsv(reply, visitor, 'quarters-profile', async () => {
        const facts = await readProfile(service, visitor.user);
        return csvPieces(['what', 'value'], [facts], ({ what, value }) => [what, value]);
      }),
    ),
  );
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

function cellsOf(activity: Activity): Cell[] {
  const { at, amount, txHash } = activity;
  const direction = directionOf(activity);
  if (activity.kind === 'outside') {
    const { otherSide, otherAddress } = activity.posting;
    const kind = otherSide === 'treasury' ? 'operator' : otherSide;
    return [at, kind, 'completed', direction, amount, null, null, null, toChecksum(otherAddress), txHash, null, null];
  }
  const { source, status, description, appId, id, from, to } = activity.request;
  const kind = source === 'user' ? 'request' : source;
  const other = toChecksum(source === 'user' ? to : from);
  const { app, withoutAsking } = activity;
  const unasked = source === 'user' && txHash !== null ? withoutAsking : null;
  return [at, kind, status, direction, amount, app?.name ?? null, appId, description, other, txHash, id, unasked];
}
