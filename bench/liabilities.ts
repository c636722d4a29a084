/**
 * Measures a publication of liabilities with 100,000 and a million accounts, next to its limit: their rows read in the order of the tree.
 * Measures the memory of the publishing process too, and the proof of one account. Linux. Alone: `node bench/liabilities.ts`; ACCOUNTS
 * sets one size.
 */
import type { Address } from '../src/base/address.ts';
import { openDatabase } from '../src/db/database.ts';
import { readOwed } from '../src/ledger/liabilities.ts';
import { proveAccount } from '../src/wings/liabilities/views/prove.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';
import { watchCommand } from './watched-command.ts';

const PROOFS = 50;

async function measureLiabilities({ quick }: Effort): Promise<Figure[]> {
  const sizes = process.env.ACCOUNTS ? [Number(process.env.ACCOUNTS)] : quick ? [10_000] : [100_000, 1_000_000];
  const figures: Figure[] = [];
  for (const accounts of sizes) figures.push(...(await measureAt(accounts)));
  return figures;
}

async function measureAt(accounts: number): Promise<Figure[]> {
  // The chain of a bench makes few blocks.
  const stage = await startStage({ FINAL_AFTER: '1' });
  const db = openDatabase(stage.databaseUrl, { maxConnections: 2 });
  try {
    const { appId } = await stage.createPayer(1);
    await addUsers(stage, appId, accounts);
    await stage.chain.rpc.call('evm_mine', []);
    const read = await secondsOf(() =>
      db.snapshot(async (tx) => {
        for await (const _rows of readOwed(tx, 2n ** 62n, Buffer.alloc(32), []));
      }),
    );
    let megabytes = 0;
    const published = await secondsOf(async () => {
      ({ megabytes } = await watchCommand(['liabilities', 'publish', '--yes', '--json'], stage.env()));
    });
    const { rows } = await stage.database.query<{ address: Address }>(
      `SELECT address FROM accounts WHERE kind = 'user' ORDER BY md5(address) LIMIT ${PROOFS}`,
    );
    const proven = await secondsOf(async () => {
      for (const { address } of rows)
        if (!(await proveAccount({ reads: db }, address))?.proof) throw new Error('No proof.');
    });
    const size = accounts.toLocaleString('en');
    return [
      {
        name: `publishing ${size} accounts`,
        value: published,
        unit: 's',
        limit: { name: 'their rows read in the order of the tree', value: read },
      },
      { name: `its most memory, ${size} accounts`, value: megabytes, unit: 'MB' },
      { name: `a proof of one of ${size}`, value: (proven / rows.length) * 1000, unit: 'ms' },
    ];
  } finally {
    await db.close();
    await stage.stop();
  }
}

/** Guests with accounts that have nothing, as on the chain. */
async function addUsers({ database }: Stage, appId: string, count: number): Promise<void> {
  const id = `'bench' || lpad(i::text, 23, '0')`;
  await database.query(
    `INSERT INTO users (id, kind, display_name, guest_of) SELECT ${id}, 'guest', 'Guest', $2 FROM generate_series(1, $1) AS i`,
    [count, appId],
  );
  await database.query(
    `INSERT INTO accounts (address, kind, user_id, sealed_key)
     SELECT '0x' || encode(sha256(i::text::bytea), 'hex')::char(40), 'user', ${id}, decode(repeat('00', 60), 'hex')
       FROM generate_series(1, $1) AS i`,
    [count],
  );
  await database.query('ANALYZE accounts');
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

export const liabilities: Claim = {
  name: 'liabilities',
  title: 'Proofs of liabilities',
  method: 'The command `liabilities publish`, and proofs of single accounts. The accounts are guests who have nothing.',
  measure: measureLiabilities,
};

if (import.meta.main) await runAlone(liabilities);
