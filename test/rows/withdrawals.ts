import type { UserId } from '../../src/base/ids.ts';
import { changing, type Queries } from './statements.ts';
import { ago } from './times.ts';

type AddressColumns = {
  readonly userId: string;
  readonly address: string;
  readonly usableAt: Date;
  readonly stopUntil: Date;
};

const changeAddresses = changing<AddressColumns>('withdrawal_addresses');

/** Makes the 24 hours of a user's addresses pass. */
export const readyAddresses = (db: Queries, userId: UserId) => changeAddresses(db, { userId }, { usableAt: ago() });

/** Makes the mailed links of a user's addresses too old. */
export const endStopLinks = (db: Queries, userId: UserId) => changeAddresses(db, { userId }, { stopUntil: ago() });

const changeWithdrawals = changing<{ readonly userId: string; readonly acceptedAt: Date }>('withdrawals');

/** Makes what a user has withdrawn that much older. */
export const ageWithdrawals = (db: Queries, userId: UserId, age: string) =>
  changeWithdrawals(db, { userId }, { acceptedAt: ago(age) });
