import { declareAction } from '../declaration.ts';
import { APP, WAYS_TO_AGREE } from '../fields.ts';

const LIMIT = { kind: 'number', optional: true } as const;

export const APP_ACTIONS = [
  declareAction({
    name: 'suspend-app',
    title: 'Suspend an app',
    fields: { app: APP },
    forms: [{ on: 'app', button: 'Suspend…', offered: ({ suspendedAt }) => suspendedAt === null }],
    command: {
      path: 'apps suspend',
      description: 'Stop an app: its keys and tokens do nothing, and it pays and gets nothing.',
      question: 'Suspend this app?',
      asks: true,
      examples: ["apps suspend 7Qm2xVb9KcRt4LpWz8Yd --reason 'Stolen server key'"],
      report: ({ typed: { app: id } }) => [
        { id, suspended: true },
        `Suspended ${id}. Nothing is paid to it or by it any more.`,
      ],
    },
    deed: async () => (await import('../deeds/suspended.ts')).SUSPEND_APP,
  }),
  declareAction({
    name: 'resume-app',
    title: 'Resume an app',
    fields: { app: APP },
    forms: [{ on: 'app', button: 'Resume…', offered: ({ suspendedAt }) => suspendedAt !== null }],
    command: {
      path: 'apps resume',
      description: 'Let a suspended app work again.',
      question: 'Resume this app?',
      asks: true,
      examples: ["apps resume 7Qm2xVb9KcRt4LpWz8Yd --reason 'The key was replaced'"],
      report: ({ typed: { app: id } }) => [{ id, suspended: false }, `Resumed ${id}.`],
    },
    deed: async () => (await import('../deeds/suspended.ts')).RESUME_APP,
  }),
  declareAction({
    name: 'verify-app',
    title: 'Verify an app',
    fields: { app: APP },
    forms: [{ on: 'app', button: 'Verify…', offered: ({ verifiedAt }) => verifiedAt === null }],
    command: {
      path: 'apps verify',
      description: 'Mark an app as verified and protect its name, until its developer changes name or picture.',
      question: 'Mark this app as verified?',
      examples: ['apps verify 7Qm2xVb9KcRt4LpWz8Yd'],
      async report({ service, typed: { app: id } }) {
        const { lookUpNamedApp } = await import('../../../identity/apps.ts');
        const { appsAlike } = await import('../../apps/update-app.ts');
        const app = (await lookUpNamedApp(service.db, `${id}`))!;
        const alike = await appsAlike(service, app);
        const others = alike.map((other) => ({ id: other.id, name: other.name, verified: other.verifiedAt !== null }));
        const warning = 'Apps with similar names, which players may confuse with it:';
        return [
          { id, name: app.name, verifiedAt: app.verifiedAt?.toISOString(), alike: others },
          [['Verified', app.name]],
          ...(alike.length > 0 ? [warning, alike.map((other) => [other.id, other.name] as const)] : []),
        ];
      },
    },
    deed: async () => (await import('../deeds/verified.ts')).VERIFY_APP,
  }),
  declareAction({
    name: 'unverify-app',
    title: 'Remove the verified mark',
    fields: { app: APP },
    forms: [
      {
        on: 'app',
        button: 'Remove the verified mark…',
        offered: ({ verifiedAt }) => verifiedAt !== null,
      },
    ],
    command: {
      path: 'apps unverify',
      description: 'Remove the verified mark.',
      question: 'Remove the verified mark?',
      examples: ['apps unverify 7Qm2xVb9KcRt4LpWz8Yd'],
      report: ({ typed: { app: id }, action: { result } }) => [
        { id, name: result?.name, verifiedAt: null },
        [['No longer verified', `${result?.name}`]],
      ],
    },
    deed: async () => (await import('../deeds/verified.ts')).UNVERIFY_APP,
  }),
  declareAction({
    name: 'enable-auto-approval',
    title: 'Enable auto approval',
    fields: {
      app: APP,
      perTransfer: {
        ...{ ...LIMIT, label: 'Most per payment', ask: 'Most per payment (empty: the setting)' },
        typed: ['--per-transfer <quarters>', 'most per payment, below AUTO_APPROVE_PER_TRANSFER'],
      },
      perDay: {
        ...{ ...LIMIT, label: 'Most per day', ask: 'Most per day (empty: the setting)' },
        typed: ['--per-day <quarters>', 'most per day, below AUTO_APPROVE_PER_DAY'],
      },
      consent: {
        ...{ kind: 'choice', options: WAYS_TO_AGREE, optional: true, label: 'Players agree by', ask: 'Players agree' },
        typed: [
          '--consent <how>',
          'approval: by approving a payment on a page that says so; box: by ticking a box there; left out: as it is, or as DEFAULT_CONSENT says',
        ],
      },
    },
    forms: [
      {
        on: 'app',
        button: 'Enable auto approval…',
        given: ({ consent }) => ({ consent }),
        offered: ({ autoApprove }) => !autoApprove,
      },
      {
        on: 'app',
        button: 'Change the limits of auto approval…',
        order: 1,
        given: ({ consent }) => ({ consent }),
        offered: ({ autoApprove }) => autoApprove,
      },
    ],
    command: {
      path: 'apps auto-approval enable',
      description:
        'Let players set a spending limit. Those who approved a payment before get one and a mail, unless players agree by a box.',
      question: 'Enable auto approval?',
      examples: ['apps auto-approval enable 7Qm2xVb9KcRt4LpWz8Yd --per-day 500'],
      report({ typed: { app: id }, action: { result } }) {
        const granted = Number(result?.granted ?? 0);
        const earlier =
          granted === 1
            ? '1 earlier approval became a spending limit'
            : `${granted} earlier approvals became spending limits`;
        return [{ id, autoApprove: true, granted }, `Auto approval is enabled for ${id}. ${earlier}.`];
      },
    },
    deed: async () => (await import('../deeds/auto-approval.ts')).ENABLE_AUTO_APPROVAL,
  }),
  declareAction({
    name: 'disable-auto-approval',
    title: 'Disable auto approval',
    fields: { app: APP },
    forms: [{ on: 'app', button: 'Disable auto approval…', offered: ({ autoApprove }) => autoApprove }],
    command: {
      path: 'apps auto-approval disable',
      description: 'Make the app ask for every payment. Spending limits return when you re-enable it.',
      question: 'Disable auto approval?',
      examples: ['apps auto-approval disable 7Qm2xVb9KcRt4LpWz8Yd'],
      report: ({ typed: { app: id } }) => [{ id, autoApprove: false }, `Auto approval is disabled for ${id}.`],
    },
    deed: async () => (await import('../deeds/auto-approval.ts')).DISABLE_AUTO_APPROVAL,
  }),
];
