/**
 * Measures the audit of 100,000 accounts, next to its lower limits: reading the compared rows, and asking the node for the
 * balances. It brings its own database and chain: `node bench/audit.ts`.
 */
import { test } from 'node:test';
import { asAddress } from '../src/base/address.ts';
import { readBalances } from '../src/chain/balances.ts';
import { type Rpc, toQuantity } from '../src/chain/rpc.ts';
import { auditLedger } from '../src/features/audit/audit-ledger.ts';
import { unequalHolds, unequalPayments, unequalPostings } from '../src/ledger/audit.ts';
import type { Service } from '../src/settlement/service.ts';
import { startTestService } from '../test/support/service.ts';

const ACCOUNTS = Number(process.env.ACCOUNTS ?? 100_000);
const EACH = 1_000;
const ROUNDS = 3;

test(`audit of ${ACCOUNTS} accounts`, async (t) => {
  const s = await startTestService(t, { env: { AUDIT_EVERY_SECONDS: '0' } });
  const { service } = s;
  await seedLedger(service);
  await seedChain(service);
  await s.evm.rpc('evm_mine', []);
  await s.settled();

  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => addressOf(i));
  for (let round = 1; round <= ROUNDS; round++) {
    const report = await auditLedger(service);
    if (report.differences.length > 0)
      throw new Error(JSON.stringify(report, (_, v) => (typeof v === 'bigint' ? `${v}` : v)));
    const { token } = service.chain.contracts;
    console.table({
      'the audit': report.seconds,
      'limit: the accounts read from the database': await seconds(() =>
        service.db.query('SELECT address, posted, held FROM accounts ORDER BY address'),
      ),
      'limit: the three comparisons in SQL': await seconds(() =>
        service.db.snapshot(async (tx) => {
          for (const compare of [unequalHolds, unequalPostings, unequalPayments]) await compare(tx);
        }),
      ),
      'limit: balances asked of the node': await seconds(() =>
        readBalances(service.rpc, token, report.blockHash, accounts),
      ),
      [`one question a call, in batches of 1,000 (${ACCOUNTS / 10} of the accounts, times 10)`]:
        10 * (await seconds(() => askOneByOne(service.rpc, token, report.blockHash, accounts.slice(0, ACCOUNTS / 10)))),
    });
  }
});

function addressOf(i: number) {
  return asAddress(`0x${(0x10000 + i).toString(16).padStart(40, '0')}`);
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function askOneByOne(rpc: Rpc, token: string, blockHash: string, accounts: readonly string[]): Promise<void> {
  for (let i = 0; i < accounts.length; i += 1_000) {
    await rpc.batch(
      accounts.slice(i, i + 1_000).map((account) => ({
        method: 'eth_call',
        params: [{ to: token, data: `0x70a08231${account.slice(2).padStart(64, '0')}` }, { blockHash }],
      })),
    );
  }
}

/** Gives each account quarters from the treasury, in a completed transfer with its own transaction. */
async function seedLedger({ db }: Service): Promise<void> {
  await db.transaction(async ({ query }) => {
    const address = `'0x' || lpad(to_hex(65536 + i), 40, '0')`;
    const hash = `'0x' || md5('a' || i) || md5('b' || i)`;
    const treasury = `(SELECT address FROM accounts WHERE kind = 'treasury')`;
    await query(
      `INSERT INTO accounts (address, kind, posted) SELECT ${address}, 'external', $2 FROM generate_series(0, $1 - 1) AS i`,
      [ACCOUNTS, EACH],
    );
    await query(
      `INSERT INTO postings (block_hash, log_index, block_number, tx_hash, from_address, to_address, amount)
       SELECT '0xbench', i, 0, ${hash}, ${treasury}, ${address}, $2 FROM generate_series(0, $1 - 1) AS i`,
      [ACCOUNTS, EACH],
    );
    await query(
      `INSERT INTO transfers (id, from_address, to_address, amount, status, authorization_nonce, authorization_signature,
                              tx_hash, decided_block)
       SELECT gen_random_uuid(), ${treasury}, ${address}, $2, 'completed', ${hash}, decode(repeat('00', 65), 'hex'), ${hash}, 0
         FROM generate_series(0, $1 - 1) AS i`,
      [ACCOUNTS, EACH],
    );
    await query(`UPDATE accounts SET posted = posted - $1::bigint * $2 WHERE kind = 'treasury'`, [ACCOUNTS, EACH]);
  });
  await db.query('ANALYZE');
}

/** Does the same on the chain, by writing the token's storage: real transfers would take longer than the whole benchmark. */
async function seedChain({ db, rpc, chain }: Service): Promise<void> {
  const { keccak256 } = await import('viem');
  // OpenZeppelin's ERC20 keeps balances in its first storage slot, a mapping by address.
  const write = (address: string, amount: bigint) => ({
    method: 'anvil_setStorageAt',
    params: [
      chain.contracts.token,
      keccak256(`0x${address.slice(2).padStart(64, '0')}${'0'.repeat(64)}`),
      `0x${toQuantity(amount).slice(2).padStart(64, '0')}`,
    ],
  });
  const [treasury] = await db.query<{ address: string; posted: bigint }>(
    `SELECT address, posted FROM accounts WHERE kind = 'treasury'`,
  );
  await rpc.batch([write(treasury!.address, treasury!.posted)]);
  for (let i = 0; i < ACCOUNTS; i += 2_000) {
    await rpc.batch(
      Array.from({ length: Math.min(2_000, ACCOUNTS - i) }, (_, n) => write(addressOf(i + n), BigInt(EACH))),
    );
  }
}
