/** What is shorter is less than a third of any password that is long enough, and so not looked for. */
const MIN_CHARACTERS = 4;

/** Words that are tried first on this service (NIST SP 800-63B, section 3.1.1.2: context-specific words). */
const OURS = ['quarter', 'quarters'];

let loading: Promise<ReadonlySet<string>> | undefined;

/**
 * The passwords most often found in breaches, about 49,000, folded as {@link foldPassword} does. They are loaded when first asked
 * for, so that no start waits for them, and then kept: 4 MB.
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

/** The form in which passwords are compared with words: case and the way they were typed make no difference. */
export function foldPassword(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
