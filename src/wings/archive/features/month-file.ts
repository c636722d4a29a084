import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Address } from '../../../base/address.ts';
import type { RowText } from '../store/month-rows.ts';
import { ARCHIVED_TABLES, type ArchivedTable, type Counts } from '../store/month-tables.ts';

// JSON Lines, compressed with gzip: a header, the rows of each table, what their postings add up to by account, and an end.

const FORMAT = 'quarters.archive.v1';

export type MonthHeader = {
  readonly month: string;
  readonly lastBlock: number;
  /** The columns of each table. */
  readonly columns: Readonly<Record<ArchivedTable, readonly string[]>>;
};

/** What a file has. */
export type MonthFile = MonthHeader & {
  readonly rows: Counts;
  /** What the postings moved in all. */
  readonly quarters: bigint;
  /** What the postings add up to, by account. They add up to nothing together: what one account has lost, another has got. */
  readonly balances: ReadonlyMap<Address, bigint>;
  /** Of the compressed file. */
  readonly sha256: string;
  readonly bytes: number;
};

export const fileNameOf = (month: string): string => `quarters-${month}.jsonl.gz`;

/** Adds up what rows say. */
function openTally() {
  const rows = new Map<ArchivedTable, bigint>(ARCHIVED_TABLES.map((kind) => [kind, 0n]));
  const balances = new Map<Address, bigint>();
  let quarters = 0n;
  const add = (address: Address, amount: bigint) => balances.set(address, (balances.get(address) ?? 0n) + amount);
  return {
    count(kind: ArchivedTable, row: { from_address?: Address; to_address?: Address; amount?: number }): void {
      rows.set(kind, rows.get(kind)! + 1n);
      if (kind !== 'postings') return;
      const amount = BigInt(row.amount!);
      quarters += amount;
      add(row.to_address!, amount);
      add(row.from_address!, -amount);
    },
    result: () => ({ rows: Object.fromEntries(rows) as Counts, quarters, balances }),
  };
}

/** Writes a file, and its bytes to the disk. It has its name only when it is whole. */
export async function writeMonthFile(
  path: string,
  header: MonthHeader,
  rowsOf: (kind: ArchivedTable) => AsyncIterable<readonly RowText[]>,
): Promise<void> {
  const part = `${path}.part`;
  async function* lines() {
    yield `${JSON.stringify({ format: FORMAT, ...header })}\n`;
    const tally = openTally();
    for (const kind of ARCHIVED_TABLES) {
      for await (const page of rowsOf(kind)) {
        for (const row of page) tally.count(kind, JSON.parse(row));
        yield page.map((row) => `{"table":"${kind}","row":${row}}\n`).join('');
      }
    }
    const { rows, quarters, balances } = tally.result();
    for (const [address, posted] of balances)
      yield `${JSON.stringify({ balance: { address, posted: `${posted}` } })}\n`;
    yield `${JSON.stringify({ end: { rows: numbersOf(rows), quarters: `${quarters}`, accounts: balances.size } })}\n`;
  }
  try {
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(part, { mode: 0o600 }));
    const file = await open(part, 'r+');
    await file.sync().finally(() => file.close());
    await rename(part, path);
  } finally {
    await rm(part, { force: true });
  }
}

const numbersOf = (rows: Counts) => Object.fromEntries(ARCHIVED_TABLES.map((kind) => [kind, Number(rows[kind])]));

/**
 * Reads a file from its first byte to its last. `take` gets its rows in pages. Throws if it is cut, or if it does not have what it says at
 * its end.
 */
export async function readMonthFile(
  path: string,
  take: (kind: ArchivedTable, rows: readonly RowText[], header: MonthHeader) => Promise<void> = async () => {},
): Promise<MonthFile> {
  const hash = createHash('sha256');
  const unpacked = new PassThrough();
  const reading = pipeline(
    createReadStream(path).on('data', (chunk) => hash.update(chunk)),
    createGunzip(),
    unpacked,
  );
  let refused: unknown;
  const reader = openReader(async (...page) => {
    try {
      await take(...page);
    } catch (error) {
      refused = error;
      throw error;
    }
  });
  try {
    for await (const line of createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY })) {
      await reader.read(line);
    }
    await reading;
  } catch (error) {
    await reading.catch(() => {});
    // That is no fault of the file.
    if (refused) throw refused;
    throw new Error(`${path} is not a whole file of a month: ${(error as Error).message}`, { cause: error });
  }
  return { ...(await reader.end(path)), sha256: hash.digest('hex'), bytes: (await stat(path)).size };
}

const PAGE = 1_000;

type Line = Partial<{
  format: string;
  table: ArchivedTable;
  row: object;
  balance: { address: Address; posted: string };
  end: { rows: Record<ArchivedTable, number>; quarters: string; accounts: number };
}>;

function openReader(take: (kind: ArchivedTable, rows: readonly RowText[], header: MonthHeader) => Promise<void>) {
  const tally = openTally();
  let header: MonthHeader | null = null;
  let end: Line['end'];
  let balances = 0;
  let page: { kind: ArchivedTable; rows: RowText[] } | null = null;
  const pass = async () => {
    if (page && header) await take(page.kind, page.rows, header);
    page = null;
  };
  return {
    async read(text: string): Promise<void> {
      const { format, table, row, balance, end: last, ...rest } = JSON.parse(text) as Line & object;
      if (format === FORMAT) header = rest as MonthHeader;
      else if (!header) throw new Error(`it does not begin with ${FORMAT}`);
      else if (balance) {
        if (tally.result().balances.get(balance.address) !== BigInt(balance.posted)) {
          throw new Error(`its postings do not add up to what it says of ${balance.address}`);
        }
        balances++;
      } else if (last) end = last;
      else if (table && row && ARCHIVED_TABLES.includes(table)) {
        if (page?.kind !== table || page.rows.length >= PAGE) await pass();
        page ??= { kind: table, rows: [] };
        page.rows.push(JSON.stringify(row));
        tally.count(table, row);
      } else throw new Error('it has a line of an unknown kind');
    },
    async end(path: string): Promise<Omit<MonthFile, 'sha256' | 'bytes'>> {
      await pass();
      const { rows, quarters, balances: sums } = tally.result();
      const isSame =
        end &&
        ARCHIVED_TABLES.every((kind) => BigInt(end!.rows[kind]) === rows[kind]) &&
        BigInt(end.quarters) === quarters;
      if (!header || !isSame || end!.accounts !== sums.size || balances !== sums.size) {
        throw new Error(`${path} does not have what it says at its end.`);
      }
      return { ...header, rows, quarters, balances: sums };
    },
  };
}
