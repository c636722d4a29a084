import type { UserId } from '../base/ids.ts';

/** A user in a fact. The log stores a pseudonym in place of the id. */
export type UserFact = { readonly user: UserId };

/**
 * What was so before a change, or after it: few and plain. Never a secret, a token, a hash of a password, an e-mail address, or free text
 * about a person. A bigint is stored as text. What is undefined is left out.
 */
export type LoggedFact =
  | string
  | number
  | bigint
  | boolean
  | Date
  | null
  | undefined
  | UserFact
  | readonly LoggedFact[]
  | LoggedFacts;
export type LoggedFacts = { readonly [name: string]: LoggedFact };

/** JSON as it is stored. */
export type EntryJson =
  | string
  | number
  | boolean
  | null
  | readonly EntryJson[]
  | { readonly [name: string]: EntryJson };

/** What is kept of long texts (in characters) and of long lists. */
export type FactLimits = { readonly text: number; readonly items: number };

/** The first that fits is used: a developer may register dozens of long addresses, and that must not refuse a change. */
export const FACT_LIMITS: readonly [FactLimits, ...FactLimits[]] = [
  { text: 300, items: 50 },
  { text: 60, items: 20 },
  { text: 20, items: 5 },
];

/** The users that these facts name. */
export function usersIn(fact: LoggedFact): UserId[] {
  if (typeof fact !== 'object' || fact === null || fact instanceof Date) return [];
  if (isUserFact(fact)) return [fact.user];
  return Object.values(fact).flatMap(usersIn);
}

/** LoggedFacts as JSON, with a pseudonym in place of each user. Long texts and lists are cut, so that an entry stays small. */
export function storedFact(fact: LoggedFact, nameOf: (user: UserId) => string, most: FactLimits): EntryJson {
  if (fact === null || fact === undefined) return null;
  if (typeof fact === 'bigint') return `${fact}`;
  if (typeof fact === 'string') return fact.length > most.text ? `${fact.slice(0, most.text).toWellFormed()}…` : fact;
  if (typeof fact !== 'object') return fact;
  if (fact instanceof Date) return fact.toISOString();
  if (isUserFact(fact)) return { user: nameOf(fact.user) };
  if (isList(fact)) {
    const items = fact.slice(0, most.items).map((item) => storedFact(item, nameOf, most));
    return fact.length > most.items ? [...items, `and ${fact.length - most.items} more`] : items;
  }
  const given = Object.entries(fact).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, storedFact(value, nameOf, most)]));
}

function isList(fact: object): fact is readonly LoggedFact[] {
  return Array.isArray(fact);
}

function isUserFact(fact: object): fact is UserFact {
  return 'user' in fact && typeof fact.user === 'string' && Object.keys(fact).length === 1;
}

/**
 * The canonical form of JSON, which is hashed: names sorted, and no spaces, as in RFC 8785. Numbers are integers that JSON and JavaScript write
 * alike.
 */
export function canonicalJson(value: EntryJson): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join()}}`;
}
