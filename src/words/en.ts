import { html } from 'hono/html';
import { withThousands } from '../base/quarters.ts';

/** A piece of a sentence that is already markup: a name in quotation marks, a link, a time. */
type Piece = ReturnType<typeof html> | string;

/**
 * English. An entry is a string or, if it has parts, a function of them. A part that the page marks up (a game's name, a link) comes as a
 * piece, so a translation may put it anywhere in the sentence. Mails are plain strings, because they are also sent as text.
 *
 * Sections follow the folders of `src/pages`, with `frame` and `messages` for what all pages share, `scripts` for what scripts say,
 * and `mails`.
 */
export const en = {
  unit: (amount: bigint) => (amount === 1n ? 'quarter' : 'quarters'),
  /** `1,234 quarters`. */
  quarters: (amount: bigint) => `${withThousands(amount)} ${en.unit(amount)}`,
  frame: {
    nav: 'Your pages',
    account: 'Account',
    developer: 'Developer',
    signOut: 'Sign out',
    footer: (brand: string) => `This page belongs to ${brand}, not to the game.`,
    support: 'Get help',
  },
  scripts: {
    ready: { early: 'One moment, then tap again.' },
    progress: {
      submitted: 'On its way',
      completed: 'Confirmed',
      failed: 'Part of it may have been paid; the rest was returned to you.',
      failedTitle: 'This payment didn’t go through',
      failedSentence: 'You approved it, but it was stopped.',
      slow: 'The network is slow right now. Your payment is safe, and you can close this page.',
    },
  },
  branding: {
    verified: 'Verified game',
    unverified: 'Unverified game',
    unnamed: 'Unnamed game',
  },
  home: {
    heading: 'Your quarters, in every game',
    lead: (brand: string) =>
      `Win quarters in one game and spend them in another. ${brand} keeps them safe in one account.`,
    signUp: 'Create your account',
    signIn: 'Sign in',
    toAccount: 'Go to your account',
    payment: {
      heading: 'How a payment works',
      asks: { label: 'The game asks', about: 'You see the game, the amount and what it is for.' },
      approve: { label: 'You approve', about: 'Without your approval, nothing is taken.' },
      account: { label: 'It’s on record', about: 'Your account lists every payment.' },
    },
    developers: {
      heading: 'For game developers',
      register: { label: 'Register a game', about: 'Get its account and its keys' },
      tour: { label: 'Tour', about: 'A whole payment, with curl' },
      reference: { label: 'API reference', about: 'Every call, with examples' },
      script: { label: 'Browser script', about: 'Asks players in a frame or window' },
    },
  },
  approval: {
    title: 'Approve a payment',
    asks: 'asks you for',
    message: 'Message from the game',
    balance: 'Balance',
    balanceAfter: 'Balance after',
    reward: 'Your reward',
    youPay: 'You pay',
    fromBoth: (reward: string, balance: string) => `${reward} from your reward, ${balance} from your balance`,
    unconfirmed: 'Some of your quarters are still being confirmed. Open this again from the game in a moment.',
    missing: (missing: bigint) =>
      html`You need <strong>${withThousands(missing)} more ${en.unit(missing)}</strong> to approve this.`,
    missingThenOpen: 'Once you have them, open this again from the game.',
    approve: 'Approve',
    decline: 'Decline',
    back: 'Back to the game',
    topUp: 'Get quarters',
    topUpAt: (host: Piece) => html`Opens ${host}`,
    mandate: (game: Piece, once: Piece, day: string, until: Piece) =>
      html`Allow ${game} to spend up to <strong>${once} at a time and ${day} a day</strong> without asking, until ${until}`,
    confirmed: 'You’ve confirmed it’s you. You can approve this now.',
    confirm: (above: string) => `Payments above ${above} need your password or passkey again.`,
    report: 'Report a problem',
    refused: {
      'insufficient-quarters': 'You don’t have enough quarters. Nothing was taken.',
      'quarters-unconfirmed': 'This can’t be paid yet. Nothing was taken.',
      'amount-too-large': 'This payment is above the current limit. Nothing was taken.',
      'payments-suspended': 'Payments are paused. Nothing was taken. Please try again later.',
      'app-backlog-full':
        'This game has too many payments in progress. Nothing was taken. Please try again in a moment.',
      overloaded: 'We’re busy right now. Nothing was taken. Please try again in a moment.',
    },
    review: 'Review payment',
    waiting: 'A payment is waiting for you',
  },
};
