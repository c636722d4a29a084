import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJsonBody } from '../../src/api/api.ts';
import { Problem } from '../../src/base/problems.ts';
import { seedOf } from '../kit/run/seed.ts';

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const refused = (error: unknown) => error instanceof Problem && error.code === 'malformed-json';

test('valid JSON is parsed without a change', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      // Another test shows that these keys are refused.
      fc.pre(!/"(__proto__|constructor)":/.test(text));
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
    { seed: seedOf('properties') },
  );
});

test('a number counts as whole only if its text is whole', () => {
  for (const text of ['10', '10.0', '10.000', '1e1', '1.0E1', '1.00e+1', '-0', '0.0', '1e21']) {
    assert.equal(parse(text), Number(text), text);
  }
  for (const text of ['1.0000000000000000001', '9007199254740991.4', '0.99999999999999999999', '10e-1', '1e-400']) {
    assert.ok(Number.isNaN(parse(text)), text);
  }
  assert.deepEqual(parse('{"a":[1.5,null,1.0000000000000000001]}'), { a: [1.5, null, Number.NaN] });
});

test('text that is not JSON is refused as malformed', () => {
  const texts = [' ', '{', '{"a":1,}', "{'a':1}", '{"a":NaN}', '{"a":01}', '[1]x', '\u0000', '"\n"', 'undefined'];
  for (const text of texts) assert.throws(() => parse(text), refused, text);
  assert.throws(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22])), refused, 'not UTF-8');
});

test('keys that reach into prototypes are refused at any depth', () => {
  for (const text of [
    '{"__proto__":{"a":1}}',
    '{"__proto__":1}',
    '{"a":[{"\\u005f_proto__":null}]}',
    '{"constructor":{"prototype":{"a":1}}}',
  ]) {
    assert.throws(() => parse(text), refused, text);
  }
  assert.deepEqual(parse('{"constructor":"Lego","prototype":1}'), { constructor: 'Lego', prototype: 1 });
});

test('the deepest nesting that fits a body does no harm', () => {
  for (const [open, inside, close] of [
    ['[', '', ']'],
    ['{"a":', '1', '}'],
  ] as const) {
    const depth = Math.floor(16_384 / (open.length + close.length));
    assert.throws(() => parse(open.repeat(16_384 / open.length)), refused);
    try {
      parse(open.repeat(depth) + inside + close.repeat(depth));
    } catch (error) {
      assert.ok(refused(error));
    }
  }
});

test('an empty body is undefined, and a byte order mark is skipped', () => {
  assert.equal(parseJsonBody(Buffer.alloc(0)), undefined);
  assert.deepEqual(parse('\ufeff{}'), {});
});
