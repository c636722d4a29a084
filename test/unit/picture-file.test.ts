import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPicture } from '../../src/identity/app-pictures.ts';
import { seedOf } from '../kit/run/seed.ts';
import { END, header, pixels, png, pngOf } from '../kit/unit/png.ts';
import { ALPHA, extended, LOSSLESS, LOSSY, lossless, webpOf } from '../kit/unit/webp.ts';

const fault = (file: Uint8Array) => {
  const read = readPicture(file);
  return 'fault' in read ? read.fault : null;
};
const NO_PICTURE = 'must be a PNG or WebP picture';
const TOO_BIG = 'must be at most 256 pixels wide and high';
const red = pixels(8, 8, [255, 0, 0]);
const text = (type: string) => [type, Buffer.from('Comment\0<script>')] as const;

test('a supported picture is accepted', () => {
  const webps = [
    webpOf(LOSSY),
    webpOf(LOSSLESS),
    webpOf(lossless(256, 256)),
    webpOf(extended(24, 16, 16), ALPHA, LOSSY),
  ];
  for (const file of [png(1), png(256), pngOf(header(8, 8), red, red, END), ...webps]) {
    assert.deepEqual(readPicture(file), { picture: file });
  }
});

test('parts of a picture that draw nothing are removed', () => {
  const file = pngOf(header(8, 8), text('tEXt'), text('eXIf'), text('iCCP'), red, text('zzZz'), END);
  assert.deepEqual(readPicture(file), { picture: pngOf(header(8, 8), red, END) });
  // ICCP 32, EXIF 8, XMP 4, and transparency in a file that has none.
  const webp = webpOf(extended(24, 16, 60), text('ICCP'), LOSSY, text('EXIF'), text('XMP '), text('zzzz'));
  assert.deepEqual(readPicture(webp), { picture: webpOf(LOSSY) });
  const transparent = webpOf(extended(24, 16, 60), text('ICCP'), ALPHA, LOSSY, text('EXIF'));
  assert.deepEqual(readPicture(transparent), { picture: webpOf(extended(24, 16, 16), ALPHA, LOSSY) });
  const plain = webpOf(extended(24, 16, 60), text('ICCP'), LOSSLESS);
  assert.deepEqual(readPicture(plain), { picture: webpOf(LOSSLESS) });
});

test('a file that is not a supported picture is refused', () => {
  const whole = png();
  const broken = Buffer.from(whole);
  broken[40]! ^= 1;
  const cases: [string, Uint8Array, string][] = [
    ['nothing', Buffer.alloc(0), NO_PICTURE],
    ['a GIF', Buffer.from('GIF89a'), NO_PICTURE],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), NO_PICTURE],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), NO_PICTURE],
    ['the signature alone', whole.subarray(0, 8), NO_PICTURE],
    ['cut off', whole.subarray(0, -1), NO_PICTURE],
    ['without its end', whole.subarray(0, -12), NO_PICTURE],
    ['something behind', Buffer.concat([whole, Buffer.from('PK')]), NO_PICTURE],
    ['a second picture behind', Buffer.concat([whole, whole]), NO_PICTURE],
    ['a broken checksum', broken, NO_PICTURE],
    ['no pixels', pngOf(header(8, 8), END), NO_PICTURE],
    ['no header', pngOf(red, END), NO_PICTURE],
    ['two headers', pngOf(header(8, 8), header(500, 500), red, END), NO_PICTURE],
    ['an unknown critical chunk', pngOf(header(8, 8), text('ABCD'), red, END), NO_PICTURE],
    ['an unknown colour type', pngOf(header(8, 8, [8, 7, 0, 0, 0]), red, END), NO_PICTURE],
    ['a wrong depth', pngOf(header(8, 8, [4, 2, 0, 0, 0]), red, END), NO_PICTURE],
    ['too wide', pngOf(header(257, 8), red, END), TOO_BIG],
    ['too high', pngOf(header(8, 0xffffffff), red, END), TOO_BIG],
    ['no width', pngOf(header(0, 8), red, END), TOO_BIG],
    [
      'too large',
      Buffer.concat([whole, Buffer.alloc(8192)]),
      'must have at most 8192 bytes; WebP files are the smallest',
    ],
    ['moving', pngOf(header(8, 8), ['acTL', Buffer.alloc(8)], red, END), 'must not move'],
  ];
  for (const [what, file, because] of cases) assert.equal(fault(file), because, what);
});

test('a WebP that is not a supported picture is refused', () => {
  const whole = webpOf(LOSSY);
  const changed = ([type, data]: readonly [string, Uint8Array], at: number, mask: number) => {
    const bytes = Buffer.from(data);
    bytes[at]! ^= mask;
    return [type, bytes] as const;
  };
  const cases: [string, Uint8Array, string][] = [
    ['the header alone', webpOf(), NO_PICTURE],
    ['cut off', whole.subarray(0, -1), NO_PICTURE],
    ['something behind', Buffer.concat([whole, Buffer.from('PK')]), NO_PICTURE],
    ['something in the padding', Buffer.concat([webpOf(LOSSLESS).subarray(0, -1), Buffer.from('x')]), NO_PICTURE],
    ['a chunk beyond the end', webpOf(['VP8 ', Buffer.alloc(0)], text('EXIF')).fill(0xff, 16, 20), NO_PICTURE],
    ['two chunks without the extended header', webpOf(LOSSY, text('EXIF')), NO_PICTURE],
    ['no picture', webpOf(extended()), NO_PICTURE],
    ['two pictures', webpOf(extended(), LOSSY, LOSSLESS), NO_PICTURE],
    ['another canvas', webpOf(extended(25, 16), LOSSY), NO_PICTURE],
    ['a header of another length', webpOf(['VP8X', Buffer.alloc(9)], LOSSY), NO_PICTURE],
    ['transparency behind the picture', webpOf(extended(), LOSSY, ALPHA), NO_PICTURE],
    ['no start code', webpOf(changed(LOSSY, 3, 1)), NO_PICTURE],
    ['a frame that needs another one', webpOf(changed(LOSSY, 0, 1)), NO_PICTURE],
    ['a hidden frame', webpOf(changed(LOSSY, 0, 16)), NO_PICTURE],
    ['a partition beyond the end', webpOf(changed(LOSSY, 2, 1)), NO_PICTURE],
    ['no lossless signature', webpOf(changed(LOSSLESS, 0, 1)), NO_PICTURE],
    ['an unknown lossless version', webpOf(changed(LOSSLESS, 4, 32)), NO_PICTURE],
    ['nothing in the picture', webpOf(['VP8L', Buffer.alloc(0)]), NO_PICTURE],
    ['too wide', webpOf(lossless(257, 8)), TOO_BIG],
    ['too high', webpOf(changed(LOSSY, 9, 1)), TOO_BIG],
    ['no width', webpOf(changed(LOSSY, 6, 24)), TOO_BIG],
    ['moving, by its flag', webpOf(extended(24, 16, 2), LOSSY), 'must not move'],
    [
      'moving, by its chunks',
      webpOf(extended(), ['ANIM', Buffer.alloc(6)], ['ANMF', Buffer.alloc(40)]),
      'must not move',
    ],
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

test('a WebP with changed bytes is read or refused without an error, and what is kept reads the same again', () => {
  const whole = webpOf(extended(24, 16, 16), ALPHA, LOSSY);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 5 }), (changes) => {
      const file = Buffer.from(whole);
      for (const [at, byte] of changes) file[at] = byte;
      const read = readPicture(file);
      if ('picture' in read) assert.deepEqual(readPicture(read.picture), read);
    }),
    { seed: seedOf('properties') },
  );
});
