/** The longest address that fits SMTP's path (RFC 5321, section 4.5.3.1.3, less the angle brackets). */
const MAX_CHARACTERS = 254;

/** Normalises a typed address. Keeps the case, which may matter before the `@` (RFC 5321, section 2.4). */
export function normaliseEmail(text: string): string {
  return text.trim().normalize('NFC');
}

/**
 * The form in which an address is looked up and counted: A to Z in lower case, as with `lower(email COLLATE "C")` in the database. Other
 * letters stay: PostgreSQL would turn `İ` into `i`, and the owner of one domain would be taken for the owner of another.
 */
export function foldEmail(email: string): string {
  return email.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * What is wrong with an e-mail address; null if it may be valid. Only a mail can show whether it works. So this looks for typing errors,
 * and for characters that could end a mail's header (control characters, brackets, commas, quotation marks).
 */
export function emailFault(email: string): string | null {
  if (email === '') return 'Enter your e-mail address.';
  if (email.length > MAX_CHARACTERS) return `Use at most ${MAX_CHARACTERS} characters.`;
  const one = /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@[^\s\p{C}\p{P}\p{S}@](?:[-.]?[^\s\p{C}\p{P}\p{S}@])*$/u;
  return one.test(email) ? null : 'Enter a valid e-mail address.';
}
