import { lazily } from './lazily.ts';

/** A number of things. */
export type Count = bigint | number;

/** What to say for each of a language's plural forms (CLDR). `other` is for all that have no form of their own. */
export type Forms = Readonly<{ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>>;

const SHARE = { style: 'percent', maximumFractionDigits: 1 } as const;
const SIGN = { signDisplay: 'exceptZero' } as const;
const UTC = { timeZone: 'UTC' } as const;

/** How numbers and dates are written in a language. `locale`: BCP 47. `numbersOf`: the one whose numbers it has. */
export function formatsOf(locale: string, numbersOf = locale) {
  const plain = lazily(() => new Intl.NumberFormat(numbersOf));
  const withSign = lazily(() => new Intl.NumberFormat(numbersOf, SIGN));
  const share = lazily(() => new Intl.NumberFormat(numbersOf, SHARE));
  const shareWithSign = lazily(() => new Intl.NumberFormat(numbersOf, { ...SHARE, ...SIGN }));
  const minute = lazily(() => new Intl.DateTimeFormat(locale, { ...UTC, dateStyle: 'medium', timeStyle: 'short' }));
  const date = lazily(() => new Intl.DateTimeFormat(locale, { ...UTC, dateStyle: 'long' }));
  const rules = lazily(() => new Intl.PluralRules(locale));
  const number = (amount: Count) => written(plain(), amount);
  return {
    locale,
    /** `1,234`, `−5`. */
    number,
    /** `+1,234`, `−5`, `0`. */
    signed: (amount: bigint) => written(withSign(), amount),
    /** `12.5%` of 0.125. */
    percent: (value: number) => written(share(), value),
    /** `+12.5%`. */
    signedPercent: (value: number) => written(shareWithSign(), value),
    /** A day in UTC: `29 November 2017`. */
    day: (of: Date) => date().format(of),
    /** A minute in UTC: `29 Nov 2017, 05:25 UTC`. */
    moment: (of: Date) => `${minute().format(of)} UTC`,
    /** The form for this many, in which `#` becomes the number: `plural(2, { one: '# game', other: '# games' })` is `2 games`. */
    plural: (count: Count, forms: Forms) =>
      (forms[rules().select(Number(count))] ?? forms.other).replace('#', () => number(count)),
  };
}

/** With a minus sign as wide as a plus (U+2212), after which no line ends. */
const written = (format: Intl.NumberFormat, value: Count) => format.format(value).replace('-', '−');
