import { isDay } from '../../base/dates.ts';
import { inputProblem } from '../../http/problems.ts';
import { UserIdIn } from './inputs.ts';
import { Type, type TypedSchema } from './schema.ts';

const USUAL_LIMIT = 20;

/** One of some words, or several with commas between them. */
export const someOf = (words: readonly string[]) =>
  Type.String({
    pattern: `^(${words.join('|')})(,(${words.join('|')}))*$`,
    description: `one of ${words.join(', ')}, or several with commas between them`,
    examples: [words.at(-1)!],
  });

const MOMENT = 'a moment in ISO 8601, such as 2026-01-31T12:00:00Z';
const MomentIn = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
  description: MOMENT,
  examples: ['2026-01-31T12:00:00Z'],
});

const FROM_1_TO_100 = 'a whole number from 1 to 100';

/** The most items on a page. A query holds text; `readsAs` is the type that the API's description shows. */
export const Limit = Type.Optional(
  Type.String({
    pattern: '^([1-9]\\d?|100)$',
    description: FROM_1_TO_100,
    readsAs: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: USUAL_LIMIT,
      description: FROM_1_TO_100,
      examples: [USUAL_LIMIT],
    }),
  }),
);

/** The parameters of every list. Others are ignored. */
export const LIST_QUERY = {
  cursor: Type.Optional(Type.String({ description: 'the next of an earlier page' })),
  limit: Limit,
  userId: Type.Optional(UserIdIn),
  createdFrom: Type.Optional(MomentIn),
  createdBefore: Type.Optional(MomentIn),
};

/** A page of a list of payments, or of what they are made of. */
export function listOf<T extends TypedSchema>(item: T, title: string) {
  const next = Type.Union([Type.String(), Type.Null()], {
    description: 'the cursor of the next page; null on the last page',
    examples: [null],
  });
  const archivedBefore = Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'on the last page, if the operator has archived old payments: what was made before is not listed',
      examples: ['2026-03-01T00:00:00.000Z'],
    }),
  );
  return Type.Object({ data: Type.Array(item), next, archivedBefore }, { title, description: 'A page of a list.' });
}

/** What {@link listOf} describes. `next`: the cursor. */
export function pageOf<T>(data: readonly T[], next: string | null, archivedBefore: Date | null) {
  return { data: [...data], next, ...(archivedBefore && { archivedBefore: archivedBefore.toISOString() }) };
}

export function readLimit(limit: string | undefined): number {
  return limit === undefined ? USUAL_LIMIT : Number(limit);
}

/** Null without the parameter. Throws `invalid-input`. */
export function readMoment(name: 'createdFrom' | 'createdBefore', text: string | undefined): Date | null {
  if (text === undefined) return null;
  const moment = new Date(text);
  // The pattern also matches 30 February.
  if (Number.isNaN(moment.getTime()) || !isDay(text.slice(0, 10))) {
    throw inputProblem([{ pointer: `query/${name}`, detail: `must be ${MOMENT}` }]);
  }
  return moment;
}

/** The ids of the last item of a page. A cursor is only a position among the caller's own items, so it grants no access. */
export function encodeCursor(...ids: readonly string[]): string {
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex').toString('base64url');
}

/** The `count` ids in a cursor; null without a cursor. Throws `invalid-input`. */
export function decodeCursor(cursor: string | undefined, count: number): string[] | null {
  if (cursor === undefined) return null;
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== 16 * count || bytes.toString('base64url') !== cursor) {
    throw inputProblem([{ pointer: 'query/cursor', detail: 'must be the next of an earlier page' }]);
  }
  return Array.from({ length: count }, (_, i) =>
    bytes.toString('hex', 16 * i, 16 * (i + 1)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  );
}
