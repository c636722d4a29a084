import type { ConversionFault } from '../../usecases/person/open-conversion.ts';
import type { Message } from '../../web/message-page.ts';

/** Each fault has a page of its own, for whoever made the game as much as for its player. */
export type PageFault =
  | Exclude<ConversionFault, 'already-full'>
  | 'no-token'
  | 'wrong-parameters'
  | 'redirect-not-registered'
  | 'no-challenge'
  | 'wrong-challenge'
  | 'state-too-long';

const GO_BACK = 'Nothing was changed: you are still a guest. Go back to the game and try again from there.';

export const FAULT_MESSAGES: Readonly<Record<PageFault, Message>> = {
  'unknown-app': {
    status: 400,
    title: 'We do not know this game',
    text: `The link names no game we know (client_id). ${GO_BACK}`,
  },
  'no-token': {
    status: 400,
    title: 'The link is incomplete',
    text: `It does not say who you are (token). ${GO_BACK}`,
  },
  'dead-token': {
    status: 401,
    title: 'This link is no longer good',
    text: 'The key of a guest in it is unknown or old. Nothing was changed. Go back to the game and try again from there.',
  },
  'foreign-token': {
    status: 403,
    title: 'This guest belongs to another game',
    text: 'The key of a guest in the link was not made for the game it names. Nothing was changed. Open the page from the game you play as a guest.',
  },
  'page-token': {
    status: 400,
    title: 'The game sent the wrong key',
    text: `Its link holds a key that only opens payments (firebase_token); this page needs the guest’s access token. ${GO_BACK}`,
  },
  'wrong-parameters': {
    status: 400,
    title: 'The game opened this page in a wrong way',
    text: `Its link must say response_type=code and inline=true. ${GO_BACK}`,
  },
  'redirect-not-registered': {
    status: 400,
    title: 'The game gave a wrong address',
    text: `It asked us to send you to an address it has not registered (redirect_uri), so we stopped here. ${GO_BACK}`,
  },
  'no-challenge': {
    status: 400,
    title: 'The link is incomplete',
    text: `This game can keep no secret, so its link must hold a code_challenge. ${GO_BACK}`,
  },
  'wrong-challenge': {
    status: 400,
    title: 'The game opened this page in a wrong way',
    text: `The code_challenge in its link must be 43 characters made by the method S256. ${GO_BACK}`,
  },
  'state-too-long': {
    status: 400,
    title: 'The link is too long',
    text: `What it wants to get back (state) is longer than 2000 characters. ${GO_BACK}`,
  },
};
