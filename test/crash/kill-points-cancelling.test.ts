import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEventSelector } from 'viem';
import type { RequestId, TransferId } from '../../src/base/ids.ts';
import { findTransfersOfRequests, nonceOf } from '../../src/settlement/tables/transfers.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { commit, crashCases } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { openStage, provokeDeath, type Stage } from '../kit/service/crash-stage.ts';
import { cancellations, unsent } from '../kit/unit/signed.ts';
import { until } from '../kit/unit/until.ts';
import { ageTransactions } from '../rows/transfers.ts';

const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)');
const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const CANCELLING = 'SET cancelling = true';
const AFTER = { after: 'after' } as const;
const BEFORE = { before: 'before' } as const;
const VERDICT = 'DELETE FROM open_transfers';

type Stuck = { readonly id: TransferId; readonly nonce: string };

/** Makes a transfer that the node has forgotten, with no service to send it again: time to cancel it. */
async function stuckTransfer(stage: Stage): Promise<Stuck> {
  const { world, client } = stage;
  const service = await stage.service();
  await world.mine(false);
  const { answer } = await client.one(service.origin, 'pay');
  assert.equal(answer?.outcome, 'paid');
  const { db } = await world.operator();
  await until('it is sent', async () => (await unsent(db)).length === 0);
  await service.kill();
  await world.evm.rpc('anvil_dropAllTransactions');
  await world.mine(true);
  await world.leasesRunOut();
  const [transfer] = await findTransfersOfRequests(db, [answer.requestId as RequestId]);
  return { id: transfer!.id, nonce: nonceOf(transfer!) };
}

/** It is paid or cancelled, never both and never neither, and the ledger agrees. */
async function assertDecidedOnce({ world }: Stage, { id, nonce }: Stuck): Promise<string> {
  const service = await world.operator();
  const logs = (await world.evm.rpc('eth_getLogs', [
    { fromBlock: '0x0', address: service.chain.contracts.token, topics: [[USED, CANCELED], null, nonce] },
  ])) as { topics: string[] }[];
  assert.equal(logs.length, 1);
  const [transfer] = await service.db.query<{ status: string }>('SELECT status FROM transfers WHERE id = $1', [id]);
  assert.equal(transfer?.status, logs[0]!.topics[0] === USED ? 'completed' : 'failed');
  await assertLedgerIsChain(service);
  return transfer!.status;
}

/** Everything is settled, so each cancellation was sent. */
async function cancellationsOf({ world }: Stage, { id }: Stuck): Promise<number> {
  const { db } = await world.operator();
  return (await cancellations(db)).filter(({ payload }) => payload.includes(id)).length;
}

test('kill -9 while a transfer is cancelled: it is paid or cancelled, never both', {
  skip: notInTurn(4, 'kills of a cancellation'),
}, async (t) => {
  const stage = await openStage(t);
  const { world } = stage;

  for (const when of Object.values(crashCases<KillPoint['when']>(AFTER, BEFORE))) {
    await t.test(`the command dies ${when} its COMMIT`, async () => {
      const stuck = await stuckTransfer(stage);
      const output = await world.command(['transfers', 'cancel', stuck.id], commit(when, CANCELLING));
      assert.match(output, /^killed: /m);
      await world.leasesRunOut();
      await stage.service();
      await world.settled();
      const status = await assertDecidedOnce(stage, stuck);
      // After it, the payment and its cancellation are both sent again, and the chain shows which came first.
      if (when === 'before') assert.equal(status, 'completed');
      assert.equal(await cancellationsOf(stage, stuck), when === 'before' ? 0 : 1);
    });
  }

  // Before it the ledger has not changed, as if the service died while the cancellation was on its way.
  for (const when of Object.values(crashCases<KillPoint['when']>({}, { ...AFTER, ...BEFORE }))) {
    await t.test(`the service dies ${when} the COMMIT that posts the cancellation`, async () => {
      const stuck = await stuckTransfer(stage);
      await world.command(['transfers', 'cancel', stuck.id]);
      // However slow this machine is, the payment is not sent again before the cancellation is in a block.
      const { db } = await world.operator();
      await ageTransactions(db, '-1 hour');
      const doomed = await world.start({ killPoint: commit(when, VERDICT) });
      await provokeDeath(doomed, commit(when, VERDICT), async (service) => service.exited);
      await ageTransactions(db, '1 hour');
      await world.leasesRunOut();
      await stage.service();
      await world.settled();
      assert.equal(await assertDecidedOnce(stage, stuck), 'failed');
    });
  }
});
