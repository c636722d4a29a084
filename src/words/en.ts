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
    localTime: {
      /** How dates and clock times are written (BCP 47). */
      language: 'en-GB',
      today: 'Today, {time}',
      yesterday: 'Yesterday, {time}',
    },
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
  account: {
    title: 'Your account',
    back: 'Your account',
    balance: 'Balance',
    reserved: (amount: Piece) => html`${amount} reserved for payments in progress`,
    reward: (amount: string) => `${amount} as a reward, applied automatically to your next payment`,
    recentActivity: 'Recent activity',
    allActivity: 'All activity',
    games: 'Games',
    connectedGames: 'Connected games',
    gameCount: (count: number) =>
      count === 0 ? 'None yet' : `${count === 1 ? '1 game' : `${count} games`}, and spending limits`,
    profile: 'Profile and games',
    security: 'Sign-in and security',
    displayName: 'Display name',
    email: 'E-mail address',
    address: 'Ethereum address',
    viewOnExplorer: 'View on the block explorer',
    password: 'Password',
    changePassword: 'Change your password',
    passkeys: 'Passkeys',
    passkeyCount: (count: number) => (count === 0 ? 'None yet' : count === 1 ? '1 passkey' : `${count} passkeys`),
    sessions: 'Where you’re signed in',
    sessionCount: (count: number) => (count === 1 ? 'Only here' : `Here and in ${count - 1} more`),
    data: 'Your data',
    exportActivity: 'Download all activity',
    exportProfile: 'Download your profile',
    exportFormat: 'CSV file',
    closeAccount: 'Close your account',
    closeAccountNow: 'This cannot be undone',
    /** Beside a time that the server wrote. */
    utc: (time: string) => `${time} UTC`,
    duration: (count: number, unit: 'day' | 'hour' | 'minute') => `${count} ${unit}${count === 1 ? '' : 's'}`,
    changed: {
      name: 'Your display name was changed.',
      email: 'Your e-mail address was changed, and you were signed out everywhere else.',
      password: 'Your password was changed, and you were signed out everywhere else.',
      passkeys: 'All passkeys were removed, and you were signed out everywhere else.',
      games: 'You were signed out of all games.',
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
      own: 'This is already your address.',
      taken:
        'Another account uses this address, so nothing was changed. If it’s yours, sign in to that account and close it or change its address first.',
      stale: 'That took too long, or your account was changed in the meantime. Please start again.',
      codesTitle: 'Enter both codes',
      codesIntro: (minutes: number) =>
        `We sent a six-digit code to each address. The codes expire in ${minutes} minutes.`,
      codeSentTo: (address: string) => `Code sent to ${address}`,
      codeCorrect: (address: Piece) => html`The code sent to ${address} was correct.`,
      codeWrong: 'Wrong or expired code.',
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
    },
    sessionList: {
      intro: (changePassword: Piece) => html`Don’t recognise one? Sign it out, then ${changePassword}.`,
      changePassword: 'change your password',
      unknownBrowser: 'Unknown browser',
      here: 'This browser',
      lastUsed: (time: Piece) => html`Last used: ${time}`,
      signedIn: (time: Piece, how: string) => html`Signed in with ${how}: ${time}`,
      byPasskey: 'a passkey',
      byPassword: 'your password',
      byCode: 'a code sent by e-mail',
      signOut: 'Sign out',
      signOutOf: (browser: string) => ` of ${browser}`,
      signOutElsewhere: 'Sign out everywhere else',
      limits: (idle: string, days: number, endAccess: Piece) =>
        html`You’re signed out after ${idle} without use, and ${days} days after signing in. Games stay signed in until you ${endAccess}.`,
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
      used: (spent: string, most: string) => `Used today (UTC): ${spent} of ${most}`,
      askEveryTime: 'Ask me every time',
      disconnect: 'Disconnect',
      activity: 'Activity',
      /** For screen readers, after what a button does. */
      forGame: (game: Piece) => html` for ${game}`,
      all: 'All games',
      signOutHint:
        'Signing out ends their access and spending limits. Each game asks you again when you next sign in to it.',
      signOutOfAll: 'Sign out of all games',
    },
    check: {
      title: 'Check your account',
      allSet: 'You’re all set',
      passkeys: 'Anyone with one of these can sign in. If one isn’t yours, remove them all.',
      passkey: (name: Piece, day: Piece) => html`${name}, added on ${day}`,
      games: (count: number) => `${count === 1 ? 'This game has' : 'These games have'} access to your account.`,
      game: (game: Piece, day: Piece) => html`${game}, since ${day}`,
      goToAccount: 'Go to your account',
      proceed: 'Continue',
    },
    closing: {
      title: 'Close your account',
      ownsGames: 'You cannot close your account while you own games. Their players and payments depend on it.',
      askOperator: 'Ask the operator of this service to transfer them to someone else.',
      intro: 'This cannot be undone. When you close your account:',
      goesBack: (amount: string, one: boolean) => `Your ${amount} ${one ? 'goes' : 'go'} back to the operator`,
      ofBrand: (lost: Piece, brand: string) => html`${lost} of ${brand}.`,
      nothingToLose: 'You have no quarters to lose.',
      rewardLost: (amount: string) => ` You lose your reward of ${amount}.`,
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
      closedText: 'You’re signed out, and your personal data was erased. Thanks for playing.',
    },
  },
  activity: {
    title: 'Your activity',
    none: 'No activity yet.',
    search: 'Search',
    searchHint: 'Game, message, amount, or the id of a payment',
    filter: 'Show',
    kinds: { all: 'All', payments: 'Payments', received: 'Received', waiting: 'Waiting', failed: 'Failed' },
    onlyGame: (game: Piece) => html`Only ${game}`,
    nothingFound: 'Nothing matches.',
    nothingFoundSoFar: 'Nothing matches so far. There are older entries.',
    clear: 'Clear search and filters',
    newest: 'Newest',
    older: 'Older',
    download: 'Download all activity (CSV)',
    fromOperator: (brand: string) => `From the operator of ${brand}`,
    toOperator: (brand: string) => `To the operator of ${brand}`,
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
      failed: 'Failed, the rest was returned to you',
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
    code: (minutes: number) => `It works once and expires in ${minutes} minutes. Never share it, not even with us.`,
    neverShare: 'Never share it, not even with us.',
    ignore: 'If it wasn’t you, ignore this e-mail.',
    setPassword: 'Set a new password',
    intruder: 'If it wasn’t you, somebody else is signed in to your account. Set a new password to sign them out:',
    notYou: 'If it wasn’t you, set a new password:',
    signUp: {
      subject: (code: string, brand: string) => `${code} is your ${brand} code`,
      heading: (brand: string) => `Your ${brand} code`,
      enter: 'Enter this code on the page where you gave this address:',
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
      games: 'Games keep the access you gave them.',
      check: 'Check everything that can use your account, and remove what isn’t yours:',
      checkLink: 'Check your account',
      secure: 'If it wasn’t you, somebody can read your e-mail. Secure your mailbox first, then set a new password:',
    },
    passkeys: {
      added: 'A passkey was added',
      addedTo: (name: string, brand: string) =>
        `The passkey “${name}” was just added to your ${brand} account. Anyone who has it can sign in.`,
      remove: 'If it wasn’t you, remove it and set a new password:',
      removeLink: 'Your passkeys',
      removed: 'A passkey was removed',
      removedFrom: (name: string, brand: string) =>
        `The passkey “${name}” was just removed from your ${brand} account. It no longer signs you in.`,
      allRemoved: 'All passkeys were removed',
      allRemovedFrom: (brand: string) =>
        `All passkeys were removed from your ${brand} account, and you were signed out everywhere else. These no longer sign you in:`,
      name: (name: string) => `“${name}”`,
    },
    emailChange: {
      subject: (code: string) => `${code} is your code to change your e-mail address`,
      heading: 'Your code to change your e-mail address',
      asked: (brand: string) => `Somebody signed in to your ${brand} account asked to change its e-mail address to`,
      enter: 'If it was you, enter this code:',
      second: (minutes: number) =>
        `It works once and expires in ${minutes} minutes. We sent a second code to the new address. Never share either, not even with us.`,
      askedNew: (brand: string) =>
        `Somebody asked to use this e-mail address for their ${brand} account. If it was you, enter this code:`,
      first: (minutes: number) =>
        `It works once and expires in ${minutes} minutes. We sent a second code to the account’s current address.`,
      taken: (brand: string) =>
        `This address already belongs to another ${brand} account, so it cannot be used. If that account is yours too, first sign in to it and change its address or close it.`,
      changed: 'Your e-mail address was changed',
      changedTo: (brand: string) => `The e-mail address of your ${brand} account was just changed to`,
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
        `You approved a payment to ${game} before. It can now spend up to ${atATime} at a time and ${aDay} a day from your account without asking you, until ${day}.`,
      remove: 'You can remove this spending limit at any time:',
      removeLink: 'Your spending limits',
    },
    endpointDisabled: {
      subject: (game: string) => `A webhook endpoint of ${game} is disabled`,
      stopped: (game: string) => `We stopped sending events of ${game} to`,
      gone: 'It responded with 410 (Gone). Once it works again, enable it on the developer page:',
      failing: 'All deliveries to it failed for three days. Once it works again, enable it on the developer page:',
      link: 'Webhooks',
      missed: 'Missed events stay in GET /v1/events for 30 days.',
    },
  },
};
