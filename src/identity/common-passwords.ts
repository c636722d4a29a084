/** Shorter words are less than a third of any password that is long enough, so they are not searched for. */
const MIN_CHARACTERS = 4;

/** Words that attackers of this service try first (NIST SP 800-63B, section 3.1.1.2: context-specific words). */
const OURS = ['quarter', 'quarters'];

let loading: Promise<ReadonlySet<string>> | undefined;

/**
 * The most common passwords in breaches, about 49,000, folded by {@link foldPassword}. The first call loads them, so that starting does not
 * wait for them. They then stay in memory: 4 MB.
 */
export function commonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const listed = dictionary['passwords-common'].map(foldPassword);
  return new Set([...OURS, ...listed.filter((password) => password.length >= MIN_CHARACTERS)]);
}

/** The form in which passwords are compared with words: without differences of case and Unicode encoding. */
export function foldPassword(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
