import type { UserId } from '../../../base/ids.ts';
import { lookUpAccountOfUser } from '../../../ledger/accounts.ts';
import { recordChange } from '../../../operator-log/record.ts';
import { freezeUser, unfreezeUser } from '../../accounts/freeze.ts';
import type { ActionDeed, ActionResult } from '../action-deed.ts';
import { inQuarters, nameOfUser, openUser } from '../named-subjects.ts';

type Params = { readonly user: UserId };

/** Stops everything that a user would pay. */
export const FREEZE_USER: ActionDeed<Params> = {
  async preview(service, { user: id }) {
    const user = await openUser(service, id);
    const account = await lookUpAccountOfUser(service.db, id);
    return {
      sentence: `Freeze ${nameOfUser(user)}. Nothing more is paid from this account, and its password, e-mail address and passkeys stay as they are. The user can still sign in and receive.`,
      facts: [
        ['Frozen', `${account?.frozenAt ? 'yes' : 'no'} → yes`],
        ...(account ? [['Balance', inQuarters(account.posted)] as const] : []),
      ],
    };
  },
  async apply(_service, tx, { user }, { reason }): Promise<ActionResult> {
    const { before, after } = await freezeUser(tx, user, reason);
    const changed = before.frozenAt === null && after.frozenAt !== null;
    if (changed) await recordChange(tx, { action: 'user-frozen', subject: { kind: 'user', id: user }, reason });
    return { changed };
  },
  note({ security }, { user }, { result }) {
    if (result?.changed) security.note('user-frozen', { userId: user });
  },
};

/** Lets a frozen user pay again. */
export const UNFREEZE_USER: ActionDeed<Params> = {
  async preview(service, { user: id }) {
    const user = await openUser(service, id);
    const account = await lookUpAccountOfUser(service.db, id);
    return {
      sentence: `Unfreeze ${nameOfUser(user)}, who can then pay again.`,
      facts: [['Frozen', `${account?.frozenAt ? 'yes' : 'no'} → no`]],
    };
  },
  async apply(_service, tx, { user }, { reason }): Promise<ActionResult> {
    const { before, after } = await unfreezeUser(tx, user);
    const changed = before.frozenAt !== null && after.frozenAt === null;
    if (changed) await recordChange(tx, { action: 'user-unfrozen', subject: { kind: 'user', id: user }, reason });
    return { changed };
  },
  note({ security }, { user }, { result }) {
    if (result?.changed) security.note('user-unfrozen', { userId: user });
  },
};
