import type { UserId } from '../../../base/ids.ts';
import { lookUpAccountOfUser } from '../../../ledger/accounts.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import { freezeUser, unfreezeUser } from '../../accounts/freeze.ts';
import { findNamedUser } from '../../rewards/rewards.ts';
import { type ActionInput, type ActionResult, actionKind } from '../action-kind.ts';
import { inQuarters, nameOfUser, openUser } from '../named-subjects.ts';
import { requiredText } from '../read-input.ts';

type Params = { readonly user: UserId };

const shared = {
  read: async (service: Service, input: ActionInput): Promise<Params> => ({
    user: (await findNamedUser(service, requiredText(input, 'user'))).id,
  }),
  subject: ({ user }: Params) => ({ kind: 'user', id: user }) as const,
};

/** Stops everything that a user would pay. */
export const FREEZE_USER = actionKind<Params>({
  ...shared,
  name: 'freeze-user',
  title: 'Freeze a user',
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
});

/** Lets a frozen user pay again. */
export const UNFREEZE_USER = actionKind<Params>({
  ...shared,
  name: 'unfreeze-user',
  title: 'Unfreeze a user',
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
});
