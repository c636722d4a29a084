import { declareAction } from '../declaration.ts';
import { USER } from '../fields.ts';

export const USER_ACTIONS = [
  declareAction({
    name: 'freeze-user',
    title: 'Freeze a user',
    fields: { user: USER },
    forms: [{ on: 'user', button: 'Freeze…', offered: ({ isFrozen }) => !isFrozen }],
    command: {
      path: 'users freeze',
      description: 'Stop everything that a user would pay. They can still sign in and receive.',
      question: 'Freeze this user?',
      asks: true,
      examples: ["users freeze b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa --reason 'Account taken over'"],
      report: ({ typed: { user } }) => [
        { user, frozen: true },
        `Frozen: ${user}. Nothing more is paid from this account.`,
      ],
    },
    deed: async () => (await import('../deeds/frozen.ts')).FREEZE_USER,
  }),
  declareAction({
    name: 'unfreeze-user',
    title: 'Unfreeze a user',
    fields: { user: USER },
    forms: [{ on: 'user', button: 'Unfreeze…', offered: ({ isFrozen }) => isFrozen }],
    command: {
      path: 'users unfreeze',
      description: 'Let a frozen user pay again.',
      question: 'Unfreeze this user?',
      asks: true,
      examples: ["users unfreeze b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa --reason 'Proved who they are'"],
      report: ({ typed: { user } }) => [{ user, frozen: false }, `No longer frozen: ${user}.`],
    },
    deed: async () => (await import('../deeds/frozen.ts')).UNFREEZE_USER,
  }),
];
