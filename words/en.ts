import { html } from 'hono/html';
import { type Count, formatsOf } from '../src/base/formats.ts';
import type { ReasonCode } from '../src/base/problems.ts';

const formats = formatsOf('en-GB');
const { number, locale, plural } = formats;

/** A piece of a sentence that is already markup: a name in quotation marks, a link, a time. */
export type Piece = ReturnType<typeof html> | string;

/** A sentence for each reason. Some name a number, or names. */
type Reasons = Readonly<Record<ReasonCode, (number: Count, ...names: readonly string[]) => string>>;

const DURATIONS = {
  minute: { one: '# minute', other: '# minutes' },
  hour: { one: '# hour', other: '# hours' },
  day: { one: '# day', other: '# days' },
};

const unit = (amount: Count): string => plural(amount, { one: 'quarter', other: 'quarters' });
const quarters = (amount: Count) => `${number(amount)} ${unit(amount)}`;
const atMost = (characters: Count) => `Use at most ${number(characters)} characters.`;

/** What several pages say. */
const shared = {
  expired: 'This page has expired',
  broken: 'Something went wrong on our side',
  unknownGame: 'We don’t know this game',
  linkIncomplete: 'The link is incomplete',
  linkTooLong: 'The link is too long',
  openedIncorrectly: 'The game opened this page incorrectly',
  wrongAddress: {
    title: 'The game gave a wrong address',
    text: 'It asked us to send you to an address it hasn’t registered, so we stopped.',
  },
  lookAgain: 'Open the payment again from the game to see its status.',
  keptAccess: 'Games keep the access you gave them.',
  neverShare: 'Never share it, not even with us.',
  approvePayment: 'Approve a payment',
  stopped: 'This payment didn’t go through',
  onItsWay: 'On its way',
  confirmed: 'Confirmed',
  ownWindow: {
    opened: 'Continue in the window we opened.',
    closed: 'The window was closed. You can open it again.',
  },
};

/**
 * English. An entry is a string or, if it has parts, a function of them. A part that the page marks up (a game's name, a link) comes as a
 * piece, so a translation may put it anywhere in the sentence. Mails are plain strings, because they are also sent as text.
 *
 * A section is named after the page, or the part of one, that says it. `frame`, `fields` and `messages` are for all pages, `scripts` is what
 * scripts say, and `mails` what mails say.
 */
