type Chunk = readonly [type: string, data: Uint8Array];

/** What Chromium has drawn, 24 × 16 pixels: lossy, its transparency, and lossless. */
export const LOSSY: Chunk = chunkOf('VP8 ', '0AIAnQEqGAAQAD+ZiuFrOSYxKpgDIDMJaACdAC6GgAD+5u9/ejqs2ps1ytZEAAAA');
export const ALPHA: Chunk = chunkOf('ALPH', 'AQ8wgBERQiyY5C/dO4SI/uccAw==');
export const LOSSLESS: Chunk = chunkOf('VP8L', 'LxfAAwAHUK2iFLn/gYjofwA=');

function chunkOf(type: string, base64: string): Chunk {
  return [type, Buffer.from(base64, 'base64')];
}

/** The chunk before those of an extended file. Flags: 16 transparency, 2 animation. */
export function extended(width = 24, height = 16, flags = 0): Chunk {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return ['VP8X', data];
}

/** A lossless picture that says it has this size. */
export function lossless(width: number, height: number): Chunk {
  const data = Buffer.from(LOSSLESS[1]);
  data.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
  return ['VP8L', data];
}

/** A file of chunks, each filled up to an even length. */
export function webpOf(...chunks: readonly Chunk[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks.map(([type, data]) => chunk(type, data))]);
  return Buffer.concat([Buffer.from('RIFF'), lengthOf(body), body]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(type, 'latin1'), lengthOf(data), data, Buffer.alloc(data.length % 2)]);
}

function lengthOf(data: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return length;
}
