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
  declareAction({
    name: 'stop-address',
    title: 'Stop a withdrawal address',
    fields: {
      user: USER,
      address: {
        ...{ kind: 'text', form: 'address', label: 'Address', ask: 'Withdrawal address', most: 100 },
        typed: ['<address>', 'an address to which the user may withdraw'],
      },
    },
    forms: [{ on: 'user', button: 'Stop a withdrawal address…', offered: ({ hasAddresses }) => hasAddresses }],
    command: {
      path: 'users stop-address',
      description: 'Stop one address to which a user may withdraw. They can still do everything else.',
      question: 'Stop this address?',
      asks: true,
      examples: [
        "users stop-address b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --reason 'Not the player’s'",
      ],
      report: ({ typed: { user, address } }) => [
        { user, address, stopped: true },
        `Stopped: nothing more goes from ${user} to ${address}.`,
      ],
    },
    deed: async () => (await import('../deeds/stop-address.ts')).STOP_ADDRESS,
  }),
  declareAction({
    name: 'join-account',
    title: 'Give a user a found account',
    fields: {
      user: USER,
      account: {
        ...{ kind: 'text', form: 'address', label: 'Account', ask: 'Address of the account', most: 100 },
        typed: ['<account>', 'the address of an account that was found when a backup was restored'],
      },
    },
    alwaysFourEyes: true,
    forms: [{ on: 'user', button: 'Give a found account…', offered: ({ wasRestored }) => wasRestored }],
    command: {
      path: 'users join-account',
      description: 'Give a user the quarters, also later ones, of an account that a restore found.',
      question: 'Give this account to this user?',
      asks: true,
      examples: [
        "users join-account b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --reason 'Same e-mail address'",
      ],
      report: ({ typed: { user, account } }) => [
        { user, account, joined: true },
        `What ${account} has, and gets from now on, goes to ${user}.`,
      ],
    },
    deed: async () => (await import('../deeds/join-account.ts')).JOIN_ACCOUNT,
  }),
];
