import { InvalidArgumentError } from 'commander';
import { isDay } from '../base/dates.ts';
import { appIdFrom, userIdFrom, uuidFrom } from '../base/ids.ts';
import { isAddressForm } from '../base/pasted-address.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../base/quarters.ts';

// What arguments and options take. A value that cannot be one is wrong usage: the message shows a good one, and nothing is looked up.

/** Ids of examples, which nobody has. */
export const AN_APP = '7Qm2xVb9KcRt4LpWz8Yd';
const A_USER = 'b7Kq2LxT9mVwR4sN8cYzE1hJ5uPa';
const AN_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const A_UUID = '019a3f4e-7c1b-7d52-9f0e-3b6a1c2d4e5f';
const A_HASH = `0x${'3f9ac41be07d5528'.repeat(4)}`;

const APP_FORM = `an app id of 20 letters and digits, such as ${AN_APP}`;
const USER_FORM = `a user id of 28 letters and digits, such as ${A_USER}`;
const ADDRESS_FORM = `an Ethereum address, such as ${AN_ADDRESS}`;
const UUID_FORM = `an id such as ${A_UUID}`;
const EMAIL_FORM = 'an e-mail address such as ada@example.com';

/** Refuses any text that `read` gives null for. */
function valueParser<Value>(form: string, read: (text: string) => Value | null): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value !== null) return value;
    throw new InvalidArgumentError(`Use ${form}.`);
  };
}

const ifIt = (isRight: (text: string) => unknown) => (text: string) => (isRight(text) ? text : null);
const isEmail = (text: string) => /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(text);

export const parseAppId = valueParser(APP_FORM, appIdFrom);
export const parseUserId = valueParser(USER_FORM, userIdFrom);
export const parseUuid = valueParser(UUID_FORM, uuidFrom);
/** As it was typed, in any form that wallets copy. Whether it is right, and of our chain, is checked where the chain is known. */
export const parseTypedAddress = valueParser(ADDRESS_FORM, ifIt(isAddressForm));
export const parseEmail = valueParser(EMAIL_FORM, ifIt(isEmail));
/** A user, by id or by address. */
export const parseUser = valueParser(
  `${USER_FORM}, or ${ADDRESS_FORM}`,
  ifIt((text) => userIdFrom(text) ?? isAddressForm(text)),
);
export const parseRecipient = valueParser(
  `${ADDRESS_FORM}, ${APP_FORM}, or ${USER_FORM}`,
  ifIt((text) => appIdFrom(text) ?? userIdFrom(text) ?? isAddressForm(text)),
);
/** Of a transfer, a request, or an Ethereum transaction. */
export const parseTransfer = valueParser(
  `${UUID_FORM}, or a transaction hash of 0x and 64 hexadecimal digits, such as ${A_HASH}`,
  (text) => uuidFrom(text) ?? /^0x[0-9a-f]{64}$/i.exec(text)?.[0].toLowerCase() ?? null,
);
export const parseActionHash = valueParser(
  `the hash that \`actions show\` printed, 64 hexadecimal digits such as ${A_HASH.slice(2)}`,
  (text) => /^[0-9a-f]{64}$/i.exec(text)?.[0].toLowerCase() ?? null,
);
export const parseHttpUrl = valueParser(
  'an http:// or https:// address, such as https://game.example/hook',
  ifIt((text) => /^https?:\/\//.test(text) && URL.canParse(text)),
);
export const parseBlock = valueParser('the number of a block, such as 1234567', (text) =>
  /^\d{1,15}$/.test(text) ? BigInt(text) : null,
);
/** What an action is about, as `actions show` prints it. */
export const parseSubject = valueParser(
  `what \`actions show\` printed as its subject, such as user:${A_USER}, app:${AN_APP} or transfer:${A_UUID}`,
  ifIt((text) => {
    const [kind = '', id = ''] = text.split(':');
    return (SUBJECTS[kind] ?? (() => /^[a-z-]+:.+$/.test(text)))(id);
  }),
);
const SUBJECTS: Readonly<Record<string, (text: string) => string | null>> = {
  user: userIdFrom,
  app: appIdFrom,
  transfer: uuidFrom,
  report: uuidFrom,
};
/** A day, or a moment in UTC or with its offset. */
export const parseTime = valueParser('a time such as 2026-01-31 or 2026-01-31T12:00Z', (text) => {
  const date = new Date(text);
  const isTime = isDay(text.slice(0, 10)) && /^.{10}(T.*(Z|[+-]\d\d:\d\d))?$/.test(text);
  return isTime && !Number.isNaN(date.getTime()) ? date : null;
});

const MOST_LISTED = 1_000;

/** How many a list may have. */
export const parseLimit = valueParser(`a whole number from 1 to ${MOST_LISTED}, such as 50`, (text) =>
  /^[1-9]\d{0,3}$/.test(text) && Number(text) <= MOST_LISTED ? Number(text) : null,
);

/** Parses a typed amount as strictly as the API: `1,000`, `1e3` and ` 5` are refused, never guessed at. */
export const parseAmount = valueParser(
  `a whole number from 1 to ${MAX_QUARTERS}, digits only, such as 1000`,
  (text): Quarters | null => {
    const amount = /^[1-9]\d{0,15}$/.test(text) ? asQuarters(BigInt(text)) : null;
    return amount !== null && amount <= MAX_QUARTERS ? amount : null;
  },
);
