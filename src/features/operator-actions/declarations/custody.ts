import { declareAction } from '../declaration.ts';

export const CUSTODY_ACTIONS = [
  declareAction({
    name: 'confirm-copy',
    title: 'Confirm a copy',
    fields: {
      copy: {
        ...{ kind: 'choice', label: 'Copy' },
        options: { kit: 'the recovery kit is kept', backup: 'a backup was taken' },
      },
    },
    forms: [
      { on: 'copy', button: 'The kit is kept…', offered: ({ id }) => id === 'kit' },
      { on: 'copy', button: 'A backup was taken…', offered: ({ id }) => id === 'backup' },
    ],
    ownCommand: 'custody kit',
    deed: async () => (await import('../deeds/confirm-copy.ts')).CONFIRM_COPY,
  }),
];
