import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Makes what is random in `work` the same in each run: in the first work of this label, in the second one, and so on. */
export type Seeded = <T>(label: string, work: () => Promise<T>) => Promise<T>;

export type Randomness = {
  readonly seeded: Seeded;
  /** How many works each label has had. */
  made(): ReadonlyMap<string, number>;
  /** Counts on from there, so that what is made after a reset is the same as before. */
  goOnFrom(made: ReadonlyMap<string, number>): void;
};

type Bytes = (count: number) => Buffer;

/** What the work under way takes for randomness. Null: it has ended, and what it left behind is as random as all else. */
const drawn = new AsyncLocalStorage<{ bytes: Bytes | null }>();

/** Without a seed, everything is random. With one, `node:crypto` of this process is changed for good. Only the emulator calls this. */
export function openRandomness(seed: string | undefined): Randomness {
  let counts: ReadonlyMap<string, number> = new Map();
  if (seed !== undefined) replaceRandomness();
  return {
    async seeded(label, work) {
      if (seed === undefined) return work();
      const count = (counts.get(label) ?? 0) + 1;
      counts = new Map([...counts, [label, count]]);
      const source = { bytes: bytesFrom(seed, label, count) as Bytes | null };
      try {
        return await drawn.run(source, work);
      } finally {
        source.bytes = null;
      }
    },
    made: () => counts,
    goOnFrom(made) {
      counts = made;
    },
  };
}

/** The key stream of a cipher. */
function bytesFrom(...texts: readonly (string | number)[]): Bytes {
  const key = crypto.hash('sha256', JSON.stringify(texts), 'buffer');
  const cipher = crypto.createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return (count) => cipher.update(Buffer.alloc(count));
}

const INTEGER_BYTES = 6;

/** What ids and secrets are made of. A call that waits for a callback stays random: none of them does. */
function replaceRandomness(): void {
  const real = { ...crypto };
  const replaced = <Given extends readonly unknown[]>(
    isReal: (...given: Given) => unknown,
    from: (bytes: Bytes, ...given: Given) => unknown,
  ) => {
    return (...given: Given) => {
      const bytes = typeof given.at(-1) === 'function' ? null : drawn.getStore()?.bytes;
      return bytes ? from(bytes, ...given) : isReal(...given);
    };
  };
  Object.assign(crypto, {
    randomBytes: replaced(real.randomBytes as (count: number) => Buffer, (bytes, count) => bytes(count)),
    randomInt: replaced(real.randomInt as (first: number, second?: number) => number, (bytes, first, second) => {
      const [from, to] = second === undefined ? [0, first] : [first, second];
      return from + (bytes(INTEGER_BYTES).readUIntBE(0, INTEGER_BYTES) % (to - from));
    }),
    randomUUID: replaced(real.randomUUID as () => string, (bytes) => uuidFrom(bytes(16))),
  });
  syncBuiltinESMExports();
}

/** RFC 9562, section 5.4. */
function uuidFrom(bytes: Buffer): string {
  bytes[6] = 0x40 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
