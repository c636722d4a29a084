import type { Database } from '../../../src/db/database.ts';
import { insertAccountRows } from '../../rows/ledger.ts';
import { insertRequestRows } from '../../rows/requests.ts';
import { changeUsers, insertGuestRows } from '../../rows/users.ts';

const HOUR_MS = 3_600_000;
/** Two hours ago, on the hour. */
export const HOUR = new Date(Math.floor(Date.now() / HOUR_MS - 2) * HOUR_MS);

let users = 0;

export type MadeGuest = { readonly app: string; readonly id: string; readonly address: string; readonly madeAt: Date };

/** Guests of an app with accounts, made ten seconds apart from `from` on. */
export async function makeGuests(
  db: Database,
  app: string,
  count: number,
  { posted = 0, from = HOUR } = {},
): Promise<MadeGuest[]> {
  const guests = Array.from({ length: count }, (_, i) => {
    const number = String(++users);
    const madeAt = new Date(from.getTime() + i * 10_000);
    return { app, id: number.padStart(28, '0'), address: `0x${number.padStart(40, '0')}`, madeAt };
  });
  await insertGuestRows(
    db,
    app,
    guests.map(({ id }) => id),
  );
  for (const { id, madeAt } of guests) await changeUsers(db, { id }, { createdAt: madeAt });
  const own = { kind: 'user', posted, sealedKey: new Uint8Array(1) } as const;
  await insertAccountRows(
    db,
    guests.map(({ id, address }) => ({ ...own, address, userId: id })),
  );
  return guests;
}

/** Three payouts of 10, the last so many seconds after each was made. */
export async function payOut(
  db: Database,
  guests: readonly MadeGuest[],
  seconds: (i: number) => number,
): Promise<void> {
  const rows = guests.flatMap(({ app, id, address, madeAt }, i) =>
    [1, 2, 3].map((n) => {
      const createdAt = new Date(madeAt.getTime() + (seconds(i) * 1000 * n) / 3);
      const payout = { source: 'payout', status: 'completed', toAddress: address, amount: 10, createdAt } as const;
      return { ...payout, appId: app, userId: id };
    }),
  );
  await insertRequestRows(db, rows);
}
