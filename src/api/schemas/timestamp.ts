import { Type } from 'typebox';

/** A time: the seconds since 1970 with nanoseconds, and the same in ISO 8601, UTC. */
export const Timestamp = Type.Object(
  {
    seconds: Type.Integer({ examples: [1_769_860_800] }),
    nanoseconds: Type.Integer({ minimum: 0, maximum: 999_999_999, examples: [0] }),
    iso: Type.String({ pattern: '^[^T]+T[^T]+Z$', examples: ['2026-01-31T12:00:00.000Z'] }),
  },
  {
    title: 'Timestamp',
    description: 'A moment: seconds since 1970 and the nanoseconds beyond, and the same in ISO 8601, UTC.',
  },
);
