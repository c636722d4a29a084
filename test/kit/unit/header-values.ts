/** Idempotency keys as games have them, and whether a library sends them. What it sends arrives as it is, and what it does not is refused at once. */
export const KEYS: Readonly<Record<string, readonly [key: string, isSent: boolean]>> = {
  'an order': ['order-7', true],
  'visible ASCII': ['!"#$%&\'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~', true],
  'a space in between': ['order 7', true],
  'as long as the service takes': ['k'.repeat(255), true],
  'a line of a file with Windows line ends': ['order-7\r\n', false],
  'a line of a file': ['order-7\n', false],
  'another header in it': ['order-7\r\nX-More: 1', false],
  'a line break in between': ['order\n7', false],
  'a space before': [' order-7', false],
  'a space after': ['order-7 ', false],
  'a tab': ['order\t7', false],
  'a letter with an accent': ['café', false],
  Japanese: ['注文-7', false],
  'an emoji': ['order-🙂', false],
  'a zero byte': ['order\0', false],
  'a byte order mark': ['\ufefforder-7', false],
  nothing: ['', false],
  'a space alone': [' ', false],
  'longer than the service takes': ['k'.repeat(256), false],
};

/** Credentials that can be no header's value. */
export const BAD_CREDENTIALS = ['qk_secret\r\n', 'qk_secret\n', ' qk_secret', 'qk_sécret'];
