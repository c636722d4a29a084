import type { Message } from '../../web/message-page.ts';

/** Whether something was taken is not looked up for these pages, so they must not say: the payment's own page does. */
const LOOK_AGAIN = 'Open the payment again from the game: it shows how things stand.';

export const REDIRECT_NOT_REGISTERED: Message = {
  status: 400,
  title: 'The game gave a wrong address',
  text: `It asked us to send you to an address it has not registered, so we stopped here. ${LOOK_AGAIN}`,
};

export const FOREIGN_DECISION: Message = {
  status: 403,
  title: 'That did not come from our page',
  text: `Another site tried to answer for you, so we stopped here. ${LOOK_AGAIN}`,
};

/** One page for unknown and foreign requests and tokens alike: the difference would tell strangers what exists. */
const NOT_FOR_YOU: Message = {
  status: 404,
  title: 'This page is not here for you',
  text: 'The link may be incomplete, or it belongs to somebody else. Go back to the game and open the payment from there.',
};

const EXPIRED: Message = { status: 401, title: 'This page has expired', text: LOOK_AGAIN };

/** What the payment's pages say where all other pages would say something general; by status, or by a problem's code. */
export const APPROVAL_MESSAGES: Readonly<Record<string, Message>> = {
  404: NOT_FOR_YOU,
  401: EXPIRED,
  400: { status: 400, title: 'We could not read that', text: LOOK_AGAIN },
  413: { status: 413, title: 'We could not read that', text: LOOK_AGAIN },
  415: { status: 415, title: 'We could not read that', text: LOOK_AGAIN },
  405: { status: 405, title: 'We could not read that', text: LOOK_AGAIN },
  503: {
    status: 503,
    title: 'We are busy right now',
    text: 'Please open the payment again in a moment: it shows how things stand.',
  },
  'database-unavailable': {
    status: 503,
    title: 'We can not reach our books',
    text: 'Nothing can be looked up or decided until we do. Please open the payment again in a minute: it shows how things stand.',
  },
  'outcome-unknown': {
    status: 503,
    title: 'We do not know yet whether it went through',
    text: 'Please open the payment again in a moment: it shows how things stand, and is never paid twice.',
  },
  500: { status: 500, title: 'Something went wrong on our side', text: LOOK_AGAIN },
};
