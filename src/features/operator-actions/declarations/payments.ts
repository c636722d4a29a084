import { declareAction } from '../declaration.ts';
import { QUARTERS, USER } from '../fields.ts';

export const PAYMENT_ACTIONS = [
  declareAction({
    name: 'issue',
    title: 'Issue quarters',
    fields: {
      recipient: {
        ...{
          kind: 'text',
          form: 'recipient',
          most: 100,
          label: 'Recipient',
          ask: 'Recipient (address, app id or user id)',
        },
        typed: ['<recipient>', 'an Ethereum address, app id or user id'],
      },
      quarters: QUARTERS,
    },
    spends: true,
    forms: [
      { on: 'user', knows: 'recipient', button: 'Issue quarters…', order: 2 },
      { on: 'app', knows: 'recipient', button: 'Issue quarters…', order: 2 },
    ],
    page: { path: '/operator/issue', button: 'Issue quarters…' },
    command: {
      path: 'issue',
      description: 'Issue quarters from the treasury. A running service sends the transaction.',
      question: 'Issue these quarters?',
      key: { help: 'idempotency key: within 24 hours, the same key issues only once', hours: 24 },
      examples: [
        'issue 0x52908400098527886E0F7030069857D2E4169EE7 1000',
        'issue Zk3vQ0dT8aLm5nXy7pRs 250000 --key season-7',
      ],
      report({ params: { quarters }, action: { amount, result }, replayed, format }) {
        const { transferId, txId, to } = result as Record<string, string>;
        return [
          { transferId, txId, to, quarters },
          [
            [replayed ? 'Already issued' : 'Issued', format.amount(amount!)],
            ['To', `${to}`],
            ['Transfer', `${transferId}`],
            ['Transaction', `${txId}`],
          ],
        ];
      },
    },
    deed: async () => (await import('../deeds/issue.ts')).ISSUE,
  }),
  declareAction({
    name: 'grant-reward',
    title: 'Grant a reward',
    fields: {
      user: { ...USER, ask: 'Player (user id or address)' },
      quarters: QUARTERS,
      key: { kind: 'key', label: 'Key', optional: true },
    },
    spends: true,
    forms: [{ on: 'user', button: 'Grant a reward…', order: 2, offered: ({ kind }) => kind === 'full' }],
    page: { path: '/operator/reward', button: 'Grant a reward…' },
    command: {
      path: 'rewards grant',
      description: "Grant a reward, applied automatically to the player's next payments. Full users only.",
      question: 'Grant this reward?',
      key: { help: 'idempotency key: the same key grants only once', hours: null },
      examples: [
        'rewards grant 0x52908400098527886E0F7030069857D2E4169EE7 100',
        'rewards grant b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa 250 --key tournament-12',
      ],
      async report({ service, params, action: { result }, replayed, format }) {
        const { listRewards, rewardJson } = await import('../../rewards/rewards.ts');
        const { rewards } = await listRewards(service, `${params.user}`);
        const granted = rewards.find(({ id }) => id === result?.reward)!;
        return [
          rewardJson(granted),
          [
            [replayed || result?.replayed ? 'Already granted' : 'Granted', format.amount(granted.amount)],
            ['To', granted.userId],
            ['Reward', granted.id],
            ['Left', format.amount(granted.left)],
          ],
        ];
      },
    },
    deed: async () => (await import('../deeds/grant-reward.ts')).GRANT_REWARD,
  }),
  declareAction({
    name: 'pay-file',
    title: 'Pay a file',
    fields: {
      batch: { kind: 'text', label: 'Batch' },
      from: { kind: 'text', label: 'From' },
      sha256: { kind: 'text', label: 'SHA-256 of the file' },
      rows: { kind: 'number', label: 'Rows' },
      quarters: QUARTERS,
    },
    spends: true,
    ownCommand: 'pay',
    deed: async () => (await import('../deeds/pay-file.ts')).PAY_FILE,
  }),
  declareAction({
    name: 'cancel-transfer',
    title: 'Cancel a transfer',
    fields: {
      transfer: {
        ...{ kind: 'transfer', label: 'Transfer' },
        typed: ['<id>', 'the transfer id, as printed by `transfers show`'],
      },
    },
    forms: [{ on: 'transfer', button: 'Cancel this transfer…' }],
    command: {
      path: 'transfers cancel',
      description: 'Cancel a pending transfer on the chain, such as one the token keeps refusing.',
      question: 'Send the cancellation?',
      examples: ['transfers cancel 019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f'],
      report: ({ typed: { transfer: id }, action: { result } }) => [
        { id, txId: result?.txId },
        `Cancellation sent: ${result?.txId}`,
        {
          hint: `The quarters stay on hold until the chain includes it. Check with \`npx quarters transfers show ${id}\`.`,
        },
      ],
    },
    deed: async () => (await import('../deeds/cancel-transfer.ts')).CANCEL_TRANSFER,
  }),
];
