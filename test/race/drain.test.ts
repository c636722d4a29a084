import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { call } from '../kit/service/call.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const CALLS = 50;
const AMOUNT = 60;

/** `balanceOf(address)` of the token, at the newest block. */
async function onChain({ service }: TestService, address: string): Promise<bigint> {
  const data = `0x70a08231${address.slice(2).toLowerCase().padStart(64, '0')}`;
  return BigInt(await service.rpc.call<string>('eth_call', [{ to: service.chain.contracts.token, data }, 'latest']));
}

async function inLedger({ service }: TestService, address: string): Promise<{ posted: bigint; held: bigint }> {
  const [account] = await service.db.query<{ posted: bigint; held: bigint }>(
    'SELECT posted, held FROM accounts WHERE address = $1',
    [asAddress(address)],
  );
  return account!;
}

test('fifty concurrent payments never pay more than the account has', async (t) => {
  const tested = await sharedService(t);
  const { app, createApp, createGuest, issue, settled, service } = tested;
  const game = await createApp();
  for (let i = 0; i < 3; i++) await issue(game.id, 100);
  const guests = await Promise.all(Array.from({ length: 5 }, () => createGuest(game)));

  let running = true;
  const watcher = (async () => {
    let looks = 0;
    for (; running; looks++) {
      const [lowest] = await service.db.query<{ free: bigint }>(
        "SELECT min(posted - held)::bigint AS free FROM accounts WHERE kind IN ('user', 'app', 'treasury')",
      );
      assert.ok(lowest!.free >= 0n, `an account stood at ${lowest!.free}`);
    }
    return looks;
  })();

  const answers = await Promise.all(
    Array.from({ length: CALLS }, (_, i) =>
      call(app, `POST /v1/accounts/${game.address}/transfer`, {
        token: game.serverKey,
        body: { amount: AMOUNT, user: guests[i % guests.length]!.userId },
      }),
    ),
  );
  await settled();
  running = false;
  assert.ok((await watcher) > 0);

  const paid = answers.filter(({ statusCode }) => statusCode === 200).map((answer) => answer.json());
  assert.equal(paid.length, 5);
  assert.equal(new Set(paid.map(({ txId }) => txId)).size, 5);
  assert.equal(new Set(paid.map(({ requestId }) => requestId)).size, 5);
  const refused = answers.filter(({ statusCode }) => statusCode !== 200);
  assert.deepEqual(
    refused.map((answer) => `${answer.statusCode} ${answer.json().code}`),
    Array.from({ length: CALLS - 5 }, () => '402 insufficient-quarters'),
  );

  assert.deepEqual(await inLedger(tested, game.address), { posted: 0n, held: 0n });
  let sum = 0n;
  for (const { address } of [game, ...guests]) {
    const { posted, held } = await inLedger(tested, address);
    assert.equal(held, 0n);
    assert.equal(await onChain(tested, address), posted, 'ledger and chain agree');
    sum += posted;
  }
  assert.equal(sum, 300n);
  for (const { requestId, txId } of paid) {
    const request = await call(app, `GET /v1/requests/${requestId}`, { token: game.serverKey });
    assert.equal(request.json().status, 'completed');
    assert.equal(request.json().txId, txId);
  }
});
