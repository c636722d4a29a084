import type { UserId } from '../../../base/ids.ts';
import { declareAction } from '../declaration.ts';
import { PERSON } from '../fields.ts';

export const OPERATOR_ACTIONS = [
  declareAction({
    name: 'add-operator',
    title: 'Add an operator',
    fields: { user: PERSON },
    // Otherwise one operator would add the second person who approves.
    alwaysFourEyes: true,
    forms: [{ on: 'operators', button: 'Continue' }],
    command: {
      path: 'operators add',
      description: 'Make somebody an operator. They need an account with a passkey.',
      question: 'Make them an operator?',
      examples: ['operators add ada@example.com'],
      async report({ service, typed: { email }, params, action, format }) {
        const { passkeysOf } = await import('../../operators/operators.ts');
        const userId = params.user as UserId;
        const added = action.result?.isNew === true;
        const passkeys = (await passkeysOf(service, userId)).map(({ name, createdAt }) => ({ name, createdAt }));
        return [
          { userId, added, passkeys },
          `${email} ${added ? 'is an operator now' : 'is an operator already'}. Check with them that these passkeys are theirs:`,
          ...passkeys.map(({ name, createdAt }) => `  ${name}, added ${format.time(createdAt)}`),
        ];
      },
    },
    deed: async () => (await import('../deeds/operator-role.ts')).ADD_OPERATOR,
  }),
  declareAction({
    name: 'remove-operator',
    title: 'Remove an operator',
    fields: { user: PERSON },
    forms: [{ on: 'operator', knows: 'user', button: 'Continue' }],
    command: {
      path: 'operators remove',
      description: 'Take the role away.',
      question: 'Take the role away?',
      examples: ['operators remove ada@example.com'],
      report: ({ typed: { email }, params: { user } }) => [
        { userId: user, removed: true },
        `${email} is no longer an operator.`,
      ],
    },
    deed: async () => (await import('../deeds/operator-role.ts')).REMOVE_OPERATOR,
  }),
];
