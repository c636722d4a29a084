import { requestIdFrom, UUID_PATTERN } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { ActivityCursor } from '../views/accounts/read-activity.ts';

/** The place in a player's activity, for an address: `<request>_<block>.<log>`. `-`: no entry of that kind was shown yet. */
export function activityCursorText({ request, posting }: ActivityCursor): string {
  return `${request ?? '-'}_${posting ? `${posting.block}.${posting.logIndex}` : '-'}`;
}

const CURSOR = new RegExp(
  `^(?:-|(?<request>${UUID_PATTERN.slice(1, -1)}))_(?:-|(?<block>\\d{1,18})\\.(?<logIndex>\\d{1,9}))$`,
);

/** Reads what {@link activityCursorText} has written. Throws `invalid-input`. */
export function activityCursor(text: string): ActivityCursor {
  const parts = CURSOR.exec(text)?.groups;
  if (!parts) throw new Problem('invalid-input', 'The cursor is not valid.');
  const { request, block, logIndex } = parts;
  return {
    request: request === undefined ? null : requestIdFrom(request),
    posting: block === undefined ? null : { block: BigInt(block), logIndex: Number(logIndex) },
  };
}
