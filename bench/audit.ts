/**
 * Measures the audit of 100,000 accounts next to its lower limits: reading the compared rows, and asking the node for the balances.
 * Linux. Alone: `node bench/audit.ts`; ACCOUNTS sets how many.
 */
import type { Address } from '../src/base/address.ts';
import { readBalances } from '../src/chain/balances.ts';
import type { Claim, Effort, Figure } from './claim.ts';
import { addOutsideAccounts } from './outside-accounts.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

async function measureAudit({ quick }: Effort): Promise<Figure[]> {
  const accounts = Number(process.env.ACCOUNTS ?? (quick ? 10_000 : 100_000));
  const stage = await startStage();
  try {
    await addOutsideAccounts(stage, accounts);
    const { equal, seconds } = await stage.command<{ equal: boolean; seconds: number }>('audit', '--json');
    if (!equal) throw new Error('The audit found differences.');
    const rows = await secondsOf(() =>
      stage.database.query('SELECT address, posted, held FROM accounts ORDER BY address'),
    );
    const asked = await secondsOf(() => askNode(stage));
    return [
      {
        name: `audit of ${accounts.toLocaleString('en')} accounts`,
        value: seconds,
        unit: 's',
        limit: { name: 'their rows read, and the node asked', value: rows + asked },
      },
      { name: 'the rows read', value: rows, unit: 's' },
      { name: 'balances asked of the node', value: asked, unit: 's' },
    ];
  } finally {
    await stage.stop();
  }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function askNode({ database, chain }: Stage): Promise<void> {
  const { rows } = await database.query<{ address: Address }>('SELECT address FROM accounts');
  const { rows: contracts } = await database.query<{ token: Address }>('SELECT token FROM chain');
  const { hash } = await chain.rpc.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false]);
  const addresses = rows.map(({ address }) => address);
  await readBalances(chain.rpc, contracts[0]!.token, hash as Parameters<typeof readBalances>[2], addresses);
}

export const audit: Claim = {
  name: 'audit',
  title: 'The audit',
  method: 'The command `audit`, of accounts that have nothing, in the ledger and on the chain.',
  measure: measureAudit,
};

if (import.meta.main) await runAlone(audit);
