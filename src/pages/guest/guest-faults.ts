import type { ConversionFault } from '../../features/guests/open-conversion.ts';
import type { Message } from '../../web/message-page.ts';

/** Each fault has its own page, which helps the game's developer as well as its player. */
export type PageFault =
  | Exclude<ConversionFault, 'already-full'>
  | 'no-token'
  | 'wrong-parameters'
  | 'redirect-not-registered'
  | 'no-challenge'
  | 'wrong-challenge'
  | 'state-too-long';

const GO_BACK = 'Nothing was changed: you are still a guest. Go back to the game and try again.';

export const FAULT_MESSAGES: Readonly<Record<PageFault, Message>> = {
  'unknown-app': {
    status: 400,
    title: 'We don’t know this game',
    text: `The link doesn’t name a registered game (client_id). ${GO_BACK}`,
  },
  'no-token': {
    status: 400,
    title: 'The link is incomplete',
    text: `It doesn’t say which guest you are (token). ${GO_BACK}`,
  },
  'dead-token': {
    status: 401,
    title: 'This link has expired',
    text: 'Its guest key is unknown or too old. Nothing was changed. Go back to the game and try again.',
  },
  'foreign-token': {
    status: 403,
    title: 'This guest belongs to another game',
    text: 'The guest key in the link is for a different game. Nothing was changed. Open this page from the game you play as a guest.',
  },
  'page-token': {
    status: 400,
    title: 'The game sent the wrong key',
    text: `Its link has a key that only opens payments (firebase_token). This page needs the guest’s access token. ${GO_BACK}`,
  },
  'wrong-parameters': {
    status: 400,
    title: 'The game opened this page incorrectly',
    text: `Its link must include response_type=code and inline=true. ${GO_BACK}`,
  },
  'redirect-not-registered': {
    status: 400,
    title: 'The game gave a wrong address',
    text: `It asked us to send you to an address it hasn’t registered (redirect_uri), so we stopped. ${GO_BACK}`,
  },
  'no-challenge': {
    status: 400,
    title: 'The link is incomplete',
    text: `This game cannot keep a secret, so its link must include a code_challenge. ${GO_BACK}`,
  },
  'wrong-challenge': {
    status: 400,
    title: 'The game opened this page incorrectly',
    text: `The code_challenge in its link must have 43 characters and use the method S256. ${GO_BACK}`,
  },
  'state-too-long': {
    status: 400,
    title: 'The link is too long',
    text: `Its state is longer than 2000 characters. ${GO_BACK}`,
  },
};
