import type { UserId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import { isOperator } from '../../../identity/operators.ts';
import { lookUpUser } from '../../../identity/users.ts';
import { addOperatorIn, passkeysOf, removeOperatorIn, withoutPasskey } from '../../operators/operators.ts';
import type { ActionDeed } from '../action-deed.ts';
import { nameOfUser, openUser } from '../named-subjects.ts';

type Params = { readonly user: UserId };

/** Makes a full user an operator. */
export const ADD_OPERATOR: ActionDeed<Params> = {
  async preview(service, { user: id }) {
    const user = await openUser(service, id);
    const passkeys = await passkeysOf(service, id);
    if (passkeys.length === 0) throw withoutPasskey();
    return {
      sentence: `Make ${nameOfUser(user)} an operator. They can then do everything that this console offers.`,
      facts: [
        ['Operator', `${(await isOperator(service.db, id)) ? 'yes' : 'no'} → yes`],
        ...passkeys.map(({ name, createdAt }) => ['Passkey', `${name}, added ${dayOf(createdAt)}`] as const),
      ],
      warnings: ['Check with them that these passkeys are theirs.'],
    };
  },
  async apply(_service, tx, { user }, { reason }) {
    const { isNew } = await addOperatorIn(tx, user, reason);
    return { isNew };
  },
  note({ security }, { user }, { result }) {
    if (result?.isNew) security.note('operator-added', { userId: user });
  },
};

/** Takes the role away. */
export const REMOVE_OPERATOR: ActionDeed<Params> = {
  async preview(service, { user: id }) {
    if (!(await isOperator(service.db, id))) throw new Problem('not-found', 'This user is not an operator.');
    const user = await lookUpUser(service.db, id);
    return {
      sentence: `Take the role of an operator from ${user ? nameOfUser(user) : id}.`,
      facts: [['Operator', 'yes → no']],
    };
  },
  async apply(_service, tx, { user }, { byPerson, reason }) {
    await removeOperatorIn(tx, user, { keepLast: byPerson, reason });
    return null;
  },
  note: ({ security }, { user }) => security.note('operator-removed', { userId: user }),
};

const dayOf = (time: Date) => time.toISOString().slice(0, 10);
