import { Problem } from '../base/problems.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A number as JSON writes it. Group 1: the digits after the point; 2: the exponent. */
const NUMBER = /^-?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Missing from TypeScript's types: the reviver's third argument holds a primitive's source text. */
type ParseWithSource = (text: string, reviver: typeof checkValue) => unknown;

/**
 * Parses a JSON body (RFC 8259); undefined for an empty one. Throws `malformed-json`.
 *
 * A number that is not whole as written, but would be rounded to a whole one (`1.0000000000000000001`), becomes NaN, which
 * integer schemas refuse. Keys that reach into prototypes (`__proto__`, `constructor.prototype`) are refused at any depth.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return (JSON.parse as ParseWithSource)(UTF8.decode(bytes), checkValue);
  } catch {
    // Bodies nested too deeply for the parser's stack end here too, with a RangeError.
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

/** Whether a JSON number is whole as written: `10`, `10.0`, `1.0E7`. The text must be a JSON number. */
function isWhole(text: string): boolean {
  const [, decimals = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  let significant = decimals.length;
  while (decimals[significant - 1] === '0') significant--;
  return significant <= Number(exponent);
}
