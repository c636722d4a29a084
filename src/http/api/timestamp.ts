import { type Static, Type } from 'typebox';

/** A moment: seconds since 1970 and the nanoseconds beyond them, and the same in ISO 8601, UTC. */
export const Timestamp = Type.Object({
  seconds: Type.Integer(),
  nanoseconds: Type.Integer(),
  iso: Type.String(),
});

export function timestamp(date: Date): Static<typeof Timestamp> {
  const milliseconds = date.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanoseconds: (milliseconds - seconds * 1000) * 1_000_000, iso: date.toISOString() };
}