export const en = {
  ...formats,
  /** The language of pages and mails (BCP 47), and what it calls itself. */
  language: 'en',
  name: 'English',
  direction: 'ltr' as 'ltr' | 'rtl',
  /** Around a name that others have chosen. */
  quotes: ['“', '”'] as readonly [open: string, close: string],
  /** Between two sentences. */
  gap: ' ',
  unit,
  /** `1,234 quarters`. */
  quarters,
  frame: {
    nav: 'Your pages',
    account: 'Account',
    developer: 'Developer',
    console: 'Console',
    docs: 'Docs',
    signOut: 'Sign out',
    footer: (brand: string) => `This page belongs to ${brand}, not to the game.`,
    support: 'Get help',
    /** The choice of a language. */
    language: 'Language',
  },
  fields: {
    email: 'E-mail address',
    password: 'Password',
    newPassword: 'New password',
    passwordRules: (least: number) =>
      `Use at least ${least} characters. Avoid your name, your e-mail address and common passwords. A few unrelated words work well.`,
    copy: (what: string) => `Copy ${what}`,
    atMost,
    step: (step: number, of: number) => `Step ${step} of ${of}`,
  },
  messages: {
    notFound: {
      title: 'Page not found',
      text: 'The link may be incomplete or out of date, or belong to someone else.',
    },
    expired: { title: shared.expired, text: 'It was open for too long. Please start again.' },
    foreignForm: {
      title: 'That didn’t come from our page',
      text: 'Nothing was changed. If this was you, open the page again and retry there.',
    },
    frozen: { title: 'Your account is frozen', text: 'You can’t change this while your account is frozen.' },
    suspended: {
      title: 'This game is suspended',
      text: 'You can’t pay it or give it access at the moment. Your quarters stay yours.',
    },
    /** The text names the reader's role and whom to ask. */
    role: { title: 'Your role doesn’t allow this' },
    tooMany: { title: 'Too many attempts', text: 'Please wait and try again.' },
    /** The same in one line. `wait`: how long to wait, and what helps besides. */
    tooManyInLine: (wait: string) => `Too many attempts. ${wait}`,
    tooManyFiles: {
      title: 'Too many downloads at once',
      text: (most: number) => `You can download ${most} files at a time. Wait until one is complete, then try again.`,
    },
    badForm: {
      title: 'We couldn’t read that',
      text: 'Nothing was changed. Go back, check what you entered and try again.',
    },
    busy: { title: 'We’re busy right now', text: 'Please try again in a moment.' },
    unknown: {
      title: 'We don’t know yet if this went through',
      text: 'Please check in a moment before you try again.',
    },
    broken: {
      title: shared.broken,
      text: 'We’ve logged it. Please try again in a moment.',
    },
    /** For a script that was refused. */
    foreignCall: 'That didn’t come from our page. Nothing was changed.',
    account: 'Go to your account',
    backToGame: (game: Piece) => html`Back to ${game}`,
    canGoBack: (game: Piece) => html`You can go back to ${game}.`,
    /** Where a form was that the player has sent. */
    answered: 'You’ve answered. Continue in the game.',
    continueInGame: 'Continue in the game.',
  },
  /** Why something is refused, beside the field that it is about or on a page of its own. */
  reasons: {
    'email-missing': () => 'Enter your e-mail address.',
    'email-too-long': atMost,
    'email-malformed': () => 'Enter a valid e-mail address.',
    'email-unchanged': () => 'This is already your address.',
    'name-unusable': (most) => `Use 1 to ${number(most)} visible characters.`,
    'password-too-short': (least) => `Use at least ${number(least)} characters.`,
    'password-too-long': atMost,
    'password-own': () => 'This is too close to your name or e-mail address. Choose something else.',
    'password-common': () => 'This password is too easy to guess. Try a few unrelated words.',
    'password-wrong': () => 'This isn’t your current password.',
    'passkey-late': () => 'That took too long. Try again.',
    'passkey-unverified': () => 'We couldn’t verify this passkey. Try another one.',
    'passkey-not-added': (most) => `You already added it, or you have ${number(most)} passkeys.`,
    'passkey-not-theirs': () => 'We couldn’t confirm it’s you with this passkey. Try again.',
    'code-needed': () => 'Enter the code that we e-mail you before you add a passkey.',
    'passkey-young': () => 'This passkey is too new to confirm an address. Use an older one.',
    'passkey-needed': () => 'You’re an operator. Sign in with a passkey to add another one.',
    'limit-out-of-range': (most) => `Enter a whole number from 1 to ${number(most)}.`,
    'limit-above-day': () => 'This can’t be more than the most for one day.',
    'amount-unusable': () => 'Enter a whole number of quarters, 1 or more.',
    'address-unusable': () =>
      'Enter a full Ethereum address, with its capital and small letters exactly as your wallet shows it.',
    'address-elsewhere': (_, theirs = '', ours = '') =>
      `This is an address on ${theirs}, and quarters are on ${ours}. Add one that is yours there.`,
    'address-more': () => 'Paste the address alone: it begins with 0x and has nothing after it.',
    'address-ours': () => 'This address belongs to this service. To pay somebody here, use a game.',
    'address-known': () => 'You already have this address.',
    'addresses-full': (most) => `You have ${number(most)} addresses. Remove one first.`,
    'address-not-ready': () => 'This address isn’t ready. Reload the page and choose another one.',
    'withdrawal-above-free': (most) => `You can withdraw at most ${quarters(most)} now.`,
    'withdrawal-above-day': (most) => `Your limit for 24 hours allows at most ${quarters(most)} more.`,
    'withdrawal-above-all': () => 'Players have withdrawn a lot today. Try a smaller amount, or try again tomorrow.',
    'withdrawal-stale': () => 'This page is out of date. Reload it, and check if your withdrawal is listed.',
    wait: () => 'Please wait a moment and try again.',
    'wait-minutes': (minutes) => `Please wait ${waitingTime(minutes)} and try again.`,
    'wait-up-to-an-hour': () => 'Please wait up to an hour and try again.',
    'wait-up-to-a-day': () => 'Please wait up to a day and try again.',
    'too-many-streams': () => 'You have too many payment pages open. Close some and try again.',
  } satisfies Reasons,
  /** Follows a reason to wait. */
  otherWays: 'You can still use a passkey, or a browser you have signed in with before.',
  /** What the operator has stopped: frozen accounts, and suspended games. */
  stopped: {
    ask: (brand: string) => `Contact ${brand} to find out more.`,
    account: {
      title: 'Your account is frozen',
      limits: 'You can’t spend quarters, change your e-mail address, password or passkeys, or close your account.',
      rest: 'You can still receive quarters, decline payments, disconnect games and download your data.',
    },
    payment: {
      'account-frozen': 'Your account is frozen, so you can’t approve this.',
      'app-suspended': 'This game is suspended, so you can’t approve this.',
    },
    /** For the game. */
    errors: {
      'account-frozen': 'The player’s account is frozen.',
      'app-suspended': 'The game is suspended.',
    },
  },
  passkeys: {
    /** The name of one that was made in an unknown browser. */
    unnamed: 'Passkey',
  },
  browsers: {
    unknown: 'Unknown browser',
    on: (browser: string, system: string) => `${browser} on ${system}`,
  },
  signUp: {
    title: 'Create your account',
    lead: (brand: string) =>
      `One account for every game that uses ${brand}. We’ll send a code to your e-mail address first.`,
    send: 'Send me a code',
    haveAccount: (link: Piece) => html`Already have an account? ${link}`,
    codeTitle: 'Enter your code',
    codeSent: (email: Piece, minutes: number) => html`We sent it to ${email}. It expires in ${minutes} minutes.`,
    code: 'Code',
    continue: 'Continue',
    sendAgain: 'Send a new code',
    checkSpam: 'Nothing there? Check your spam folder.',
    /** In development mode, where mails are not sent. */
    mailIn: (folder: Piece) => html`No mail server is set up, so the e-mail is in ${folder} and in the service’s log.`,
    otherEmail: 'Use another e-mail address',
    wrongCode: 'Wrong or expired code. Try again or request a new one.',
    mailRefused: (email: Piece) =>
      html`We couldn’t deliver our last e-mail to ${email}. Check the address, or use another one.`,
    finishTitle: 'Name and password',
    name: 'Name',
    nameHint: 'Shown in games. A nickname is fine.',
    finish: 'Finish',
    takenTitle: 'You already have an account',
    taken: (email: Piece) => html`It uses ${email}. Nothing was changed.`,
  },
  signIn: {
    title: 'Sign in',
    again: 'Confirm it’s you',
    againText: 'Sign in again to continue.',
    /** The visitor sent a form, which is kept. */
    kept: 'What you entered is kept.',
    toGame: (game: Piece) => html`You’ll continue to the game ${game}.`,
    /** The visitor comes from a payment. `amount`: with its unit. */
    toPay: (game: Piece, amount: Piece) => html`The game ${game} asks you for ${amount}. You decide after signing in.`,
    submit: 'Sign in',
    continue: 'Continue',
    passkey: 'Use a passkey',
    forgot: 'Forgot your password?',
    noAccount: (link: Piece) => html`No account yet? ${link}`,
    create: 'Create one',
    /** An address without an account gets the same sentence as a wrong password. */
    wrong: 'Wrong e-mail or password. Try again.',
    /** After too many attempts, right or wrong, with or without an account. `reset`: a link. */
    tooMany: (wait: string, reset: Piece) => html`${en.messages.tooManyInLine(wait)} Or ${reset} now.`,
    newPassword: 'set a new password',
    /** A removed passkey gets the same answer as an unknown one. */
    wrongPasskey: 'We don’t recognise this passkey. Sign in another way.',
    /** In development mode, where a link signs in the owner of the demo app. A command follows each text. */
    byLink: {
      usedTitle: 'This sign-in link no longer works',
      usedText: 'It has been used, or has expired. To get a new one, run this in the folder of the service:',
      confirmText:
        'Run this in the folder of the service, and open the link it prints in this browser. Then continue here.',
      hint: (command: Piece) => html`To try the demo app as its developer, run ${command} and open the link it prints.`,
    },
  },
  /** A form was kept while its sender confirmed who they are. */
  continueForm: {
    title: 'Thanks, it’s you',
    /** `action` completes the sentence. */
    about: (action: string) => `You were about to ${action}.`,
    something: 'send what you entered',
    submit: 'Continue',
    gone: 'We no longer have what you entered',
    goneText: (minutes: number) =>
      `We keep it for ${minutes} minutes, and only until it is sent. Nothing was changed. Please enter it again.`,
    closeAccount: 'close your account',
    changeEmail: 'change your e-mail address',
    rename: 'change your display name',
    removePasskey: 'remove a passkey',
    removePasskeys: 'remove all passkeys',
    removeGames: 'remove the access of all games',
    removeGame: 'remove the access or the spending limit of a game',
    changeLimit: 'change the spending limit of a game',
    endSession: 'sign out another browser',
    endSessions: 'sign out all other browsers',
  },
  forgot: {
    title: 'Reset your password',
    lead: 'What’s your account’s e-mail address? We’ll send a code there.',
    remembered: (link: Piece) => html`Remembered it? ${link}`,
    newTitle: 'Set a new password',
    newText: `This signs you out everywhere. ${shared.keptAccess}`,
    submit: 'Set password',
  },
  signOut: {
    title: 'Sign out?',
    signedInAs: (email: Piece) => html`You’re signed in as ${email}.`,
    access: (link: Piece) => html`Games keep the access you gave them; you can remove it on ${link}.`,
    yourAccount: 'your account page',
    submit: 'Sign out',
    stay: 'Stay signed in',
    done: 'You’re signed out',
  },
  guest: {
    title: 'Keep your account',
    lead: (game: Piece, brand: string) =>
      html`You’re playing ${game} as a guest. Add an e-mail address and a password to use this account on every device and in every game that uses ${brand}.`,
    balance: 'Balance',
    account: 'Account',
    guest: 'Guest',
    kept: 'You keep your history, too. After that, the game needs your approval or a spending limit to spend your quarters.',
    finishText:
      'The game will see this name, your e-mail address and your balance, and can ask you for quarters. You can remove its access on your account page.',
    passkey: 'Use a passkey instead',
    takenTitle: 'This address has an account',
    taken: (email: Piece) => html`${email} already has an account. Sign in to it to play with it.`,
    canMove: (balance: string) => `Your guest has ${balance}, which you can move there.`,
    signInAndMove: 'Sign in and move quarters',
    signInToIt: 'Sign in to that account',
    orElse: 'Or keep them separate',
    keepPlaying: (guest: string) => `To keep playing as ${guest}, close this page. Nothing was changed.`,
    otherEmail: 'To make this guest an account of its own, use another e-mail address:',
    merge: {
      title: 'Move your quarters',
      asks: (balance: string) => `Move ${balance} to this account?`,
      asksEmpty: 'Play with this account?',
      lead: (balance: string, game: Piece) =>
        html`Move ${balance} from your guest account in ${game} to this account. The guest account then closes.`,
      leadEmpty: (game: Piece) =>
        html`Your guest account in ${game} has no quarters to move. It closes, and you continue with this account.`,
      from: 'From',
      to: 'To',
      can: (game: Piece) => html`${game} then uses this account. It can:`,
      ends: 'Payments you approved are still made. Requests you haven’t approved and any spending limit end with the guest.',
      submit: 'Move and close guest',
      submitEmpty: 'Close guest and continue',
      final: 'This can’t be undone. To keep your guest, close this page.',
    },
    otherAccount: {
      title: 'You’re signed in to another account',
      text: (signedInAs: Piece, proved: Piece) =>
        html`You’re signed in as ${signedInAs}, but you confirmed ${proved}. Sign out, then go back and open this page again. Nothing was changed.`,
    },
    noGuest: {
      'already-full': {
        title: 'Your guest account is now a full account',
        text: 'Sign in to it, or go back to the game and sign in there.',
      },
      merged: {
        title: 'Your guest was moved to your account',
        text: 'Its quarters are there, and the guest is closed. Sign in, or go back to the game and sign in there.',
      },
    },
    converted: {
      title: 'Your account is ready',
      text: 'You kept your quarters and your history. From now on, sign in with your password or passkey.',
    },
    merged: {
      title: 'You now play with your account',
      text: 'Your guest is closed. Its quarters reach your account in a moment.',
    },
    stillGuest: 'Nothing was changed: you’re still a guest. Go back to the game and try again.',
    /** They help the game's developer as well as its player, so they name parameters. `stillGuest` follows most of them. */
    faults: {
      'unknown-app': {
        title: shared.unknownGame,
        text: 'The link doesn’t name a registered game (client_id).',
      },
      'no-token': { title: shared.linkIncomplete, text: 'It doesn’t say which guest you are (token).' },
      'dead-token': {
        title: 'This link has expired',
        text: 'Its guest key is unknown or too old. Nothing was changed. Go back to the game and try again.',
      },
      'foreign-token': {
        title: 'This guest belongs to another game',
        text: 'The guest key in the link is for a different game. Nothing was changed. Open this page from the game you play as a guest.',
      },
      'page-token': {
        title: 'The game sent the wrong key',
        text: 'Its link has a key that only opens payments (firebase_token). This page needs the guest’s access token.',
      },
      'wrong-parameters': {
        title: shared.openedIncorrectly,
        text: 'Its link must include response_type=code and inline=true.',
      },
      'redirect-not-registered': {
        title: shared.wrongAddress.title,
        text: 'It asked us to send you to an address it hasn’t registered (redirect_uri), so we stopped.',
      },
      'no-challenge': {
        title: shared.linkIncomplete,
        text: 'This game can’t keep a secret, so its link must include a code_challenge.',
      },
      'wrong-challenge': {
        title: shared.openedIncorrectly,
        text: 'The code_challenge in its link must have 43 characters and use the method S256.',
      },
      'state-too-long': { title: shared.linkTooLong, text: 'Its state is longer than 2000 characters.' },
      'app-suspended': {
        title: 'This game is suspended',
        text: 'Its guests can’t create an account at the moment. Your quarters stay yours.',
      },
    },
  },
  consent: {
    title: 'Let a game use your account',
    asks: (brand: string) => `asks to use your ${brand} account`,
    can: 'If you allow it, it can:',
    scopes: {
      openid: 'recognise you',
      profile: 'see your display name',
      email: 'see your e-mail address',
      wallet: 'see your account, its balance and your rewards',
      requests: 'ask you for quarters; each payment needs your approval or a spending limit',
    },
    choose: 'Choose an account',
    otherAccount: 'Use another account',
    signedInAs: 'Signed in as',
    notYou: 'not you?',
    continueTo: 'You’ll continue to',
    toGame: 'the game',
    toApp: (scheme: string) => `an app on this device (${scheme})`,
    allow: 'Allow',
    refuse: 'Don’t allow',
    revocable: 'You can remove this access at any time on your account page.',
  },
  authorization: {
    signIn: 'Sign in',
    asks: 'asks you to sign in',
    open: (brand: string) => `Sign in with ${brand}`,
    done: 'You’re signed in',
    refused: 'You didn’t allow access',
    failed: 'You’re not signed in to the game',
    nothingShared: 'Nothing was shared.',
    /** For the game's developer and its player. */
    errors: {
      access_denied: 'The player did not allow it.',
      server_error: 'Something went wrong on our side.',
    },
    unknownGame: {
      title: shared.unknownGame,
      text: 'The game that sent you here isn’t registered. Nothing was shared with it.',
    },
    tooLong: {
      title: shared.linkTooLong,
      text: (most: number) =>
        `One of its values is longer than ${most} characters. Nothing was shared with the game. Go back to it and try again. If this happens again, tell its developer.`,
    },
    wrongAddress: {
      title: shared.wrongAddress.title,
      text: `${shared.wrongAddress.text} Nothing was shared.`,
    },
    expired: {
      title: shared.expired,
      text: 'It was open for too long, or in another browser. Please start again from the game.',
    },
    broken: {
      title: shared.broken,
      text: 'We’ve logged it. Go back to the game and try again in a moment.',
    },
    other: {
      title: 'The game asked for something we can’t do',
      text: 'Nothing was shared with it. Go back to the game and try again. If this happens again, tell its developer.',
    },
    forDeveloper: (error: Piece, description: Piece) =>
      description === ''
        ? html`For the game’s developer: ${error}.`
        : html`For the game’s developer: ${error}, ${description}.`,
  },
  logout: {
    title: 'Sign out',
    asks: (brand: string) => `asks you to sign out of ${brand}`,
    question: (brand: string) => `Sign out of ${brand}?`,
    keptAccess: shared.keptAccess,
    open: 'Continue to sign out',
    stayed: 'You’re still signed in',
    wrongAddress: {
      title: shared.wrongAddress.title,
      text: `${shared.wrongAddress.text} Nothing was changed.`,
    },
    allDone: { title: 'All done', text: 'You can close this page, or go back to the game.' },
  },
  report: {
    title: 'Report a problem',
    question: 'What’s wrong with this payment?',
    lead: 'Only we see this. Your payment doesn’t change.',
    legend: 'Choose what fits best',
    reasons: {
      'wrong-payment': 'The amount or the text is wrong',
      pretends: 'It pretends to be another game, or us',
      other: 'Something else',
    },
    noReason: 'Choose a reason.',
    details: 'Details (optional)',
    detailsHint: (most: number) => `Up to ${most} characters. Don’t include passwords or codes.`,
    submit: 'Send report',
    thanks: 'Thank you',
    sent: 'We’ll look into your report. Your payment hasn’t changed.',
    back: 'Back to the payment',
  },
  scripts: {
    copy: { copied: 'Copied', byHand: 'Select the text and copy it' },
    ready: { early: 'One moment, then tap again.' },
    localTime: {
      /** How dates and clock times are written (BCP 47). */
      language: locale,
      today: 'today, {time}',
      yesterday: 'yesterday, {time}',
      otherDay: '{day}, {time}',
    },
    password: {
      show: 'Show',
      hide: 'Hide',
      short: 'Too short',
      long: 'Too long',
      own: 'Too close to your name or e-mail address',
      weak: 'Weak',
      good: 'Good',
      strong: 'Strong',
    },
    passkey: {
      exists: 'You already have a passkey for this account there.',
      notUsed: 'No passkey was used. You can try again.',
      failed: 'That didn’t work. Please try again in a moment.',
    },
    progress: {
      submitted: shared.onItsWay,
      completed: shared.confirmed,
      failed: 'Part of it may have been paid; the rest was returned to you.',
      failedTitle: shared.stopped,
      failedSentence: 'You approved it, but it was stopped.',
      slow: 'The network is slow right now. Your approval is saved, and you can close this page.',
    },
    ownWindow: shared.ownWindow,
    firstWindow: { lost: 'Continue in the game', lostText: 'You can close this window.' },
    busy: { offline: 'No connection. Nothing was sent. Check your connection, then try again.' },
    /** What quarters.js says in a game's page. The errors that it throws are in English. */
    quarters: {
      approve: shared.approvePayment,
      signUp: 'Keep your quarters',
      close: 'Close',
      loading: 'Loading…',
      unreachable: 'We can’t show this page here.',
      open: 'Open in a window',
      show: 'Show the window',
      opened: shared.ownWindow.opened,
      closedWindow: shared.ownWindow.closed,
      blockedWindow: 'Your browser blocked the window. Allow pop-ups for this site, then try again.',
    },
  },
  branding: {
    verified: 'Verified game',
    unverified: 'Unverified game',
    misleading: 'Unverified game with a misleading name',
    unnamed: 'Unnamed game',
  },
  home: {
    heading: 'Your quarters, in every game',
    lead: (brand: string) => `Win quarters in one game and spend them in another. ${brand} keeps them in one account.`,
    payment: {
      heading: 'How a payment works',
      asks: { label: 'The game asks', about: 'You see the game, the amount and what it’s for.' },
      approve: {
        label: 'You approve',
        about:
          'Nothing is taken from your account without asking you, except within a spending limit. You can lower or remove it.',
      },
      account: { label: 'It’s on record', about: 'Your account lists every payment.' },
    },
    developers: {
      heading: 'For game developers',
      register: { label: 'Register a game', about: 'Get an account and keys' },
      tour: { label: 'Tour', about: 'Make a payment with curl' },
      docs: { label: 'Documentation', about: 'Guides, and every call with examples' },
      script: { label: 'Browser script', about: 'Ask for payments in a frame or window' },
    },
  },
  liabilities: {
    title: 'What players own',
    intro: (brand: Piece) =>
      html`From time to time, ${brand} publishes how many quarters all players and games own together. Players with an account can check that their own are counted.`,
    none: 'Nothing is published yet.',
    latest: 'Latest publication',
    block: 'Block',
    published: 'Published',
    accounts: 'Accounts',
    balances: 'In accounts',
    rewards: 'In rewards',
    treasury: 'In the treasury',
    supply: 'Total supply',
    token: 'Token',
    root: 'Root',
    overdrawn: (count: number) =>
      plural(count, {
        one: '# account is below zero and counts as 0.',
        other: '# accounts are below zero and count as 0.',
      }),
    withdrawn: 'Withdrawn',
    withdrawnText: 'The chain no longer has this block, so this publication says nothing.',
    how: 'How to check',
    account: 'your account page',
    script: 'the script',
    steps: (account: Piece, script: Piece) =>
      html`Download your proof on ${account}. Check it with ${script} and an Ethereum node you trust.`,
    shows: 'What a checked proof shows',
    showsList: [
      'Your balance is in the sums above, to the quarter.',
      'Your address on the chain held that balance at the block.',
      'All accounts and the treasury together held no more than the total supply.',
      'The treasury held enough for all rewards that were not used yet.',
    ],
    showsNot: 'What it does not show',
    showsNotList: [
      'That everyone is counted. Each player can only check their own entry.',
      'Anything that happened after the block.',
      'That we still have the keys of the accounts. Payments show that.',
    ],
    all: 'All publications',
    file: 'File',
  },
  approval: {
    title: shared.approvePayment,
    asks: 'asks you for',
    message: 'Message from the game',
    balance: 'Balance',
    balanceAfter: 'Balance after',
    reward: 'Your reward',
    youPay: 'You pay',
    fromBoth: (reward: string, balance: string) => `${reward} from your reward, ${balance} from your balance`,
    unconfirmed: 'Some of your quarters are still being confirmed. Open this again from the game in a moment.',
    missing: (missing: bigint) =>
      html`You need <strong>${number(missing)} more ${unit(missing)}</strong> to approve this.`,
    missingThenOpen: 'Once you have enough, open this again from the game.',
    approve: 'Approve',
    decline: 'Decline',
    topUp: 'Get quarters',
    topUpAt: (host: Piece) => html`Opens ${host}`,
    mandate: (game: Piece, once: Piece, day: string, until: Piece) =>
      html`Allow ${game} to spend up to <strong>${once} at a time and ${day} a day</strong> without asking, until ${until}`,
    mandateByApproval: (game: Piece, once: Piece, day: string, until: Piece) =>
      html`After this, ${game} can take up to <strong>${once} at a time and ${day} a day</strong> without asking, until ${until}.`,
    askEveryTime: 'Ask me every time',
    confirmed: 'You’ve confirmed it’s you. You can approve this now.',
    confirm: (above: string) => `Payments above ${above} need your password or passkey again.`,
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
  account: {
    title: 'Your account',
    back: 'Your account',
    balance: 'Balance',
    reserved: (amount: Piece) => html`${amount} reserved for payments in progress`,
    reward: (amount: string) => `${amount} reward, applied automatically to your next payment`,
    recentActivity: 'Recent activity',
    allActivity: 'All activity',
    games: 'Games',
    connectedGames: 'Connected games',
    gameCount: (count: number) => (count === 0 ? 'None yet' : plural(count, { one: '# game', other: '# games' })),
    profile: 'Profile and games',
    security: 'Sign-in and security',
    displayName: 'Display name',
    email: 'E-mail address',
    address: 'Ethereum address',
    viewOnExplorer: 'View on the block explorer',
    password: 'Password',
    changePassword: 'Change your password',
    passkeys: 'Passkeys',
    passkeyCount: (count: number) =>
      count === 0 ? 'None yet' : plural(count, { one: '# passkey', other: '# passkeys' }),
    sessions: 'Where you’re signed in',
    sessionCount: (count: number) =>
      count === 1
        ? 'Only here'
        : plural(count - 1, { one: 'Here and in # other browser', other: 'Here and in # other browsers' }),
    operation: 'Operation',
    console: 'Operators’ console',
    consoleHint: 'Economy, health and actions',
    data: 'Your data',
    exportActivity: 'Download all activity',
    exportProfile: 'Download your profile',
    exportFormat: 'CSV file',
    proof: {
      title: 'Proof of your balance',
      entry: (block: string) => `At block ${block}`,
      intro: (all: Piece) =>
        html`Your quarters are part of ${all} that we’ve published. Anyone with your proof and an Ethereum node can check that.`,
      limits: 'It shows your balance at one block. It does not show what happened later.',
      block: 'Block',
      published: 'Published',
      sums: 'the sums',
      balance: 'Your balance then',
      rewards: 'Your rewards then',
      address: 'Your address',
      root: 'Published root',
      download: 'Download proof',
      check: 'Check it',
      checkIntro: (script: Piece) =>
        html`Download your proof and ${script}, then run this with Node.js 20 or newer. Replace the last value with an Ethereum node you trust.`,
      script: 'the script that checks it',
      command: 'command that checks your proof',
      compare: (all: Piece) =>
        html`Compare the root with ${all}, or with one you noted earlier. The script is short: you can read it first.`,
      path: 'Path to the root',
      pathIntro: 'What stands beside your entry on each level. It names nobody.',
      none: 'We haven’t published our sums yet. Your proof appears here when we do.',
      younger: 'Your account is newer than our last publication. Your proof appears here after the next one.',
    },
    closeAccount: 'Close your account',
    closeAccountNow: 'This cannot be undone',
    duration: (count: number, unit: 'day' | 'hour' | 'minute') => plural(count, DURATIONS[unit]),
    changed: {
      name: 'Your display name was changed.',
      email: 'Your e-mail address was changed, and you were signed out everywhere else.',
      password: 'Your password was changed, and you were signed out everywhere else.',
      passkeys: 'All passkeys were removed, and you were signed out everywhere else.',
      games: 'You were signed out of all games.',
      limit: 'Your spending limit was changed.',
      withdrawal: 'Your withdrawal is on its way.',
      withdrawalAddress: 'The address was added.',
    },
    name: {
      title: 'Change your display name',
      label: 'Display name',
      hint: 'Shown in games. A nickname is fine. 1 to 40 characters.',
      submit: 'Change name',
    },
    emailChange: {
      title: 'Change your e-mail address',
      intro: (address: Piece) => html`Your address is ${address}. We’ll send a code there and one to the new address.`,
      label: 'New e-mail address',
      submit: 'Send both codes',
      taken:
        'Another account uses this address, so nothing was changed. If it’s yours, sign in to that account and close it or change its address first.',
      stale: 'That took too long, or your account was changed in the meantime. Please start again.',
      codesTitle: 'Enter both codes',
      codesIntro: (time: string) => `We sent a six-digit code to each address. The codes expire in ${time}.`,
      /** One code was correct. */
      otherCodeTitle: 'Enter the other code',
      otherCodeIntro: (time: string) => `The other code expires in ${time}.`,
      codeSentTo: (address: string) => `Code sent to ${address}`,
      codeCorrect: (address: Piece) => html`The code sent to ${address} was correct.`,
      codeWrong: 'Wrong or expired code.',
      codeRefused: 'We couldn’t deliver our e-mail to this address, so its code won’t arrive.',
      confirm: 'Change address',
      restart: 'Start again',
    },
    passwordChange: {
      title: 'Change your password',
      intro: 'You’ll be signed out everywhere else. Games keep the access you gave them.',
      current: 'Current password',
      next: 'New password',
      submit: 'Change password',
      withPasskey: 'Use a passkey instead of the current password',
      forgotten: 'Forgot your current password?',
    },
    passkeyList: {
      intro: 'Sign in with your fingerprint, face or screen lock. It can’t be phished.',
      yours: 'Your passkeys',
      none: 'No passkeys yet.',
      used: (added: Piece, used: Piece) => html`Added on ${added}; last used on ${used}`,
      unused: (added: Piece) => html`Added on ${added}; not used yet`,
      remove: 'Remove',
      removeNamed: (name: string) => `Remove ${name}`,
      removeAll: 'Remove all passkeys',
      removeAllHint: 'Removing all passkeys also signs you out everywhere else. You can add yours again afterwards.',
      add: 'New passkey',
      full: (most: number) => `You have ${most} passkeys. Remove one to add another.`,
      unsupported: 'This needs JavaScript and a browser that supports passkeys.',
      label: 'Name',
      hint: 'To help you recognise it, for example “Phone”.',
      submit: 'Add a passkey',
      nameless: 'Enter a name.',
      prove: (address: Piece) =>
        html`You signed in with your password. Before you add a passkey, enter a code that we send to ${address}.`,
      proveWithPasskey: 'Use a passkey that you have',
      stop: {
        title: 'Remove this passkey?',
        text: 'After that, it signs nobody in. Everybody who is signed in to your account is signed out.',
        submit: 'Remove this passkey',
        done: 'The passkey is removed',
        doneText: 'If you didn’t add it, somebody knows your password. Set a new one now.',
        gone: 'This link doesn’t work any more',
        goneText: 'The passkey was removed, or the link is too old. Your account page lists your passkeys.',
      },
    },
    sessionList: {
      intro: (changePassword: Piece) => html`Don’t recognise one? Sign it out, then ${changePassword}.`,
      changePassword: 'change your password',
      here: 'This browser',
      lastUsed: (time: Piece) => html`Last used: ${time}`,
      signedIn: (time: Piece, how: string) => html`Signed in with ${how}: ${time}`,
      byPasskey: 'a passkey',
      byPassword: 'your password',
      byCode: 'a code sent by e-mail',
      signOut: 'Sign out',
      signOutOf: (browser: string) => `Sign out of ${browser}`,
      signOutElsewhere: 'Sign out everywhere else',
      limits: (idle: string, days: number, endAccess: Piece) =>
        html`You’re signed out after ${idle} without use, and ${days} days after signing in. Games can stay signed in until you ${endAccess}.`,
      endAccess: 'end their access',
    },
    gameList: {
      title: 'Connected games',
      intro: 'These games have access to your account. Changes apply at once. Past payments stay paid.',
      none: 'No game has access to your account.',
      noneHint: 'A game appears here once you sign in to it.',
      since: (day: Piece) => html`Since ${day}, it can:`,
      limit: (most: Piece, until: Piece) => html`Spending limit: up to ${most} without asking, until ${until}.`,
      limitAmounts: (atATime: string, aDay: string) => `${atATime} at a time and ${aDay} a day`,
      used: (spent: string, most: string) => `Spent today (UTC): ${spent} of ${most}`,
      changeLimit: 'Change limit',
      askEveryTime: 'Ask me every time',
      disconnect: 'Disconnect',
      activity: 'Activity',
      /** The same for screen readers. Each begins with what is shown. */
      changeLimitOf: (game: string) => `Change limit of “${game}”`,
      askEveryTimeFor: (game: string) => `Ask me every time for “${game}”`,
      disconnectFrom: (game: string) => `Disconnect from “${game}”`,
      activityOf: (game: string) => `Activity of “${game}”`,
      all: 'All games',
      signOutHint:
        'Signing out ends their access and spending limits. Each game asks you again when you next sign in to it.',
      signOutOfAll: 'Sign out of all games',
    },
    limitChange: {
      title: 'Your spending limit',
      intro:
        'Up to these amounts, the game takes quarters without asking you. Approving a payment does not raise amounts that you lower.',
      perPayment: 'Most for one payment',
      perDay: 'Most for one day (UTC)',
      most: (most: string) => `Up to ${most}.`,
      submit: 'Save',
    },
    withdrawals: {
      title: 'Withdraw quarters',
      entry: 'To your own Ethereum address',
      intro:
        'Send quarters to an Ethereum address of your own. A withdrawal can’t be undone, and we can’t bring it back.',
      now: 'Available to withdraw',
      held: (amount: string) => `On hold for payments: ${amount}`,
      young: (amount: string) => `Received a short time ago and not final yet: ${amount}`,
      dayLimit: (left: string, limit: string) => `Left of your limit for 24 hours: ${left} of ${limit}`,
      limitOfAll: (left: string) => `Left of the limit for all players: ${left}`,
      to: 'To',
      amount: 'Amount in quarters',
      submit: 'Withdraw with a passkey',
      noneReady: 'You can withdraw as soon as one of your addresses is ready.',
      needsPasskey: (link: Piece) => html`Only a passkey can confirm a withdrawal. ${link} first.`,
      addPasskey: 'Add a passkey',
      addresses: 'Your addresses',
      none: 'You haven’t added an address yet.',
      readyFrom: (time: Piece) => html`Ready from ${time}`,
      announcing: (wait: string) => `Ready ${wait} after our e-mail about it has been delivered`,
      ready: 'Ready',
      stopped: 'Stopped. Nothing can be sent there.',
      remove: 'Remove',
      removeNamed: (address: string) => `Remove ${address}`,
      withPasskey: 'If you remove a passkey, the addresses you confirmed with it go too.',
      add: 'Add an address',
      wait: (wait: string) => `You can use a new address after ${wait}. We’ll e-mail you a link that stops it.`,
      /** For developers. */
      shortWait: (wait: string, usual: string) => `In development you wait ${wait} instead of ${usual}.`,
      youngPasskey: (time: Piece) => html`Your passkey is new. From ${time} on, it can confirm an address.`,
      address: 'Ethereum address',
      addressHint: 'Paste it as your wallet shows it. Its capital letters protect you from typing errors.',
      confirm: 'Confirm with a passkey',
      last: 'Last 24 hours',
      states: { onItsWay: shared.onItsWay, completed: 'Sent', failed: 'Not sent. You have the quarters again' },
      check: 'Quarters can be sent to these addresses. If one isn’t yours, remove it.',
      manage: 'Manage addresses',
      stop: {
        title: 'Stop this address?',
        text: 'After that, no quarters can be sent to it from your account:',
        submit: 'Stop this address',
        done: 'The address is stopped',
        doneText: 'If you didn’t add it, somebody else was signed in to your account. Set a new password now.',
        gone: 'This link doesn’t work any more',
        goneText: 'The address was removed, or the link is too old. Your account page lists your addresses.',
      },
    },
    check: {
      title: 'Check your account',
      allSet: 'You’re all set',
      passkeys: 'Anyone with one of these can sign in. If one isn’t yours, remove them all.',
      passkey: (name: Piece, day: Piece) => html`${name}, added on ${day}`,
      games: (count: number): string =>
        count === 1 ? 'This game has access to your account.' : 'These games have access to your account.',
      game: (game: Piece, day: Piece) => html`${game}, since ${day}`,
      goToAccount: 'Go to your account',
      proceed: 'Continue',
    },
    closing: {
      title: 'Close your account',
      ownsGames: 'You cannot close your account while you own games. Their players and payments depend on it.',
      handOver: (link: Piece) =>
        html`Delete them, or hand them over to an admin of their team, on ${link}. The operator of this service can also transfer them.`,
      developerPages: 'the developer pages',
      intro: 'This cannot be undone. When you close your account:',
      goesBack: (amount: Piece, one: boolean, brand: string) =>
        html`Your ${amount} ${one ? 'goes' : 'go'} back to the operator of ${brand}.`,
      nothingToLose: 'You have no quarters to lose.',
      rewardLost: (amount: string) => `You lose your reward of ${amount}.`,
      payments:
        'Payments waiting for your answer are cancelled. Approved payments still go through. Later payments to you go to the operator.',
      access: 'All games lose access to your account.',
      erased: 'Your e-mail address, name, password and passkeys are erased.',
      chain: 'Past payments and your account’s address stay on the blockchain for ever.',
      exports: (activity: Piece, profile: Piece) => html`You may want to ${activity} and ${profile} first.`,
      exportActivity: 'download your activity',
      exportProfile: 'your profile',
      confirm: 'To confirm, type your e-mail address',
      wrongAddress: 'That’s not your e-mail address.',
      submit: 'Close account permanently',
      closed: 'Your account is closed',
      closedText:
        'You’re signed out. Your e-mail address, name, password and passkeys were erased. Thanks for playing.',
    },
  },
  activity: {
    title: 'Your activity',
    none: 'No activity yet.',
    search: 'Search',
    searchHint: 'Game, message, amount or payment ID',
    filter: 'Filter',
    kinds: { all: 'All', payments: 'Payments', received: 'Received', waiting: 'In progress', failed: 'Not paid' },
    onlyGame: (game: Piece) => html`Only ${game}`,
    nothingFound: 'No matches.',
    nothingFoundSoFar: 'No matches yet. Search older entries.',
    clear: 'Clear search and filters',
    newest: 'Newest',
    older: 'Older',
    archived: (day: Piece) =>
      html`Entries from before ${day} are archived. The operator of this service can look them up.`,
    download: 'Download all activity (CSV)',
    fromOperator: (brand: string) => `From the operator of ${brand}`,
    toOperator: (brand: string) => `To the operator of ${brand}`,
    fromGuest: 'From your guest account',
    depositFrom: (address: Piece) => html`Deposit from ${address}`,
    sentTo: (address: Piece) => html`Sent to ${address}`,
    received: 'Received',
    sent: 'Sent',
    transaction: 'Transaction',
    /** A payment that an app asked for. */
    asked: {
      pending: 'Waiting for your answer',
      approved: 'Approved, on its way',
      submitted: 'Approved, on its way',
      completed: 'Paid',
      // A payment from two sources may have been paid in part.
      failed: 'Failed. Anything not paid was returned to you',
      declined: 'You declined',
      expired: 'Expired, nothing was taken',
      cancelled: 'Cancelled, nothing was taken',
    },
    /** What differs under a spending limit. */
    unasked: {
      approved: 'On its way, within your spending limit',
      submitted: 'On its way, within your spending limit',
      completed: 'Paid within your spending limit',
    },
    /** What differs in a payout. */
    paid: {
      approved: 'On its way to you',
      submitted: 'On its way to you',
      completed: 'Received',
      failed: 'Failed, you were not paid',
    },
    /** What differs in a refund. */
    refunded: {
      approved: 'Refund, on its way to you',
      submitted: 'Refund, on its way to you',
      completed: 'Refunded',
      failed: 'Refund failed, you were not paid',
    },
  },
  mails: {
    code: (minutes: number) => `It works once and expires in ${minutes} minutes. ${shared.neverShare}`,
    neverShare: shared.neverShare,
    ignore: 'If it wasn’t you, ignore this e-mail.',
    setPassword: 'Set a new password',
    intruder: 'If it wasn’t you, somebody else is signed in to your account. Set a new password to sign them out:',
    notYou: 'If it wasn’t you, set a new password:',
    signUp: {
      subject: (code: string, brand: string) => `${code} is your ${brand} code`,
      heading: (brand: string) => `Your ${brand} code`,
      enter: 'Enter this code on the page where you entered this address:',
    },
    reset: {
      subject: (code: string) => `${code} is your code for a new password`,
      heading: 'Your code for a new password',
      enter: (brand: string) =>
        `Somebody asked to reset the password of your ${brand} account. If it was you, enter this code:`,
      ignore: 'If it wasn’t you, ignore this e-mail: your password stays the same.',
    },
    noAccount: {
      subject: 'There is no account with this address',
      asked: (brand: string) =>
        `Somebody asked to reset the password of a ${brand} account with this e-mail address. There is no such account.`,
      create: 'If it was you, try another address or create an account:',
      createLink: 'Create an account',
    },
    passwordChanged: {
      subject: 'Your password was changed',
      elsewhere: (brand: string) =>
        `The password of your ${brand} account was just changed, and you were signed out everywhere else.`,
      everywhere: (brand: string) =>
        `The password of your ${brand} account was just changed, and you were signed out everywhere.`,
      passkeys: 'These passkeys can still sign in to your account:',
      passkey: (name: string, day: string) => `“${name}”, added on ${day}`,
      games: shared.keptAccess,
      check: 'Check everything that can use your account, and remove what isn’t yours:',
      checkLink: 'Check your account',
      secure: 'If it wasn’t you, somebody can read your e-mail. Secure your mailbox first, then set a new password:',
    },
    passkeys: {
      added: 'A passkey was added',
      addedTo: (name: string, brand: string) =>
        `The passkey “${name}” was just added to your ${brand} account. Anyone who has it can sign in.`,
      remove: 'If it wasn’t you, remove it and set a new password:',
      removeLink: 'Remove this passkey',
      removed: 'A passkey was removed',
      removedFrom: (name: string, brand: string) =>
        `The passkey “${name}” was just removed from your ${brand} account. It no longer signs you in.`,
      allRemoved: 'All passkeys were removed',
      allRemovedFrom: (brand: string) =>
        `All passkeys were removed from your ${brand} account, and you were signed out everywhere else. These no longer sign you in:`,
      name: (name: string) => `“${name}”`,
      codeSubject: (code: string) => `${code} is your code to add a passkey`,
      codeHeading: 'Your code to add a passkey',
      asked: (brand: string) =>
        `Somebody who is signed in to your ${brand} account wants to add a passkey. If it was you, enter this code:`,
    },
    emailChange: {
      subject: (code: string) => `${code} is your code to change your e-mail address`,
      heading: 'Your code to change your e-mail address',
      asked: (brand: string) =>
        `Somebody who is signed in to your ${brand} account asked to change its e-mail address to:`,
      enter: 'If it was you, enter this code:',
      second: (minutes: number) =>
        `It works once and expires in ${minutes} minutes. We sent a second code to the new address. Never share either, not even with us.`,
      askedNew: (brand: string) =>
        `Somebody asked to use this e-mail address for their ${brand} account. If it was you, enter this code:`,
      first: (minutes: number) =>
        `It works once and expires in ${minutes} minutes. We sent a second code to the account’s current address.`,
      taken: (brand: string) =>
        `This address already belongs to another ${brand} account, so it can’t be used. If that account is yours too, first sign in to it and change its address or close it.`,
      changed: 'Your e-mail address was changed',
      changedTo: (brand: string) => `The e-mail address of your ${brand} account was just changed to:`,
      elsewhere: 'You were signed out everywhere else. E-mails about the account now go to the new address.',
      secure:
        'If it wasn’t you, somebody can read your e-mail and is signed in to your account. Secure your mailbox, and ask the operator of this service for help.',
    },
    closed: {
      subject: 'Your account is closed',
      asked: (brand: string) =>
        `We closed your ${brand} account, as you asked. You can use this address for a new one.`,
      last: 'This is our last e-mail about the account.',
    },
    spendingLimit: {
      subject: (game: string) => `${game} can now spend your quarters without asking`,
      limit: (game: string, atATime: string, aDay: string, day: string) =>
        `${game} can now spend up to ${atATime} at a time and ${aDay} a day from your account without asking, until ${day}, because you approved a payment to it before.`,
      remove: 'You can lower or remove this spending limit at any time:',
      removeLink: 'Your spending limits',
    },
    withdrawalAddress: {
      subject: 'A withdrawal address was added',
      added: (brand: string, wait: string) =>
        `Somebody who is signed in to your ${brand} account added this Ethereum address. In ${wait}, quarters can be sent there:`,
      stop: 'If it wasn’t you, stop the address now:',
      link: 'Stop the address',
    },
    withdrawal: {
      subject: 'A withdrawal from your account',
      sent: (amount: string, brand: string) =>
        `We are sending ${amount} from your ${brand} account to this Ethereum address:`,
    },
    actionWaiting: {
      subject: (action: string) => `Your approval is needed: ${action}`,
      asked:
        'Another operator has asked for this. It waits until a second operator approves it, and expires after 24 hours:',
      link: 'Review the action',
    },
    invitation: {
      subject: (game: string) => `You’re invited to the team of ${game}`,
      invited: (inviter: string, game: string, role: 'admin' | 'developer' | 'viewer', brand: string) =>
        `${inviter} invites you to help manage “${game}” on ${brand}, as ${role === 'admin' ? 'an' : 'a'} ${role}.`,
      join: 'Sign in with this e-mail address to join or decline. If you have no account yet, create one with it:',
      link: 'Your apps',
      expires: (days: number) => `The invitation expires in ${days} days.`,
    },
    appDeleted: {
      subject: (game: string) => `${game} was deleted`,
      gone: (game: string) => `The app “${game}” was just deleted. Its keys, tokens and webhooks no longer work.`,
      kept: 'Payments on their way still arrive. If this was not you or your team, contact the operator of this service.',
    },
    endpointDisabled: {
      subject: (game: string) => `A webhook endpoint of ${game} is disabled`,
      stopped: (game: string) => `We stopped sending ${game}’s events to:`,
      gone: 'It responded with 410 (Gone). Once it works again, enable it on the developer page:',
      failing: 'All deliveries to it failed for three days. Once it works again, enable it on the developer page:',
      link: 'Webhooks',
      missed: 'You can read missed events with GET /v1/events for 30 days.',
    },
  },
  ownWindow: {
    why: (brand: string) => `For your safety, confirm in a ${brand} window.`,
    refused: (link: Piece) => html`Your browser blocked the window. ${link} instead.`,
    thisTab: 'Continue in this tab',
  },
  firstWindow: {
    title: 'Opening…',
  },
  result: {
    transaction: (hash: Piece) => html`Transaction ${hash}`,
    paidTitle: 'Paid',
    paid: (amount: bigint) => `${quarters(amount)} paid`,
    paidTo: (game: Piece) => html`To ${game}`,
    alreadyPaid: (game: Piece) => html`You already paid this to ${game}. Nothing more was taken.`,
    declined: 'Declined',
    declinedText: 'You declined this payment. Nothing was taken.',
    alreadyDeclined: 'You already declined this payment. Nothing was taken.',
    expired: 'This payment has expired',
    expiredText: 'You didn’t answer in time. Nothing was taken. If you still want it, start again from the game.',
    cancelled: 'The game cancelled this request',
    cancelledText: 'Nothing was taken. If you still want it, start again from the game.',
    stopped: shared.stopped,
    stoppedText:
      'You approved it, but it was stopped. Part of it may have been paid; the rest was returned to you. If you still want it, start again from the game.',
    notEnough: 'Not enough quarters',
    notEnoughText: (missing: bigint, minutes: number) =>
      `Nothing was taken. You need ${number(missing)} more ${unit(missing)}. Once you have enough, open this payment again from the game. It stays open for ${moreTime(minutes)}.`,
    notApproved: 'You didn’t approve this',
    notApprovedText: 'Nothing was taken. The payment is still open.',
    /** For the game. */
    notEnoughError: 'The player does not have enough quarters.',
    endedErrors: {
      expired: 'The request has expired.',
      cancelled: 'The request has been cancelled.',
      failed: 'The request has failed.',
    },
  },
  progress: {
    confirmed: shared.confirmed,
    onItsWay: shared.onItsWay,
    reload: 'Reload this page to see if it’s confirmed.',
  },
  /** Other titles are those of `messages`. */
  approvalFailures: {
    // These pages do not read the payment, so they must not say whether something was taken. The payment's own page does.
    lookAgain: shared.lookAgain,
    wrongAddress: shared.wrongAddress.title,
    wrongAddressText: `${shared.wrongAddress.text} ${shared.lookAgain}`,
    foreignText: `Another site tried to answer for you, so we stopped. ${shared.lookAgain}`,
    notFound: 'We can’t find this payment',
    notFoundText:
      'The link may be incomplete or belong to someone else. Go back to the game and open the payment from there.',
    busyText: 'Please open the payment again in a moment to see its status.',
    unavailable: 'We can’t load your balance right now',
    unavailableText: 'Please open the payment again in a minute to see its status.',
    unknownText: 'Please open the payment again in a moment to see its status. This payment is never made twice.',
  },
};

function waitingTime(minutes: Count): string {
  if (Number(minutes) === 60) return 'an hour';
  return Number(minutes) === 24 * 60 ? 'a day' : plural(minutes, DURATIONS.minute);
}

function moreTime(minutes: number): string {
  return minutes < 100
    ? plural(minutes, { one: '# more minute', other: '# more minutes' })
    : plural(Math.floor(minutes / 60), { one: '# more hour', other: '# more hours' });
}

/** Every sentence that people read on pages and in mails, developers in their mails too. A language is one file of this shape. */
export type Words = typeof en;
