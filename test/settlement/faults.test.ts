import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { newRequestId, newTransferId, type UserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { listRelayers } from '../../src/chain/relayers.ts';
import { createUserKey } from '../../src/custody/new-keys.ts';
import { openDatabase } from '../../src/db/database.ts';
import { groupCommit } from '../../src/db/group-commit.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import type { Instruction } from '../../src/service/instruction.ts';
import { acceptInstructions } from '../../src/settlement/accept/accept-group.ts';
import { findTransfersOfRequests } from '../../src/settlement/tables/transfers.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { startTestService, type TestApp, type TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asApp } from '../kit/unit/callers.ts';
import { startCuttingProxy } from '../kit/unit/cutting-proxy.ts';
import { until } from '../kit/unit/until.ts';
import { statesOf } from '../rows/transitions.ts';

const pay = (s: TestService, app: TestApp, user: UserId, amount: number) =>
  payUser(s.service, asApp(app.id), { from: asAddress(app.address), amount, user });

const movesOf = (s: TestService, requestId: string) => statesOf(s.service.db, requestId);

/** How often the token has moved quarters from the app's account to the user's, by the chain's own logs. */
async function paidOnChain(s: TestService, from: string, to: string): Promise<number> {
  const topic = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const logs = await s.service.rpc.call<unknown[]>('eth_getLogs', [
    { fromBlock: '0x0', address: s.service.chain.contracts.token, topics: [transfer, topic(from), topic(to)] },
  ]);
  return logs.length;
}

test('a reorganisation reverts completed transfers, and the same signed bytes complete them again', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guest = await s.createGuest(app);
  const { requestId, txHash } = await pay(s, app, guest.userId, 70);
  await s.settled();

  await s.evm.rpc('anvil_reorg', [1, []]);
  await until('the transfer was taken back and paid again', async () => (await movesOf(s, requestId!)).length === 5);
  await s.settled();

  assert.deepEqual(await movesOf(s, requestId!), ['approved', 'submitted', 'completed', 'submitted', 'completed']);
  assert.equal(await paidOnChain(s, app.address, guest.address), 1);
  const [transfer] = await findTransfersOfRequests(s.service.db, [requestId!]);
  assert.equal(transfer?.txHash, txHash);
  await assertLedgerIsChain(s.service);
});

test('a node that was reorganised and then restored to an older state is sent everything it forgot, exactly once', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guest = await s.createGuest(app);
  const before = await s.evm.rpc('evm_snapshot');
  for (let i = 0; i < 5; i++) {
    // Each in a block of its own: the reorganisation must not reach the block to restore.
    await pay(s, app, guest.userId, 10);
    await s.settled();
  }

  await s.evm.rpc('anvil_reorg', [2, []]);
  await s.evm.rpc('evm_revert', [before]);
  await until(
    'the forgotten transfers are on the chain again',
    async () => (await paidOnChain(s, app.address, guest.address)) === 5,
  );
  await s.settled();
  await assertLedgerIsChain(s.service);
});

test('a transfer whose nonce somebody else used gets a new transaction with the same authorization', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guest = await s.createGuest(app);
  const relayer = (await listRelayers(s.service.db)).find(({ purpose }) => purpose === 'settlement')!;
  // The relayer's key is used elsewhere: a payment of no ether to itself takes its next nonce.
  await s.evm.rpc('anvil_impersonateAccount', [relayer.address]);
  await s.evm.rpc('eth_sendTransaction', [{ from: relayer.address, to: relayer.address, value: '0x0' }]);
  await until(
    'the nonce is taken',
    async () => (await s.evm.rpc('eth_getTransactionCount', [relayer.address, 'latest'])) === '0x1',
  );

  const { txHash, requestId } = await pay(s, app, guest.userId, 25);
  await s.settled();
  const [transfer] = await findTransfersOfRequests(s.service.db, [requestId!]);
  assert.notEqual(transfer?.txHash, txHash);
  assert.equal(await paidOnChain(s, app.address, guest.address), 1);
  await assertLedgerIsChain(s.service);
});

