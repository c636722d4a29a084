import type { FastifyInstance } from 'fastify';
import { toChecksum } from '../../base/address.ts';
import { fileColumns } from '../../base/columns.ts';
import { csvLine, csvPieces } from '../../base/csv.ts';
import { type Fact, readProfile } from '../../features/accounts/profile.ts';
import type { User } from '../../identity/users.ts';
import { readDetached } from '../../ledger/archived-months.ts';
import type { Service } from '../../service/service.ts';
import type { Purpose } from '../../settlement/purpose.ts';
import { type Activity, purposeOfOutside, wholeActivity } from '../../views/accounts/read-activity.ts';
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
      sendCsv(reply, visitor, 'quarters-activity', () => activityFile(service, visitor.user)),
    ),
  );
  pages.get(
    '/account/export-profile.csv',
    signedIn(service, async (_request, reply, visitor) =>
      sendCsv(reply, visitor, 'quarters-profile', async () => {
        const facts = await readProfile(service, visitor.user);
        return csvPieces(fileColumns<Fact>({ what: ({ what }) => what, value: ({ value }) => value }), [facts]);
      }),
    ),
  );
}

/** Ends with a line of the kind `archived`, with the time before which payments are in the operator's files only. */
async function* activityFile(service: Service, user: User): AsyncGenerator<string> {
  yield* csvPieces(COLUMNS, wholeActivity(service, user));
  const detached = await readDetached(service.db);
  if (!detached || user.createdAt >= detached.until) return;
  yield csvLine(COLUMNS.map(({ name }) => ({ time: detached.until, kind: 'archived' })[name] ?? null));
}

const ofRequest = (activity: Activity) => (activity.kind === 'request' ? activity.request : null);

/** Without a request, it moved without an app. */
const COLUMNS = fileColumns<Activity>({
  time: ({ at }) => at,
  kind: kindOf,
  state: (activity) => ofRequest(activity)?.status ?? 'completed',
  direction: directionOf,
  quarters: ({ amount }) => amount,
  app: (activity) => (activity.kind === 'request' ? (activity.app?.name ?? null) : null),
  'app id': (activity) => ofRequest(activity)?.appId ?? null,
  description: (activity) => ofRequest(activity)?.description ?? null,
  'other address': otherAddress,
  transaction: ({ txHash }) => txHash,
  'request id': (activity) => ofRequest(activity)?.id ?? null,
  'without asking': isUnasked,
});

function kindOf(activity: Activity): string {
  if (activity.kind === 'request') return activity.request.source === 'user' ? 'request' : activity.request.source;
  const purpose = purposeOfOutside(activity);
  return OUTSIDE_KINDS[purpose] ?? purpose;
}

/** The words of the file are public, and older than those of the figures. */
const OUTSIDE_KINDS: Partial<Record<Purpose, string>> = {
  ...{ issue: 'operator', return: 'operator', merge: 'guest', deposit: 'outside' },
};

function otherAddress(activity: Activity): string {
  if (activity.kind === 'outside') return toChecksum(activity.posting.otherAddress);
  const { source, from, to } = activity.request;
  return toChecksum(source === 'user' ? to : from);
}

function isUnasked(activity: Activity): boolean | null {
  const wasAsked = activity.kind === 'request' && activity.request.source === 'user' && activity.txHash !== null;
  return wasAsked ? activity.withoutAsking : null;
}
