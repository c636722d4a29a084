import type { UserId } from '../../../base/ids.ts';
import { invalidInput, Problem } from '../../../base/problems.ts';
import { isOperator } from '../../../identity/operators.ts';
import { findUserByEmail, lookUpUser } from '../../../identity/users.ts';
import type { Service } from '../../../service/service.ts';
import { addOperatorIn, passkeysOf, removeOperatorIn, withoutPasskey } from '../../operators/operators.ts';
import { type ActionInput, actionKind } from '../action-kind.ts';
import { nameOfUser, openUser } from '../named-subjects.ts';
import { requiredText } from '../read-input.ts';

type Params = { readonly user: UserId };

const shared = {
  read: async (service: Service, input: ActionInput): Promise<Params> => ({ user: await namedBy(service, input) }),
  subject: ({ user }: Params) => ({ kind: 'user', id: user }) as const,
};

/** Makes a full user an operator. */
export const ADD_OPERATOR = actionKind<Params>({
  ...shared,
  name: 'add-operator',
  title: 'Add an operator',
  // Otherwise one operator would add the second person who approves.
  alwaysFourEyes: true,
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
});

/** Takes the role away. */
export const REMOVE_OPERATOR = actionKind<Params>({
  ...shared,
  name: 'remove-operator',
  title: 'Remove an operator',
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
});

const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/** By e-mail address on forms and the command line; by id where a page knows it. */
async function namedBy({ db }: Service, input: ActionInput): Promise<UserId> {
  if (typeof input.user === 'string') {
    const user = await lookUpUser(db, input.user as UserId);
    if (!user) throw new Problem('not-found', `There is no user "${input.user}".`);
    return user.id;
  }
  const email = requiredText(input, 'email');
  const user = await findUserByEmail(db, email);
  if (!user) throw invalidInput('/email', 'belongs to nobody who has signed up');
  return user.id;
}
