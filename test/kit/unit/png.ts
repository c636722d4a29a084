import { crc32, deflateSync } from 'node:zlib';

type Chunk = readonly [type: string, data: Uint8Array];

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A file of chunks, each with its checksum. */
export function pngOf(...chunks: readonly Chunk[]): Buffer {
  return Buffer.concat([SIGNATURE, ...chunks.map(([type, data]) => chunk(type, data))]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** 8 bits each of red, green and blue. */
export function header(width: number, height: number, [depth, colour, ...rest] = [8, 2, 0, 0, 0]): Chunk {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth!, colour!, ...rest], 8);
  return ['IHDR', data];
}

/** Pixels of one colour. */
export function pixels(width: number, height: number, colour: readonly [number, number, number]): Chunk {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => colour).flat()]);
  return ['IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))];
}

export const END: Chunk = ['IEND', Buffer.alloc(0)];

/** A square of one colour. */
export function png(side = 64, colour: readonly [number, number, number] = [200, 40, 90]): Buffer {
  return pngOf(header(side, side), pixels(side, side, colour), END);
}
