/** The longest address that fits SMTP's path (RFC 5321, section 4.5.3.1.3, less the angle brackets). */
const MAX_CHARACTERS = 254;

/** What somebody typed, ready to be looked at. Letter case is kept: left of the `@` it may matter (RFC 5321, section 2.4). */
export function normaliseEmail(text: string): string {
  return text.trim().normalize('NFC');
}

/**
 * Under which an address is looked up and counted: the letters A to Z in one case, as `lower(email COLLATE "C")` does in the
 * database. No others: PostgreSQL makes `i` of `İ`, and who owns one domain would be taken for the owner of another.
 */
export function foldEmail(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * What is wrong with an e-mail address; null where it may be one. Whether it really is, only a mail sent there can tell, so
 * this looks for slips, and for what could end a mail's header (control characters, brackets, commas, quotation marks).
 */
export function emailFault(email: string): string | null {
  if (email === '') return 'Enter your e-mail address.';
  if (email.length > MAX_CHARACTERS) return `Use at most ${MAX_CHARACTERS} characters.`;
  const one = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@[^\s\p{C}\p{P}\p{S}@](?:[-.]?[^\s\p{C}\p{P}\p{S}@])*$/u;
  return one.test(email) ? null : 'Enter a valid e-mail address.';
}
