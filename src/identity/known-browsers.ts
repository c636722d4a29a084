import { randomBytes } from 'node:crypto';
import type { UserId } from '../base/ids.ts';
import type { PasswordMark } from './passwords.ts';

/** A browser that a user signed in with, as in its sealed cookie (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). */
export type KnownBrowser = {
  readonly userId: UserId;
  /** Random. The browser's own failures are counted under it. */
  readonly id: string;
  /** The mark of the password at that time. A new password makes the browser unknown. */
  readonly mark: string;
  /** When the user signed in with it, in ms since 1970. */
  readonly since: number;
};

/** The longest time browsers keep a cookie for (RFC 6265bis, section 5.5). */
export const KNOWN_DAYS = 400;

/** A family may share a browser, but the cookie must stay small. */
const MOST_ACCOUNTS = 5;

/** The browser's id for this account; null if the account does not know it, or not any more. */
export function recognise(browsers: readonly KnownBrowser[], userId: UserId, mark: PasswordMark): string | null {
  const found = browsers.find((browser) => browser.userId === userId && browser.since > oldest());
  return found?.mark === shortened(mark) ? found.id : null;
}

/** The cookie after a sign-in: that account comes first, and the least recent one may be dropped. */
export function rememberAccount(
  browsers: readonly KnownBrowser[],
  userId: UserId,
  mark: PasswordMark,
): readonly KnownBrowser[] {
  // Keeps the id, so that a new sign-in does not reset the earlier failures.
  const id = recognise(browsers, userId, mark) ?? randomBytes(16).toString('base64url');
  const others = browsers.filter((browser) => browser.userId !== userId && browser.since > oldest());
  return [{ userId, id, mark: shortened(mark), since: Date.now() }, ...others].slice(0, MOST_ACCOUNTS);
}

function oldest(): number {
  return Date.now() - KNOWN_DAYS * 86_400_000;
}

/** 128 bits are enough to distinguish passwords. */
function shortened(mark: PasswordMark): string {
  return mark?.slice(0, 32) ?? '';
}
