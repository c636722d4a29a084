/** What the OP Stack takes beside gas, on a node that takes it. `isNamed`: its receipts say it, without which it cannot be counted. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { listActiveRelayers } from '../../src/chain/relayers.ts';
import { connectRpc } from '../../src/chain/rpc.ts';
import { readBalanceWei } from '../../src/chain/state.ts';
import { gasFor } from '../../src/chain/token.ts';
import { gasCounter } from '../../src/settlement/count-gas.ts';
import { gasState, watchGas } from '../../src/settlement/gas.ts';
import { limitsOf } from '../../src/settlement/gas-limits.ts';
import { gasToCount, readGasDays } from '../../src/settlement/tables/gas-days.ts';
import { askForL1 } from '../kit/service/op.ts';
import { relayerOf, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { until } from '../kit/unit/until.ts';

/** Where the L1 fee goes, and the operator's. */
const VAULTS = ['0x420000000000000000000000000000000000001a', '0x420000000000000000000000000000000000001b'];
const NEVER = 2n ** 62n;

const weiOf = ({ faulty }: Scenario, address: string) =>
  readBalanceWei(connectRpc([faulty.evm.url]), asAddress(address));

const sum = (all: readonly bigint[]) => all.reduce((total, one) => total + one, 0n);

/** Once all there is is final and counted: the book, what the relayers have left, and what each vault has. */
async function accountsOf(s: Scenario) {
  const { db } = s.service;
  await s.calm();
  await s.faulty.mine(2);
  const relayers = (await listActiveRelayers(db)).map(({ address }) => address);
  await until('all is counted', async () => {
    await gasCounter(s.service)();
    const due = await Promise.all(relayers.map((relayer) => gasToCount(db, relayer, NEVER, 1)));
    return due.every(({ first, until }) => first >= until);
  });
  const days = await readGasDays(db, 'day', new Date(0), new Date(Date.UTC(9999)));
  return {
    booked: sum(days.map(({ wei }) => wei)),
    left: sum(await Promise.all(relayers.map((relayer) => weiOf(s, relayer)))),
    vaults: await Promise.all(VAULTS.map((vault) => weiOf(s, vault))),
  };
}

/** Transfers are paid once, and the book has every wei that their receipts name. */
export async function everyWeiIsBooked(t: TestContext, isNamed: boolean): Promise<void> {
  const s = await startScenario(t, { env: { FINAL_AFTER: '1', RELAYERS: '2', TRANSFERS_PER_TRANSACTION: '4' } });
  const before = await accountsOf(s);
  await s.completed(...(await Promise.all(Array.from({ length: 40 }, (_, i) => s.pay(i % 3, 1 + i)))));
  const after = await accountsOf(s);
  const [forL1, forOperator] = after.vaults.map((wei, i) => wei - before.vaults[i]!) as [bigint, bigint];
  assert.ok(forL1 > 0n && forOperator > 0n);
  const lost = before.left - after.left;
  assert.equal(after.booked - before.booked, isNamed ? lost : lost - forL1 - forOperator);
  assert.equal(s.service.settlement.rollupFee > 0n, isNamed);
  await s.prove();
}

/** A relayer that can pay for gas alone is short: its transfers wait, and are paid once. */
export async function gasAloneIsShort(t: TestContext, isNamed: boolean): Promise<void> {
  const s = await startScenario(t, { env: { FINAL_AFTER: '1' } });
  const { settings, settlement } = s.service;
  await askForL1(s.faulty.evm, { l1BaseFee: 10n ** 15n });
  await s.completed(await s.pay(0, 5));
  await accountsOf(s);
  const { gas, fees } = limitsOf(settlement, gasFor(settings.transfersPerTransaction));
  const forGas = gas * fees.maxFeePerGas;
  const relayer = await relayerOf(s);
  await s.faulty.evm.rpc('anvil_setBalance', [relayer, `0x${(2n * forGas).toString(16)}`]);
  await watchGas(s.service);
  assert.equal(settlement.gas, isNamed ? 'empty' : 'low');
  if (isNamed) {
    assert.ok(settlement.rollupFee > forGas);
    assert.equal(gasState(forGas + settlement.rollupFee, s.service), 'low');
  }

  await s.faulty.stopMining();
  const paid = await s.pay(1, 7);
  await until('it is sent', async () => (await s.faulty.waiting()).length > 0);
  // anvil drops it. EDR makes no block while it is there.
  await s.faulty.mine(3).catch(() => {});
  assert.equal(await s.faulty.evm.rpc('eth_getTransactionReceipt', [await s.txHashOf(paid)]), null);
  await s.faulty.evm.rpc('anvil_setBalance', [relayer, `0x${(10n ** 24n).toString(16)}`]);
  s.faulty.startMining();
  await s.completed(paid);
  await s.prove();
}
