import { readsAsAddress } from '../../identity/misleading-name.ts';
import { plainName } from '../../identity/name-letters.ts';

/** Characters that change the direction of reading. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A name that others chose, for a sentence of a mail. Mail programs make links of what reads as an address, in plain text and in HTML, so such
 * a name gets spaces. Characters without a width would not do: they vanish from an address when it is opened.
 */
export function nameInMail(name: string): string {
  if (!readsAsAddress(name)) return name.replace(TURNS, '');
  return plainName(name).replace(/(?<=[.\u3002:@/])(?=[^\s/])|(?<=[^\s/])(?=\/\/)/gu, ' ');
}
