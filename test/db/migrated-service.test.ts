import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { decodeFunctionData, encodeFunctionData, parseAbi } from 'viem';
import type { TransferId } from '../../src/base/ids.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { proveExactlyOnce } from '../kit/service/exactly-once.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { legsOf, newPlayer } from '../kit/service/player.ts';
import { STRANGER } from '../kit/service/provoking.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import type { Accepted } from '../kit/service/scenario.ts';
import type { TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { copyToOlder, giveNonces } from '../rows/older-copy.ts';

const SETTLE = parseAbi([
  'function settle((address from, address to, uint256 value, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)[] authorizations)',
]);

type Before = Awaited<ReturnType<typeof ranBefore>>;

/** While nothing is mined: a stranger's transaction with the treasury's part of a payment is mined before ours. */
async function payHalf({ faulty }: Before, s: TestService, txHash: string, requestId: string): Promise<void> {
  await until('ours waits', async () => (await faulty.waiting()).some(({ hash }) => hash === txHash));
  const { input, to } = (await faulty.waiting()).find(({ hash }) => hash === txHash)!;
  const raw = await faulty.raw(txHash);
  const { args } = decodeFunctionData({ abi: SETTLE, data: input as `0x${string}` });
  const treasurys = args[0].filter(({ value }) => value === 30n);
  faulty.proxy.inject({ fault: 'lose-call', method: 'eth_sendRawTransaction' });
  await faulty.evm.rpc('anvil_dropTransaction', [txHash]);
  await faulty.sendAs(STRANGER, { to, data: encodeFunctionData({ abi: SETTLE, args: [treasurys] }), gas: 400_000n });
  await faulty.mine();
  await until('half of it is paid', async () => {
    const statuses = (await legsOf(s, requestId)).map(({ status }) => status);
    return `${statuses.sort()}` === 'completed,submitted';
  });
  await faulty.evm.rpc('eth_sendRawTransaction', [raw]);
  faulty.proxy.heal();
}

/** A service that was stopped with payments in every state, and its database as the version before the narrow rows left it. */
async function stoppedOnItsWay(t: TestContext) {
  const before = await ranBefore(t);
  const { faulty, start, game, accepted, pay } = before;
  const s = await start();
  await until('the database is compared', () => s.service.readiness.compared === 'done');
  const player = await newPlayer(s, game, 100);
  await player.grant(30);
  for (let amount = 1; amount <= 3; amount++) {
    await pay(s, amount);
    await s.settled();
  }
  await player.ask(5);
  await faulty.stopMining();

  const spent = await player.spend(50);
  const [own] = await legsOf(s, spent.id);
  accepted.push({
    transferId: own!.id as TransferId,
    requestId: spent.id as Accepted['requestId'],
    txHash: own!.tx_hash,
  });
  await payHalf(before, s, own!.tx_hash, spent.id);
  for (let amount = 11; amount <= 14; amount++) await pay(s, amount);
  const { txHash } = accepted.at(-1)!;
  await until('the node has them', async () => (await faulty.waiting()).some(({ hash }) => hash === txHash));
  const cancelled = accepted.at(-2)!.transferId;
  await cancelTransfer(s.service, cancelled);
  faulty.proxy.reachable = false;
  for (let amount = 21; amount <= 23; amount++) await pay(s, amount);
  await s.stop();
  faulty.proxy.reachable = true;
  return {
    ...before,
    cancelled,
    spent,
    url: s.databaseUrl,
    older: await copyToOlder(t, s.databaseUrl, s.service.vault),
  };
}

describe('a service on a database of before the narrow rows', { concurrency: 2 }, () => {
  for (const depth of [0, 3]) {
    const and = depth === 0 ? '' : ', also if the chain was reorganised meanwhile';
    test(`what was on its way when it was stopped settles exactly once${and}`, async (t) => {
      const { faulty, start, accepted, cancelled, older, url, pay, spent, errors } = await stoppedOnItsWay(t);
      assert.equal((await migrate(older))[0], '0012_narrow_rows');
      const db = openDatabase(older);
      atEnd(t, () => db.close());
      await giveNonces(url, db);
      if (depth > 0) await faulty.reorganise(depth);
      const s = await start(older);
      faulty.startMining();
      await until('the database is compared', () => s.service.readiness.compared === 'done');
      await pay(s, 31);
      const isPaid = async () => (await legsOf(s, spent.id)).every(({ status }) => status === 'completed');
      await until('the other half is paid', isPaid);
      await s.settled();
      await proveExactlyOnce({ service: s.service, evm: faulty.evm }, accepted, { cancelled: [cancelled] });
      assert.deepEqual((await auditLedger(s.service)).differences, []);
      assert.deepEqual(errors, []);
    });
  }
});
