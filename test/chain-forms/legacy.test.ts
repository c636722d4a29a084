import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { asHash, bytesToHex, hexToBytes } from '../../src/base/hex.ts';
import { keccak256 } from '../../src/base/keccak.ts';
import { type Fees, GWEI, legacyFees } from '../../src/chain/fees.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { readTransaction, sendRawTransactions, signTransaction } from '../../src/chain/transaction.ts';
import { createUserKey } from '../../src/custody/new-keys.ts';
import { openSigner } from '../../src/custody/signer.ts';
import { readGasDays } from '../../src/settlement/tables/gas-days.ts';
import { considerChain } from '../../src/wings/doctor/diagnostics/consider-chain.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { call } from '../kit/service/call.ts';
import type { FaultyChain } from '../kit/service/chain-faults.ts';
import { startEvm } from '../kit/service/evm.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { memoryVault } from '../kit/unit/signing.ts';
import { until } from '../kit/unit/until.ts';

const PRICE = 5n * GWEI;
const TYPE_2 = '0x02';
const REFUSES = { refuses: 'transaction type not supported' };

/**
 * From now on the chain is as one without EIP-1559. (No node here has both such blocks and the instructions of our contracts.) Receipts do not
 * say the price, as those of older nodes.
 */
function beforeLondon({ proxy }: FaultyChain): void {
  proxy.pool = (raw) => (raw.startsWith(TYPE_2) ? REFUSES : null);
  proxy.lie((method, result) => {
    if (method === 'eth_maxPriorityFeePerGas' || method === 'eth_feeHistory') return null;
    if (method === 'eth_gasPrice') return quantity(PRICE);
    if (/^eth_getBlockBy/.test(method)) return { ...(result as object), baseFeePerGas: undefined };
    if (method === 'eth_getTransactionReceipt') return { ...(result as object), effectiveGasPrice: undefined };
    return result;
  });
}

function afterLondon({ proxy }: FaultyChain): void {
  proxy.pool = null;
  proxy.lie(null);
}

const quantity = (wei: bigint) => `0x${wei.toString(16)}`;
/** The hashes of headers without a field are wrong, as those of some such chains. */
const ENV = { CHAIN_PROOF: 'agreement', FINAL_AFTER: '3', REPLACE_AFTER_BLOCKS: '4' };

/** Before its first start, so that the contracts are deployed there. */
async function startOnOldChain(t: TestContext): Promise<Scenario> {
  const node = await startEvm({ args: ['--no-mining', '--base-fee', '0'] });
  return startScenario(t, { env: ENV, node, onChain: beforeLondon });
}

async function signedFor(s: Scenario, paid: Accepted) {
  const hashes = (await s.attemptsOf(paid)).map(({ hash }) => Buffer.from(hexToBytes(hash)));
  const rows = await s.service.db.query<{ raw: Buffer }>(
    'SELECT raw FROM transactions WHERE hash = ANY($1) ORDER BY attempt',
    [hashes],
  );
  return rows.map(({ raw }) => readTransaction(raw));
}

const feesFor = async (s: Scenario, paid: Accepted) => (await signedFor(s, paid)).map(({ fees }) => fees);

/** Pays while the node keeps all transactions to itself, until they are replaced. */
async function payStuck(s: Scenario): Promise<Accepted> {
  const { proxy } = s.faulty;
  const { pool } = proxy;
  let kept = 0;
  proxy.pool = (hex) => {
    const raw = Buffer.from(hexToBytes(hex));
    return pool?.(hex) ?? (kept++ < 1 ? { keeps: asHash(bytesToHex(keccak256(raw))) } : null);
  };
  const paid = await s.pay(0, 11);
  await until('it is replaced', async () => {
    await s.faulty.mine();
    return (await s.attemptsOf(paid)).length > 1;
  });
  return paid;
}

