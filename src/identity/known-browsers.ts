import { randomBytes } from 'node:crypto';
import type { UserId } from '../base/ids.ts';
import type { PasswordMark } from './passwords.ts';

/** A browser somebody signed in with: what its cookie says, sealed (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). */
export type KnownBrowser = {
  readonly userId: UserId;
  /** Random: under it the browser's own failures are counted. */
  readonly id: string;
  /** Of the password at that time; another password ends it. */
  readonly mark: string;
  /** When it was signed in with, in ms since 1970. */
  readonly since: number;
};

/** The longest time browsers keep a cookie for (RFC 6265bis, section 5.5). */
export const KNOWN_DAYS = 400;

/** A family shares a browser; the cookie must stay small. */
const MOST_ACCOUNTS = 5;

/** What the browser is known by to this account; null: it is not, or not any more. */
export function recognise(browsers: readonly KnownBrowser[], userId: UserId, mark: PasswordMark): string | null {
  const found = browsers.find((browser) => browser.userId === userId && browser.since > oldest());
  return found?.mark === shortened(mark) ? found.id : null;
}

/** After somebody has signed in: theirs comes first, and the one used longest ago may be forgotten. */
export function withAccount(
  browsers: readonly KnownBrowser[],
  userId: UserId,
  mark: PasswordMark,
): readonly KnownBrowser[] {
  // A new sign-in does not give back what failed before it.
  const id = recognise(browsers, userId, mark) ?? randomBytes(16).toString('base64url');
  const others = browsers.filter((browser) => browser.userId !== userId && browser.since > oldest());
  return [{ userId, id, mark: shortened(mark), since: Date.now() }, ...others].slice(0, MOST_ACCOUNTS);
}

function oldest(): number {
  return Date.now() - KNOWN_DAYS * 86_400_000;
}

/** 128 bits tell passwords apart. */
function shortened(mark: PasswordMark): string {
  return mark?.slice(0, 32) ?? '';
}
