/**
 * Measures the audit, as the service runs it: how long it takes, the memory of its process, and the CPU time of the three
 * processes that work for it. It brings its own database and chain. On Linux: `node bench/audit.ts`. ACCOUNTS=1000000 sets the
 * number of accounts, and POSTINGS that of completed transfers and their postings, by default one for each account.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { asAddress } from '../src/base/address.ts';
import { readBalances } from '../src/chain/balances.ts';
import { toQuantity } from '../src/chain/rpc.ts';
import { runAudit } from '../src/jobs/run-audit.ts';
import type { Service } from '../src/settlement/service.ts';
import { startTestService } from '../test/support/service.ts';

const ACCOUNTS = Number(process.env.ACCOUNTS ?? 100_000);
const POSTINGS = Math.max(ACCOUNTS, Number(process.env.POSTINGS ?? ACCOUNTS));
const EACH = 1_000;
const ROUNDS = Number(process.env.ROUNDS ?? 2);
const MS_A_TICK = 10;
const POSTINGS_A_BLOCK = 2_000;
/** At most as many as there are accounts, so that none comes twice in one statement. */
const SEEDED_AT_ONCE = Math.min(50_000, ACCOUNTS);

test(`audit of ${ACCOUNTS} accounts with ${POSTINGS} postings`, async (t) => {
  const s = await startTestService(t, { env: { AUDIT_EVERY_SECONDS: '0' } });
  const { service } = s;
  await seedLedger(service);
  await seedChain(service);
  await s.evm.rpc('evm_mine', []);
  await s.settled();

  for (let round = 1; round <= ROUNDS; round++) {
    const before = cpu();
    const { report, memory } = await runAudit(service, 20, new AbortController().signal);
    const after = cpu();
    if (report?.accounts !== ACCOUNTS + 1 || report.differences.length > 0) {
      throw new Error(JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? `${value}` : value)));
    }
    const seconds = (name: keyof typeof after) => Number(((after[name] - before[name]) / 1000).toFixed(2));
    const [ofProcess, ofPostgres, ofNode] = [seconds('children'), seconds('postgres'), seconds('anvil')];
    console.table({
      'seconds, rests included': Number(report.seconds.toFixed(1)),
      'memory of its process, MB': Math.round(memory / 1_000_000),
      'CPU of its process, s': ofProcess,
      'CPU of PostgreSQL, s': ofPostgres,
      'CPU of the node, s': ofNode,
      'share of one core, %': Math.round((100 * (ofProcess + ofPostgres + ofNode)) / report.seconds),
      'limit: balances asked of the node, s': Number((await timeBalances(service, report.blockHash)).toFixed(2)),
    });
  }
});

type Cpu = { readonly postgres: number; readonly anvil: number; readonly children: number };

/** CPU of all PostgreSQL processes below this one and of its node, and of its children that have ended, in milliseconds. */
function cpu(): Cpu {
  const all = readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))!;
      const fields = rest!.split(' ').map(Number);
      const own = fields[11]! + fields[12]!;
      return [{ pid: Number(entry), parent: fields[1]!, name: name!, own, children: fields[13]! + fields[14]! }];
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
  const family = new Set([process.pid]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  const named = (name: string) =>
    all
      .filter((row) => family.has(row.pid) && row.name.startsWith(name))
      .reduce((sum, { own, children }) => sum + (own + children) * MS_A_TICK, 0);
  const { children } = all.find(({ pid }) => pid === process.pid)!;
  return { postgres: named('postgres'), anvil: named('anvil'), children: children * MS_A_TICK };
}

async function timeBalances({ rpc, chain }: Service, block: Parameters<typeof readBalances>[2]): Promise<number> {
  const accounts = Array.from({ length: ACCOUNTS }, (_, i) => addressOf(i));
  const began = performance.now();
  await readBalances(rpc, chain.contracts.token, block, accounts);
  return (performance.now() - began) / 1000;
}

function addressOf(i: number) {
  return asAddress(`0x${(0x10000 + i).toString(16).padStart(40, '0')}`);
}

/**
 * Gives each account quarters from the treasury, in completed transfers of their own. The blocks before the chain's first
 * have their postings.
 */
async function seedLedger({ db }: Service): Promise<void> {
  const address = `'0x' || lpad(to_hex(65536 + i % ${ACCOUNTS}), 40, '0')`;
  const hash = `'0x' || md5('a' || i) || md5('b' || i)`;
  const block = `-1 - (${POSTINGS} - 1 - i) / ${POSTINGS_A_BLOCK}`;
  const treasury = `(SELECT address FROM accounts WHERE kind = 'treasury')`;
  for (let first = 0; first < POSTINGS; first += SEEDED_AT_ONCE) {
    const range = [first, Math.min(first + SEEDED_AT_ONCE, POSTINGS) - 1, EACH];
    await db.query(
      `INSERT INTO accounts (address, kind, posted)
       SELECT ${address}, 'external', $3::bigint FROM generate_series($1::int, $2::int) AS i
       ON CONFLICT (address) DO UPDATE SET posted = accounts.posted + excluded.posted`,
      range,
    );
    await db.query(
      `INSERT INTO postings (block_hash, log_index, block_number, tx_hash, from_address, to_address, amount)
       SELECT '0xbench', i, ${block}, ${hash}, ${treasury}, ${address}, $3 FROM generate_series($1::int, $2::int) AS i`,
      range,
    );
    await db.query(
      `INSERT INTO transfers (id, from_address, to_address, amount, status, authorization_nonce, authorization_signature,
                              tx_hash, decided_block)
       SELECT lpad(to_hex(i + 1), 32, '0')::uuid, ${treasury}, ${address}, $3, 'completed', ${hash},
              decode(repeat('00', 65), 'hex'), ${hash}, ${block}
         FROM generate_series($1::int, $2::int) AS i`,
      range,
    );
  }
  await db.query(`UPDATE accounts SET posted = posted - $1::bigint * $2 WHERE kind = 'treasury'`, [POSTINGS, EACH]);
  await db.query('ANALYZE accounts, postings, transfers');
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
      Array.from({ length: Math.min(2_000, ACCOUNTS - i) }, (_, n) => {
        const times = Math.floor(POSTINGS / ACCOUNTS) + (i + n < POSTINGS % ACCOUNTS ? 1 : 0);
        return write(addressOf(i + n), BigInt(EACH * times));
      }),
    );
  }
}
