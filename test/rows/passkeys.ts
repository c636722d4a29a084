import type { UserId } from '../../src/base/ids.ts';
import { changing, type Queries } from './statements.ts';
import { ago } from './times.ts';

const changePasskeys = changing<{ readonly userId: string; readonly createdAt: Date }>('passkeys');

/** Makes a user's passkeys older, by default as old as one that confirms addresses. */
export const agePasskeys = (db: Queries, userId: UserId, age = '25 hours') =>
  changePasskeys(db, { userId }, { createdAt: ago(age) });
