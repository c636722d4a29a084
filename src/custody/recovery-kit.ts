import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Address, parseAddress, toChecksum } from '../base/address.ts';

/**
 * What recovers an installation together with the master key and the chain: the seed, still wrapped, and where the chain's records of this
 * installation are. Worth nothing without the master key.
 */
export type RecoveryKit = KitFacts & { readonly wrappedSeed: Buffer };

export type KitFacts = {
  /** The service's public origin. */
  readonly origin: string;
  readonly chainId: number;
  readonly contracts: { readonly token: Address; readonly settlement: Address };
  /** The first block that can hold a log of the contracts. */
  readonly startBlock: bigint;
  /** The block after which all quarters moved to accounts of this seed, since an earlier one was known to somebody else. Null: it is the first. */
  readonly sweptAfter: bigint | null;
};

const VERSION = '1';
const CHECKSUM_DIGITS = 16;

const NOTES = (origin: string, wrappedAt: Date) => `# Recovery kit of Quarters at ${origin}
# It needs the master key that is in use since ${wrappedAt.toISOString().slice(0, 10)}.
#
# With the master key and the chain, this file recovers the accounts, their
# quarters and their payments, without any backup. Without the master key it
# opens nothing. Keep it, and keep it apart from the master key.
#
# Lines that begin with # are notes. docs/operate/custody.md says more.

`;

/** The kit as a file for people: `name: value` lines, below notes. `wrappedAt`: since when this master key wraps the seed. */
export function kitText(kit: RecoveryKit, wrappedAt: Date): string {
  const lines = linesOf({
    'quarters-recovery-kit': VERSION,
    origin: kit.origin,
    'chain-id': `${kit.chainId}`,
    token: toChecksum(kit.contracts.token),
    settlement: toChecksum(kit.contracts.settlement),
    'start-block': `${kit.startBlock}`,
    ...(kit.sweptAfter !== null && { 'swept-after-block': `${kit.sweptAfter}` }),
    'wrapped-seed': kit.wrappedSeed.toString('base64'),
  });
  return `${NOTES(kit.origin, wrappedAt)}${lines.join('\n')}\nchecksum: ${checksumOf(lines)}\n`;
}

/** Reads the file again. Throws if it is something else, is damaged, or is of a later release. */
export function parseKit(text: string): RecoveryKit {
  const lines = text
    .replace(/^\u{feff}/u, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const fields = new Map(lines.map((line) => line.split(/:\s*(.*)/, 2) as [string, string | undefined]));
  const field = (name: string) => fields.get(name) ?? '';
  const version = fields.get('quarters-recovery-kit');
  if (version === undefined) throw new Error('This file is no recovery kit of Quarters.');
  if (version !== VERSION) {
    throw new Error(
      `The recovery kit has version ${version.slice(0, 8)}, which this release does not know. Use a later one.`,
    );
  }
  const [token, settlement] = [parseAddress(field('token')), parseAddress(field('settlement'))];
  const swept = fields.get('swept-after-block');
  const numbers = [field('chain-id'), field('start-block'), swept ?? '0'];
  const named = lines.filter((line) => !line.startsWith('checksum:')).map((line) => line.replace(/:\s*/, ': '));
  if (
    field('checksum') !== checksumOf(named) ||
    !token ||
    !settlement ||
    !numbers.every((text) => /^\d+$/.test(text))
  ) {
    throw new Error('The recovery kit is damaged: its checksum is not that of its lines. Use another copy.');
  }
  return {
    origin: field('origin'),
    chainId: Number(numbers[0]),
    contracts: { token, settlement },
    startBlock: BigInt(numbers[1]!),
    sweptAfter: swept === undefined ? null : BigInt(swept),
    wrappedSeed: Buffer.from(field('wrapped-seed'), 'base64'),
  };
}

/** Reads a kit from a file. */
export async function readKitFile(path: string): Promise<RecoveryKit> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new Error(`The recovery kit cannot be read: ${error.message}`);
  });
  return parseKit(text);
}

const linesOf = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => `${name}: ${value}`);

/** Finds damage, and no forgery: what matters is sealed. */
function checksumOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, CHECKSUM_DIGITS);
}
