import { availableParallelism } from 'node:os';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../base/quarters.ts';

/** Parses one environment variable's text. Throws an Error whose message completes the sentence "NAME …". */
type Parse<T> = (text: string) => T;

/**
 * One setting: its environment variable, the text that stands for an unset one, how it is read, and its line in the documentation.
 * `file`: a variable that may name a file with the value instead.
 */
type Setting<T> = { name: string; help: string; fallback: string; parse: Parse<T>; file?: string };

export function setting<T>(name: string, fallback: string, parse: Parse<T>, help: string): Setting<T> {
  return { name, help, fallback, parse };
}

/** A setting that may hold a secret: Docker, Kubernetes and systemd pass those in files, which `<name>_FILE` names. */
export function orFile<T>(setting: Setting<T>): Setting<T> {
  return { ...setting, file: `${setting.name}_FILE` };
}

export function wholeNumber(least: number, most: number): Parse<number> {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw new Error(`must be a whole number from ${least} to ${most}, not "${text}"`);
    }
    return value;
  };
}

/** Parses a number, or `auto`: the cores that this process may use, which containers may limit. */
export function coresOr(parse: Parse<number>): Parse<number> {
  return (text) => {
    if (text === 'auto') return availableParallelism();
    if (!/^\d+$/.test(text)) throw new Error(`must be auto or a whole number, not "${text}"`);
    return parse(text);
  };
}

export function blocks(least: number): Parse<number> {
  return wholeNumber(least, 1_000_000);
}

/** Parses `auto`, or what `parse` takes. */
export function autoOr<T>(parse: Parse<T>): Parse<T | 'auto'> {
  return (text) => (text === 'auto' ? text : parse(text));
}

/** Gwei, with as many digits as there are wei, as wei. */
export function gwei(most: number): Parse<bigint> {
  return (text) => {
    const [, whole, part = ''] = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
    if (whole === undefined || Number(text) > most)
      throw new Error(`must be gwei from 0 to ${most}, such as 1 or 0.001, not "${text}"`);
    return BigInt(whole + part.padEnd(9, '0'));
  };
}

export function amount(text: string): Quarters {
  const value = /^\d{1,16}$/.test(text) ? asQuarters(BigInt(text)) : asQuarters(0);
  if (value < 1n || value > MAX_QUARTERS) {
    throw new Error(`must be a whole number of quarters from 1 to ${MAX_QUARTERS}, not "${text}"`);
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

export function parsedUrl(text: string, protocols: readonly string[], example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol)) throw new Error(`must be a URL such as ${example}`);
  return url;
}

export function httpOrigin(text: string): string {
  const url = parsedUrl(text, ['http:', 'https:'], 'https://quarters.example');
  if (url.pathname !== '/' || url.search || url.hash || url.username) {
    throw new Error('must be an origin without a path, such as https://quarters.example');
  }
  return url.origin;
}

/** Parses a path such as `/pay`, without a slash at its end. */
export function path(text: string): string {
  if (!/^(\/[a-z0-9][a-z0-9._-]*)+$/.test(text)) throw new Error('must be a path such as /pay, in lower case');
  return text;
}

export function explorerUrl(text: string): string {
  parsedUrl(text, ['http:', 'https:'], 'https://etherscan.io/tx/{tx}');
  if (text.split('{tx}').length !== 2) throw new Error('must contain {tx} once, in place of the transaction hash');
  return text;
}

export function smtpUrl(text: string): string {
  return parsedUrl(text, ['smtp:', 'smtps:'], 'smtp://user:password@mail.example:587').href;
}

/** Parses a database URL. The error does not repeat the text, which may hold a password. */
export function postgresUrl(text: string): string {
  const [, authority = '', rest = ''] = /^[a-z]+:\/\/([^/?#]*)(.*)$/s.exec(text) ?? [];
  // A password as it is typed ends the part with the host too early, or has escapes that are none.
  const isCut = /^[^?]*@/.test(rest) || (rest.includes('@') && !authority.includes('@'));
  if (isCut || /%(?![\da-f]{2})/i.test(authority)) {
    throw new Error(
      'must have its user and password percent-encoded: write %25 for %, %40 for @, %3A for :, %2F for /, %3F for ? and %23 for #',
    );
  }
  // libpq takes several hosts, the driver of Node.js one.
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host.includes(',') || /[?&]host=[^&]*(,|%2c)/i.test(text)) {
    throw new Error(
      'must name one host: put HAProxy, or an address that follows the primary, in front of several servers',
    );
  }
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

/** Parses the base URL of a collector; `/v1/traces` is added to it, as the specification of OTLP exporters says. */
export function collectorUrl(text: string): string {
  return parsedUrl(text, ['http:', 'https:'], 'http://localhost:4318').href.replace(/\/+$/, '');
}

/** Parses `a=1,b=2`, with values in percent-encoding (OpenTelemetry, OTLP exporter configuration). */
export function keyValues(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      // The text may hold a password.
      if (name === undefined || value === undefined)
        throw new Error('must be pairs such as authorization=Bearer%20token');
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        throw new Error(`has a value for ${name} that is not percent-encoded`);
      }
    }),
  );
}

export function ratio(text: string): number {
  const value = /^(0(\.\d+)?|1(\.0+)?)$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new Error(`must be a number from 0 to 1, not "${text}"`);
  return value;
}