test('a deposit from outside can be spent once its block is followed', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  const outside = createUserKey(s.service.vault).address;
  await s.issue(outside, 500);
  await s.evm.rpc('anvil_setBalance', [outside, '0xde0b6b3a7640000']);
  await s.evm.rpc('anvil_impersonateAccount', [outside]);
  const data = `0xa9059cbb${app.address.slice(2).toLowerCase().padStart(64, '0')}${(300).toString(16).padStart(64, '0')}`;
  await s.evm.rpc('eth_sendTransaction', [{ from: outside, to: s.service.chain.contracts.token, data }]);
  const appBalance = async () =>
    (await s.service.db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE app_id = $1', [app.id]))[0]
      ?.posted;
  await until('the deposit is posted', async () => (await appBalance()) === 300n);

  const guest = await s.createGuest(app);
  await pay(s, app, guest.userId, 300);
  await s.settled();
  await assertLedgerIsChain(s.service);
});

test('a lost reply to COMMIT neither loses nor duplicates the transfers', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guest = await s.createGuest(app);
  const { service } = s;
  const proxy = await startCuttingProxy(s.databaseUrl);
  const db = openDatabase(proxy.url, { maxConnections: 2 });
  atEnd(t, async () => {
    await db.close();
    proxy.close();
  });
  const group = groupCommit(acceptInstructions({ ...service, db }), {
    maxGroup: 50,
    uncertainForMs: 5 * 60_000,
    payerOf: ({ from }) => from,
  });
  const instructions = Array.from(
    { length: 7 },
    (): Instruction => ({
      transferId: newTransferId(),
      from: asAddress(app.address),
      to: guest.address,
      amount: asQuarters(11),
      origin: {
        kind: 'payout',
        keyHash: Buffer.alloc(32),
        isCapped: false,
        request: {
          id: newRequestId(),
          appId: app.id,
          userId: guest.userId,
          source: 'payout',
          from: asAddress(app.address),
          to: guest.address,
          amount: asQuarters(11),
          description: '',
          ttlSeconds: 60,
        },
      },
    }),
  );
  await db.query('SELECT 1');
  proxy.cutNextCommit();
  const accepted = await Promise.all(instructions.map((instruction) => group.submit(instruction)));
  assert.equal(proxy.cuts, 1);
  assert.equal(new Set(accepted.map(({ txHash }) => txHash)).size, 7);
  await assertHoldsAreTransfers(service);
  service.db.announce('transactions');
  await s.settled();
  assert.equal(await paidOnChain(s, app.address, guest.address), 7);
  await assertLedgerIsChain(service);
});

test('a lost reply to COMMIT does not make `issue` pay twice', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  const proxy = await startCuttingProxy(s.databaseUrl);
  const db = openDatabase(proxy.url, { maxConnections: 2 });
  atEnd(t, async () => {
    await db.close();
    proxy.close();
  });
  await db.query('SELECT 1');
  proxy.cutNextCommit();
  // It must not report a failure either, because an operator who reads one issues again.
  const issued = await issueQuarters({ ...s.service, db }, { recipient: app.id, amount: asQuarters(100) });
  await s.settled();
  assert.equal(proxy.cuts, 1);
  const transfers = await s.service.db.query<{ id: string }>('SELECT id FROM transfers');
  assert.deepEqual(transfers, [{ id: issued.transferId }]);
  await assertLedgerIsChain(s.service);
});

test('transfers bundled into one transaction are each paid', async (t) => {
  const s = await startTestService(t, { env: { TRANSFERS_PER_TRANSACTION: '10' } });
  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guests = await Promise.all(Array.from({ length: 4 }, () => s.createGuest(app)));
  const decided = await Promise.all(Array.from({ length: 24 }, (_, i) => pay(s, app, guests[i % 4]!.userId, i + 1)));
  await s.settled();
  assert.ok(new Set(decided.map(({ txHash }) => txHash)).size < 24, 'transactions are shared');
  for (const { requestId } of decided) assert.equal((await movesOf(s, requestId!)).at(-1), 'completed');
  await assertLedgerIsChain(s.service);
});
