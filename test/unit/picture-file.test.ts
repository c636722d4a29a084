import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPicture } from '../../src/identity/app-pictures.ts';
import { END, header, pixels, png, pngOf } from '../support/png.ts';
import { seedOf } from '../support/seed.ts';

const fault = (file: Uint8Array) => {
  const read = readPicture(file);
  return 'fault' in read ? read.fault : null;
};
const NOT_PNG = 'must be a PNG picture';
const red = pixels(8, 8, [255, 0, 0]);
const text = (type: string) => [type, Buffer.from('Comment\0<script>')] as const;

test('a supported picture is accepted', () => {
  for (const file of [png(1), png(128), pngOf(header(8, 8), red, red, END)]) {
    assert.deepEqual(readPicture(file), { picture: file });
  }
});

test('parts of a picture that draw nothing are removed', () => {
  const file = pngOf(header(8, 8), text('tEXt'), text('eXIf'), text('iCCP'), red, text('zzZz'), END);
  assert.deepEqual(readPicture(file), { picture: pngOf(header(8, 8), red, END) });
});

test('a file that is not a supported picture is refused', () => {
  const whole = png();
  const broken = Buffer.from(whole);
  broken[40]! ^= 1;
  const cases: [string, Uint8Array, string][] = [
    ['nothing', Buffer.alloc(0), NOT_PNG],
    ['a GIF', Buffer.from('GIF89a'), NOT_PNG],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), NOT_PNG],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), NOT_PNG],
    ['the signature alone', whole.subarray(0, 8), NOT_PNG],
    ['cut off', whole.subarray(0, -1), NOT_PNG],
    ['without its end', whole.subarray(0, -12), NOT_PNG],
    ['something behind', Buffer.concat([whole, Buffer.from('PK')]), NOT_PNG],
    ['a second picture behind', Buffer.concat([whole, whole]), NOT_PNG],
    ['a broken checksum', broken, NOT_PNG],
    ['no pixels', pngOf(header(8, 8), END), NOT_PNG],
    ['no header', pngOf(red, END), NOT_PNG],
    ['two headers', pngOf(header(8, 8), header(500, 500), red, END), NOT_PNG],
    ['an unknown critical chunk', pngOf(header(8, 8), text('ABCD'), red, END), NOT_PNG],
    ['an unknown colour type', pngOf(header(8, 8, [8, 7, 0, 0, 0]), red, END), NOT_PNG],
    ['a wrong depth', pngOf(header(8, 8, [4, 2, 0, 0, 0]), red, END), NOT_PNG],
    ['too wide', pngOf(header(129, 8), red, END), 'must be at most 128 pixels wide and high'],
    ['too high', pngOf(header(8, 0xffffffff), red, END), 'must be at most 128 pixels wide and high'],
    ['no width', pngOf(header(0, 8), red, END), 'must be at most 128 pixels wide and high'],
    ['too large', Buffer.concat([whole, Buffer.alloc(8192)]), 'must have at most 8192 bytes'],
    ['moving', pngOf(header(8, 8), ['acTL', Buffer.alloc(8)], red, END), 'must not move'],
  ];
  for (const [what, file, because] of cases) assert.equal(fault(file), because, what);
});

test('a picture with any changed byte is refused without an error', () => {
  const whole = png();
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 5 }), (changes) => {
      const file = Buffer.from(whole);
      for (const [at, byte] of changes) file[at] = byte;
      assert.equal(fault(file) === null, file.equals(whole));
    }),
    { seed: seedOf('properties') },
  );
});