describe('a chain without EIP-1559', { concurrency: 2 }, () => {
  test('the contracts are deployed, payments are paid once and replaced, and go on when the chain is upgraded', async (t) => {
    const s = await startOnOldChain(t);
    const paid = await s.pay(0, 10);
    await s.completed(paid);
    assert.deepEqual(await feesFor(s, paid), [legacyFees(PRICE, PRICE)]);
    const raws = await s.service.db.query<{ raw: Buffer }>('SELECT raw FROM transactions');
    assert.ok(raws.length >= 4, 'two deployments, an issue, a payment');
    for (const { raw } of raws) assert.deepEqual(readTransaction(raw).fees, legacyFees(PRICE, PRICE));
    const costs = async () => (await readGasDays(s.service.db, 'day', new Date(0), new Date(Date.UTC(9999))))[0];
    await s.faulty.mine(3);
    await until('what it cost is counted', async () => ((await costs())?.transfers ?? 0) > 0);
    const { gas, wei } = (await costs())!;
    assert.equal(wei, gas * PRICE);

    const stuck = await payStuck(s);
    await s.completed(stuck);
    const [first, second] = await feesFor(s, stuck);
    assert.deepEqual([first, second!.isLegacy], [legacyFees(PRICE, PRICE), true]);
    assert.ok(second!.maxFeePerGas * 10n >= PRICE * 11n && second!.maxFeePerGas <= (PRICE * 12n) / 10n);

    await s.faulty.stopMining();
    const waiting = await s.pay(1, 12);
    await until('it waits', async () => (await s.faulty.waiting()).length === 1);
    // Its block asks for more than it offers.
    const mineAtBaseFee = async () => {
      await s.faulty.evm.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(PRICE * 2n)]);
      await s.faulty.mine();
    };
    afterLondon(s.faulty);
    await until('it is replaced and mined', async () => {
      await mineAtBaseFee();
      return (await s.attemptsOf(waiting)).some(({ status }) => status === 'mined');
    });
    s.faulty.startMining();
    const types = (await feesFor(s, waiting)).map(({ isLegacy }) => isLegacy);
    assert.ok(
      types.length > 1 && types.every((isLegacy) => isLegacy),
      'it stays of its type, whose price is paid in whole',
    );
    const later = await s.pay(2, 13);
    await s.completed(later);
    assert.equal((await feesFor(s, later))[0]!.isLegacy, false);
    await s.prove();
  });

  test('what a node refuses for its type is signed again at the price of the moment', async (t) => {
    const s = await startScenario(t, { env: { PRIORITY_FEE_GWEI: '2' } });
    // As after a process that had seen no block.
    s.faulty.proxy.pool = (raw) => (raw.startsWith(TYPE_2) ? REFUSES : null);
    const paid = await s.pay(0, 10);
    await s.completed(paid);
    const [refused, taken] = await feesFor(s, paid);
    assert.deepEqual([refused!.isLegacy, taken!.isLegacy], [false, true]);
    assert.ok(taken!.maxFeePerGas >= 2n * GWEI && taken!.maxFeePerGas <= 5n * GWEI, `${taken!.maxFeePerGas} wei`);
    await s.prove();
  });

  test('a node that takes no type at all does not raise the price', async (t) => {
    const s = await startScenario(t, { env: { PRIORITY_FEE_GWEI: '2' } });
    let asked = 0;
    s.faulty.proxy.pool = () => {
      asked++;
      return REFUSES;
    };
    const paid = await s.pay(0, 10);
    await until('it is refused again and again', () => asked > 8);
    const [refused, legacy, ...others] = await feesFor(s, paid);
    assert.deepEqual([refused!.isLegacy, legacy!.isLegacy, others], [false, true, []]);
    s.faulty.proxy.pool = null;
    await s.completed(paid);
    assert.equal((await feesFor(s, paid)).length, 2);
    await s.prove();
  });

  test('a restore from such a chain pays nothing twice', async (t) => {
    const { faulty, start, copyDatabase, game, guest } = await ranBefore(t, ENV);
    await faulty.evm.rpc('anvil_setNextBlockBaseFeePerGas', ['0x0']);
    beforeLondon(faulty);
    const copy = await copyDatabase();
    const pay = async ({ app }: Awaited<ReturnType<typeof start>>, key: string) => {
      const body = { amount: 10, user: guest.userId };
      const headers = { 'idempotency-key': key };
      const what = `POST /v1/accounts/${game.address}/transfer`;
      const answer = await call(app, what, { token: game.serverKey, body, headers });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json() as { txId: string };
    };
    const later = await start();
    await until('the database is compared', () => later.service.readiness.compared === 'done');
    const before = [await pay(later, 'one'), await pay(later, 'two')];
    await later.settled();
    const raws = await later.service.db.query<{ raw: Buffer }>('SELECT raw FROM transactions WHERE raw >= $1', [
      Buffer.from([0xc0]),
    ]);
    assert.ok(raws.length >= 1, 'they are legacy transactions');
    await later.stop();

    const s = await start(copy);
    await until('payments are suspended', () => s.service.readiness.suspended && s.service.readiness.chain === 'ok');
    const { code, err } = await runCommand(s.service, 'restore', '--yes');
    assert.equal(code, 0, err);
    const after = [await pay(s, 'one'), await pay(s, 'two')];
    assert.deepEqual(
      after.map(({ txId }) => txId),
      before.map(({ txId }) => txId),
    );
    await pay(s, 'three');
    await s.settled();
    await assertLedgerIsChain(s.service);
    const [paid] = await s.service.db.query<{ count: number }>(
      'SELECT count(*)::integer AS count FROM transfers WHERE to_address = $1 AND amount = 10',
      [guest.address.toLowerCase()],
    );
    assert.equal(paid!.count, 3);
  });

  test('doctor says what transfers cost there', async (t) => {
    const s = await startOnOldChain(t);
    const { checks } = await considerChain(s.faulty.proxy.url, s.service.settings, () => {});
    const { state, facts } = checks.find(({ part }) => part === 'Price')!;
    assert.equal(state, 'good');
    const named = new Map(facts!.map(({ name, value }) => [name, value]));
    assert.match(named.get('Base fee')!, /^none/);
    assert.equal(named.get('Gas price'), '5 gwei');
  });
});

