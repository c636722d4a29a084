import { crc32, deflateRawSync } from 'node:zlib';

/** The first moment that the format knows: 1980-01-01. A real one would make two archives of the same files differ. */
const TIME = 0x0021_0000;
const DEFLATED = 8;
const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;

/** A zip archive of files by their paths, in this order. The same files make the same bytes. */
export function zip(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, body] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(body, { level: 9 });
    const about = header(name, body, packed);
    parts.push(numbers([4, 0x0403_4b50]), about, name, packed);
    // No comment, disk 0, no attributes.
    const more = numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    directory.push(numbers([4, 0x0201_4b50], [2, VERSION]), about, more, name);
    offset += 4 + about.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = numbers(
    [4, 0x0605_4b50],
    [2, 0],
    [2, 0],
    [2, files.size],
    [2, files.size],
    [4, listed.length],
    [4, offset],
    [2, 0],
  );
  return Buffer.concat([...parts, listed, end]);
}

/** What a file's own header and its entry in the directory have in common. */
function header(name: Buffer, body: Buffer, packed: Buffer): Buffer {
  const sizes = [
    [4, packed.length],
    [4, body.length],
    [2, name.length],
    [2, 0],
  ] as const;
  return numbers([2, VERSION], [2, FLAGS], [2, DEFLATED], [4, TIME], [4, crc32(body)], ...sizes);
}

/** Numbers of 2 or 4 bytes, the lowest byte first. */
function numbers(...all: readonly (readonly [bytes: number, value: number])[]): Buffer {
  const buffer = Buffer.alloc(all.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of all) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}
