import { asQuarters, MAX_QUARTERS, type Quarters } from '../base/quarters.ts';

/** Reads one environment variable's text; throws an Error whose message finishes the sentence "NAME …". */
export type Parse<T> = (text: string) => T;

export function wholeNumber(least: number, most: number): Parse<number> {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw new Error(`must be a whole number from ${least} to ${most}, not "${text}"`);
    }
    return value;
  };
}

export function blocks(least: number): Parse<number> {
  return wholeNumber(least, 1_000_000);
}

export function amount(text: string): Quarters {
  const value = /^\d{1,16}$/.test(text) ? asQuarters(BigInt(text)) : asQuarters(0);
  if (value < 1n || value > MAX_QUARTERS) {
    throw new Error(`must be an amount of quarters from 1 to ${MAX_QUARTERS}, not "${text}"`);
  }
  return value;
}

export function amountOrNone(text: string): Quarters {
  return text === '0' ? asQuarters(0) : amount(text);
}

export function oneOf<const T extends string>(...allowed: readonly T[]): Parse<T> {
  return (text) => {
    if (!allowed.includes(text as T)) throw new Error(`must be one of ${allowed.join(', ')}, not "${text}"`);
    return text as T;
  };
}

export function optional<T>(parse: Parse<T>): Parse<T | undefined> {
  return (text) => (text === '' ? undefined : parse(text));
}

function parsedUrl(text: string, protocols: readonly string[], example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol)) throw new Error(`must be an address such as ${example}`);
  return url;
}

export function httpOrigin(text: string): string {
  const url = parsedUrl(text, ['http:', 'https:'], 'https://quarters.example');
  if (url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new Error('must be an origin only, such as https://quarters.example, without a path');
  }
  return url.origin;
}

/** `/pay` and the like, without a slash at its end. */
export function path(text: string): string {
  if (!/^(\/[a-z0-9][a-z0-9._-]*)+$/.test(text)) throw new Error('must be a path such as /pay, in small letters');
  return text;
}

export function explorerUrl(text: string): string {
  parsedUrl(text, ['http:', 'https:'], 'https://etherscan.io/tx/{tx}');
  if (text.split('{tx}').length !== 2) throw new Error('must have {tx} in it once, where the transaction’s hash goes');
  return text;
}

export function smtpUrl(text: string): string {
  return parsedUrl(text, ['smtp:', 'smtps:'], 'smtp://user:password@mail.example:587').href;
}

/** The faulty text is not repeated: it may hold a password. */
export function postgresUrl(text: string): string {
  return parsedUrl(text, ['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/quarters').href;
}

export function rpcUrls(text: string): readonly string[] {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  return parts.map((part) => parsedUrl(part.trim(), ['http:', 'https:'], 'https://rpc.example/v1/key').href);
}

export function masterKey(text: string): Buffer {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new Error('must be 64 hexadecimal digits (32 bytes)');
  return Buffer.from(text, 'hex');
}
