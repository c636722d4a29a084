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
    progress: {
      submitted: 'On its way',
      completed: 'Confirmed',
      failed: 'Part of it may have been paid; the rest was returned to you.',
      failedTitle: 'This payment didn’t go through',
      failedSentence: 'You approved it, but it was stopped.',
      slow: 'The network is slow right now. Your payment is safe, and you can close this page.',
    },
  },
  approval: {
    title: 'Approve a payment',
    paid: (amount: string, game: Piece) => html`You paid ${amount} to ${game}.`,
  },
};
