import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { createUserKey } from '../../src/custody/new-keys.ts';
import { hashColumn } from '../../src/db/columns.ts';
import { lookUpAccount } from '../../src/ledger/accounts.ts';
import { KEPT_ORPHANED_DEPOSITS, orphanedDeposits } from '../../src/ledger/orphaned-deposits.ts';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { rewrite } from '../kit/service/chain-rewrite.ts';
import { newPayment } from '../kit/service/payment.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { randomNumbers } from '../kit/unit/fault-proxy.ts';
import { until } from '../kit/unit/until.ts';
import { changeOrphanedDeposits } from '../rows/ledger.ts';
import { ago } from '../rows/times.ts';

const headOf = async (s: Scenario) => Number(await s.faulty.evm.rpc('eth_blockNumber'));

/** Transfers that blocks above `block` completed. */
async function completedAbove(s: Scenario, block: number): Promise<Accepted[]> {
  return s.service.db.query<Accepted>(
    `SELECT id AS "transferId", request_id AS "requestId", ${hashColumn('tx_hash')} AS "txHash" FROM transfers
      WHERE decided_block > $1 AND request_id IS NOT NULL`,
    [block],
  );
}

describe('reorganisations', { concurrency: 3 }, () => {
  test('reorganisations of 1 to 6 blocks that drop and reorder transfers leave each paid once', async (t) => {
    const seed = seedOf('faults');
    t.diagnostic(`FAULT_SEED=${seed}`);
    const random = randomNumbers(seed);
    const s = await startScenario(t, { env: { RELAYERS: '3' } });
    for (let guest = 0; guest < 3; guest++) await s.completed(await s.pay(guest, 500));
    for (const depth of [3, 1, 2, 4, 5, 6].slice(0, perTier({ usual: 1, all: 6 }))) {
      for (let block = 0; block < depth; block++) {
        // The game has the quarters of both; a guest spends what an earlier block brought.
        await s.completed(
          ...(await Promise.all([s.pay(block % 3, 5), s.pay((block + 1) % 3, 7), s.spend(block % 3, 6)])),
        );
      }
      await s.calm();
      await s.faulty.stopMining();
      const head = await headOf(s);
      const orphaned = await completedAbove(s, head - depth);
      assert.ok(orphaned.length > 0);
      const moves = new Map<string, string[]>();
      for (const one of orphaned) moves.set(one.transferId, await s.movesOf(one));
      await s.faulty.reorganise(depth, rewrite(await s.faulty.newestTransactions(depth), random));
      s.faulty.startMining();
      for (const one of orphaned) {
        const before = moves.get(one.transferId)!;
        await until('it is completed again', async () => (await s.movesOf(one)).length === before.length + 2);
        assert.deepEqual((await s.movesOf(one)).slice(before.length - 1), ['completed', 'submitted', 'completed']);
      }
    }
    await s.prove();
  });

  test('a reorganisation deeper than FINAL_AFTER heals, and an alarm lists what it touched', async (t) => {
    const s = await startScenario(t, { env: { FINAL_AFTER: '2' } });
    for (let i = 0; i < 5; i++) await s.completed(await s.pay(i % 3, i + 1));
    await s.calm();
    await s.faulty.stopMining();
    const head = await headOf(s);
    const orphaned = await completedAbove(s, head - 4);
    await s.faulty.reorganise(4);
    s.faulty.startMining();
    const alarm = () =>
      s.logged.find(({ level, message }) => level === 'error' && /deeper than FINAL_AFTER/.test(message));
    await until('the alarm is raised', () => alarm() !== undefined);
    await s.completed(...orphaned);
    assert.deepEqual([...(alarm()!.entry.transfers as string[])].sort(), orphaned.map((one) => one.transferId).sort());
    assert.equal(alarm()!.entry.depth, 4);
    assert.ok((alarm()!.entry.accounts as string[]).includes(s.game.address.toLowerCase()));
    await s.prove();
  });

  test('a reorganisation within FINAL_AFTER raises no alarm', async (t) => {
    const s = await startScenario(t);
    await s.completed(await s.pay(0, 5));
    await s.faulty.stopMining();
    await s.faulty.reorganise(1);
    s.faulty.startMining();
    await until('it is noticed', () => s.logged.some(({ message }) => message === 'the chain was reorganised'));
    await s.prove();
    assert.deepEqual(
      s.logged.filter(({ level }) => level === 'error'),
      [],
    );
  });

  test('dependent transfers A→B, B→C of two relayers are paid when mined in the wrong order', async (t) => {
    const s = await startScenario(t, { env: { RELAYERS: '2' } });
    const other = await s.createApp();
    const guest = s.guests.push(await s.createGuest(other)) - 1;
    const block = await headOf(s);
    const first = await s.pay(guest, 100);
    await s.completed(first);
    const second = await s.spend(guest, 80, other);
    await s.completed(second);
    const [one, two] = [await s.attemptsOf(first), await s.attemptsOf(second)];
    assert.notEqual(one[0]!.relayer, two[0]!.relayer);
    await s.faulty.stopMining();
    const raws = [await s.faulty.raw(second.txHash), await s.faulty.raw(first.txHash)];
    await s.faulty.reorganise((await headOf(s)) - block, [[raws[0]!], [raws[1]!]]);
    const receipt = (await s.faulty.evm.rpc('eth_getTransactionReceipt', [second.txHash])) as { status: string };
    assert.equal(receipt.status, '0x0', 'B has nothing yet');
    s.faulty.startMining();
    await until('both are completed again', async () => {
      const moves = [await s.movesOf(first), await s.movesOf(second)];
      return moves.every((to) => to.at(-1) === 'completed' && to.filter((state) => state === 'completed').length === 2);
    });
    assert.equal(await s.txHashOf(first), first.txHash);
    assert.notEqual(await s.txHashOf(second), second.txHash);
    await s.prove();
  });

  test('an account whose spent deposit is orphaned spends nothing until it is mined again', async (t) => {
    const s = await startScenario(t);
    const outside = createUserKey(s.service.vault).address;
    await s.issue(outside, 500);
    const guest = s.guests[0]!.address;
    const data = `0xa9059cbb${guest.slice(2).padStart(64, '0')}${(500).toString(16).padStart(64, '0')}`;
    const deposit = () => s.faulty.sendAs(outside, { to: s.service.chain.contracts.token, data });
    const account = async () => {
      const rows = await s.service.db.query<{ posted: bigint; held: bigint }>(
        'SELECT posted, held FROM accounts WHERE address = $1',
        [guest],
      );
      return rows[0]!;
    };
    const block = await headOf(s);
    await deposit();
    await until('the deposit is posted', async () => (await account()).posted === 500n);
    const spent = await s.spend(0, 300);
    await s.completed(spent);
    assert.deepEqual(await account(), { posted: 200n, held: 0n });

    await s.faulty.stopMining();
    await s.faulty.reorganise((await headOf(s)) - block);
    s.faulty.startMining();
    await until('the deposit is taken back', async () => (await account()).posted === 0n);
    assert.deepEqual(await account(), { posted: 0n, held: 300n });
    // 200 of it are not spent yet: such an amount is refused only for now.
    await assert.rejects(s.spend(0, 200), { code: 'quarters-unconfirmed' });
    await assert.rejects(s.spend(0, 201), { code: 'insufficient-quarters' });
    assert.ok(
      s.logged.some(
        ({ level, entry }) => level === 'error' && (entry.accounts as string[] | undefined)?.includes(guest),
      ),
      'an alarm names the account',
    );
    await until('our transaction reverted', async () => (await s.attemptsOf(spent)).at(-1)?.status === 'mined');
    assert.equal((await s.movesOf(spent)).at(-1), 'submitted');

    await deposit();
    await s.completed(spent);
    assert.deepEqual(await account(), { posted: 200n, held: 0n });
    await s.prove({ outside: 1 });
  });

  test('a payment from an orphaned deposit is refused for now, and for good if it never returns', async (t) => {
    const s = await startScenario(t);
    const { db, chain } = s.service;
    const outside = createUserKey(s.service.vault).address;
    await s.issue(outside, 500);
    const [lucky, unlucky] = [s.guests[0]!, s.guests[1]!];
    const block = await headOf(s);
    await s.issue(lucky.userId, 300);
    const data = `0xa9059cbb${unlucky.address.slice(2).padStart(64, '0')}${(500).toString(16).padStart(64, '0')}`;
    await s.faulty.sendAs(outside, { to: chain.contracts.token, data });
    const posted = async ({ address }: typeof lucky) => (await lookUpAccount(db, asAddress(address)))!.posted;
    await until('the deposits are posted', async () => (await posted(unlucky)) === 500n);
    await s.calm();

    await s.faulty.stopMining();
    await s.faulty.reorganise((await headOf(s)) - block);
    await until('they are taken back', async () => (await posted(lucky)) + (await posted(unlucky)) === 0n);
    await assert.rejects(s.spend(0, 301), { code: 'insufficient-quarters' });
    await assert.rejects(s.spend(1, 500), { code: 'quarters-unconfirmed' });
    const payment = await newPayment(s, s.game, { guest: lucky, tokens: 300 });
    assert.match((await payment.open()).body, /still being confirmed/);
    const refused = await payment.decide({ decision: 'approve' });
    assert.deepEqual([refused.status, /Nothing was taken/.test(refused.body)], [409, true]);

    s.faulty.startMining();
    await until('one is there again', async () => (await posted(lucky)) === 300n);
    assert.deepEqual(
      [
        ...(await orphanedDeposits(
          db,
          s.guests.map(({ address }) => asAddress(address)),
        )),
      ],
      [[asAddress(unlucky.address), 500n]],
    );
    await s.completed(await s.spend(0, 300));
    await assert.rejects(s.spend(0, 1), { code: 'insufficient-quarters' });

    assert.equal(await KEPT_ORPHANED_DEPOSITS.forget(db, 10), 0);
    await assert.rejects(s.spend(1, 1), { code: 'quarters-unconfirmed' });
    await changeOrphanedDeposits(db, {}, { orphanedAt: ago('61 minutes') });
    await KEPT_ORPHANED_DEPOSITS.forget(db, 10);
    await assert.rejects(s.spend(1, 1), { code: 'insufficient-quarters' });
    await s.prove();
  });
});
