import assert from 'node:assert/strict';
import { test } from 'node:test';
import { privateKeyToAccount } from 'viem/accounts';
import { RELEASE } from '../../src/config/release.ts';
import { enterDatabase } from '../../src/membership/membership.ts';
import { newProcess } from '../../src/membership/processes.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { workersOf } from '../kit/unit/processes.ts';
import { until } from '../kit/unit/until.ts';
import { changeAccounts } from '../rows/ledger.ts';
import { openRunbook, WITHIN_MS } from './stage.ts';

const OUTSIDE = privateKeyToAccount(`0x${'7'.repeat(64)}`).address;
const TRANSFER = '0xa9059cbb';
const word = (value: bigint) => value.toString(16).padStart(64, '0');

test('the alerts of database and ledger fire, and are over when their paragraphs were followed', {
  skip: skipWithout('prometheus'),
  timeout: WITHIN_MS,
}, async (t) => {
  const s = await openRunbook(t);
  const { world, database } = s;
  const readyz = async () => (await fetch(`${s.service().origin}/readyz`)).text();

  await t.test('QuartersDown: the process continues where it stopped', async () => {
    assert.equal(await s.pay(), 200);
    await s.service().kill();
    await s.fires('QuartersDown');
    await s.restart();
    await s.resolves('QuartersDown');
    await world.settled();
  });

  await t.test(
    'QuartersDatabaseDown and QuartersErrors: calls get 503, and the service recovers by itself',
    async () => {
      database.isOpen = false;
      const calling = new AbortController();
      const calls = (async () => {
        const statuses = new Set<number>();
        while (!calling.signal.aborted) statuses.add(await s.pay());
        return statuses;
      })();
      await s.fires('QuartersDatabaseDown');
      await s.fires('QuartersErrors');
      assert.match(await readyz(), /"database":"unavailable"/);
      calling.abort();
      assert.ok((await calls).has(503));
      database.isOpen = true;
      await s.resolves('QuartersDatabaseDown');
      await s.resolves('QuartersErrors');
      await until('it pays', async () => (await s.pay()) === 200);
      await world.settled();
    },
  );

  await t.test('QuartersVersionsDiffer: the process of the other version is named, and ends', async () => {
    const other = newProcess({ ...RELEASE, version: '0.0.9' });
    const { leave } = await enterDatabase(s.databaseUrl, () => {}, other);
    atEnd(t, leave);
    await s.fires('QuartersVersionsDiffer');
    assert.match(await s.quarters('health', '--json'), /0\.0\.9/);
    await leave();
    await s.resolves('QuartersVersionsDiffer');
  });

  await t.test('QuartersLedgerDiffers: the audit names the account, and is equal when it was put right', async () => {
    const db = await s.db();
    await changeAccounts(db, { address: s.guest.address.toLowerCase() }, { posted: 77 });
    await s.fires('QuartersLedgerDiffers');
    const [account] = await db.query<{ sum: bigint }>(
      'SELECT coalesce(sum(CASE WHEN to_address = $1 THEN amount ELSE -amount END), 0)::bigint AS sum FROM postings WHERE $1 IN (from_address, to_address)',
      [s.guest.address.toLowerCase()],
    );
    assert.match(await s.quarters('audit'), new RegExp(`${s.guest.address}[^]*The audit found`));
    await changeAccounts(db, { address: s.guest.address.toLowerCase() }, { posted: account!.sum });
    assert.match(await s.quarters('audit'), /equal/);
    await s.resolves('QuartersLedgerDiffers');
  });

  await t.test('QuartersAuditMissing: audits that are turned off are missed, and one by hand ends it', async () => {
    await s.restart({ AUDIT_EVERY_SECONDS: '0' });
    await s.fires('QuartersAuditMissing');
    assert.match(await s.quarters('audit'), /equal/);
    await s.resolves('QuartersAuditMissing');
    await s.restart({ AUDIT_EVERY_SECONDS: '3' });
  });

  await t.test('QuartersAccountsOverdrawn: the missing quarters are issued, and what waited is paid', async () => {
    const poor = await world.createApp();
    await world.issue(OUTSIDE, 500);
    await world.settled();
    const { contracts } = (await world.operator()).chain;
    const rpc = world.evm.rpc;
    const head = async () => BigInt((await rpc('eth_blockNumber')) as string);
    const before = await head();
    await rpc('anvil_impersonateAccount', [OUTSIDE]);
    await rpc('anvil_setBalance', [OUTSIDE, `0x${(10n ** 20n).toString(16)}`]);
    const data = `${TRANSFER}${poor.address.slice(2).toLowerCase().padStart(64, '0')}${word(500n)}`;
    await rpc('eth_sendTransaction', [{ from: OUTSIDE, to: contracts.token, data, gas: '0x30000' }]);
    await world.settled();
    await until('the deposit is spent', async () => (await s.pay(300, poor)) === 200);
    await world.settled();
    await world.mine(false);
    await rpc('anvil_reorg', [Number((await head()) - before), []]);
    await world.mine(true);

    await s.fires('QuartersAccountsOverdrawn');
    assert.match(await s.quarters('audit'), new RegExp(poor.address));
    await s.quarters('issue', poor.id, '300', '--yes');
    await world.settled();
    assert.match(await s.quarters('audit'), /equal/);
    await s.resolves('QuartersAccountsOverdrawn');
  });

  await t.test('QuartersPaymentsSuspended: somebody else used a relayer, and the operator accepts it', async () => {
    const [relayer] = await s.relayers();
    await world.settled();
    await s.service().stop();
    await world.evm.rpc('anvil_impersonateAccount', [relayer]);
    for (let used = 0; used < 3; used++) {
      await world.evm.rpc('eth_sendTransaction', [{ from: relayer, to: relayer, value: '0x0' }]);
    }
    await until(
      'they are mined',
      async () => ((await world.evm.rpc('txpool_status')) as { pending: string }).pending === '0x0',
    );
    await s.restart();
    await s.fires('QuartersPaymentsSuspended');
    assert.equal(await s.pay(), 503);
    assert.match(await s.quarters('suspension'), new RegExp(relayer!));
    await s.quarters('suspension', 'accept', '--yes');
    await s.resolves('QuartersPaymentsSuspended');
    await until('it pays', async () => (await s.pay()) === 200);
    await world.settled();
    assert.match(await s.quarters('audit'), /equal/);
  });

  await t.test('QuartersWorkersDie: the log names each signal, and others take their places', async () => {
    await s.restart({ WORKERS: '2', RELAYERS: '2' });
    const isFiring = async () => (await s.active()).includes('QuartersWorkersDie');
    while (!(await isFiring())) {
      const [victim] = workersOf(s.service());
      process.kill(victim!, 'SIGKILL');
      await until('another worker takes its place', async () => {
        const workers = workersOf(s.service());
        return (workers.length === 2 && !workers.includes(victim!)) || (await isFiring());
      });
    }
    await s.fires('QuartersWorkersDie');
    assert.match(s.service().output(), /"signal":"SIGKILL"/);
    await s.resolves('QuartersWorkersDie');
    await until('it pays', async () => (await s.pay()) === 200);
    await world.settled();
  });
});
