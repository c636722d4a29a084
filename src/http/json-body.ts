import { Problem } from '../base/problems.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A number as JSON writes it. Group 1: the digits after the point; 2: the exponent. */
const NUMBER = /^-?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** What the language's types do not name yet: the reviver's third argument holds a primitive's text. */
type ParseWithSource = (text: string, reviver: typeof checkValue) => unknown;

/**
 * Parses a JSON body (RFC 8259); undefined where it is empty. Throws `malformed-json`.
 *
 * Numbers that are no whole number as written, but would be rounded to one (`1.0000000000000000001`), become NaN, so that no
 * schema for integers takes them. Keys that would reach into prototypes (`__proto__`, `constructor.prototype`) are refused,
 * wherever they are.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return (JSON.parse as ParseWithSource)(UTF8.decode(bytes), checkValue);
  } catch {
    // Bodies nested too deeply for the parser's stack end here as well, with a RangeError.
    throw new Problem('malformed-json', 'The body is not valid JSON.');
  }
}

function checkValue(key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  if (key === '__proto__' || (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))) {
    throw new SyntaxError('a forbidden key');
  }
  return typeof value === 'number' && Number.isInteger(value) && !isWhole(source) ? Number.NaN : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether a JSON number is whole as written: `10`, `10.0`, `1.0E7`. Never called with text that is no JSON number. */
function isWhole(text: string): boolean {
  const [, decimals = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  let significant = decimals.length;
  while (decimals[significant - 1] === '0') significant--;
  return significant <= Number(exponent);
}