test('a node of before EIP-1559 mines what is signed for it, and nodes of after it replace each type by the other', async (t) => {
  const vault = await memoryVault();
  const { address, keyId } = createUserKey(vault);
  const { sign } = openSigner(vault, address, keyId);
  const sender = async (args: readonly string[]) => {
    const node = await startEvm({ args });
    atEnd(t, () => node.stop());
    await node.rpc('anvil_setBalance', [address, quantity(10n ** 20n)]);
    const rpc = connectRpc([node.url]);
    return {
      node,
      send: async (nonce: bigint, fees: Fees) => {
        const call = { chainId: 31_337, nonce, to: address, data: Buffer.alloc(0), gas: 21_000n };
        const { raw, hash } = signTransaction({ ...call, fees }, sign);
        const [reply] = await sendRawTransactions(rpc, [raw]);
        return { hash, said: reply!.fault ?? reply!.kind };
      },
    };
  };
  const ceiling = 200n * GWEI;
  const type2 = (gwei: bigint) => ({ maxFeePerGas: gwei * GWEI, maxPriorityFeePerGas: gwei * GWEI, isLegacy: false });
  const legacy = (gwei: bigint) => legacyFees(gwei * GWEI, ceiling);

  const old = await sender(['--no-mining', '--hardfork', 'berlin']);
  const head = (await old.node.rpc('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas?: string };
  assert.equal(head.baseFeePerGas, undefined);
  assert.equal((await old.send(0n, type2(5n))).said, 'type-unsupported');
  assert.equal((await old.send(0n, legacy(5n))).said, 'accepted');
  const { hash } = await old.send(0n, legacy(6n));
  await old.node.rpc('evm_mine');
  const receipt = (await old.node.rpc('eth_getTransactionReceipt', [hash])) as { status: string } | null;
  assert.equal(receipt?.status, '0x1');

  const today = await sender(['--no-mining']);
  for (const [nonce, first, second] of [
    [0n, legacy(5n), type2(6n)],
    [1n, type2(5n), legacy(6n)],
  ] as const) {
    assert.equal((await today.send(nonce, first)).said, 'accepted');
    const { hash, said } = await today.send(nonce, second);
    assert.equal(said, 'accepted');
    await today.node.rpc('evm_mine');
    assert.ok(await today.node.rpc('eth_getTransactionReceipt', [hash]), 'the replacement is mined');
  }
});
