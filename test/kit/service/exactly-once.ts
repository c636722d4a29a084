import assert from 'node:assert/strict';
import type { TransferId } from '../../../src/base/ids.ts';
import { hashColumn } from '../../../src/db/columns.ts';
import { after, type RequestStatus } from '../../../src/requests/states.ts';
import { readTransitions } from '../../rows/transitions.ts';
import { assertLedgerIsChain } from './audit.ts';
import type { Evm } from './evm.ts';
import type { Accepted } from './scenario.ts';
import type { TestService } from './service.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const CANCELED = '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81';
const USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';

type Log = { topics: [string, string, string]; data: string; transactionHash: string };
type TransferRow = {
  id: TransferId;
  request_id: string | null;
  from_address: string;
  to_address: string;
  amount: bigint;
  status: string;
  tx_hash: string;
  nonce: string;
};

/**
 * Proves, by the chain's own logs read straight from the node, that each stored transfer's authorization was used
 * exactly once, in the transaction that the transfer names, and moved exactly its amount from its payer to its
 * recipient. Nothing else moved except the initial supply and `outside` transfers. What is stored is what was accepted,
 * with completed requests.
 *
 * `cancelled`: transfers with a requested cancellation. Some of them may have failed instead, each by exactly one
 * cancelled authorization.
 */
export async function proveExactlyOnce(
  s: Pick<TestService, 'service'> & { readonly evm: Evm },
  accepted: readonly Accepted[],
  { outside = 0, cancelled = [] }: { outside?: number; cancelled?: readonly TransferId[] } = {},
): Promise<void> {
  const { service, evm } = s;
  const transfers = await service.db.query<TransferRow>(
    `SELECT id, request_id, from_address, to_address, amount, status, ${hashColumn('tx_hash')} AS tx_hash,
            ${hashColumn('authorization_nonce')} AS nonce FROM transfers ORDER BY id`,
  );
  // A payment that a reward pays in part has a second transfer, from the treasury.
  const requested = transfers.filter(({ request_id }) => request_id !== null);
  assert.deepEqual(
    [...new Set(requested.map(({ request_id }) => request_id))].sort(),
    accepted.map(({ requestId }) => requestId).sort(),
    'stored transfers are the accepted ones',
  );
  for (const { transferId } of accepted) assert.ok(requested.some(({ id }) => id === transferId));

  const logs = (await evm.rpc('eth_getLogs', [{ fromBlock: '0x0', address: service.chain.contracts.token }])) as Log[];
  const decidedBy = (event: string) =>
    new Map(
      logs
        .filter(({ topics }) => topics[0] === event)
        .map(({ topics, transactionHash }) => [topics[1] + topics[2], transactionHash]),
    );
  const [used, canceled] = [decidedBy(USED), decidedBy(CANCELED)];
  assert.equal(used.size + canceled.size, transfers.length, 'one used or cancelled authorization for each transfer');
  for (const { id, from_address, status, tx_hash, nonce } of transfers) {
    if (status === 'failed') assert.ok(cancelled.includes(id), `nobody cancelled transfer ${id}`);
    else assert.equal(status, 'completed', `transfer ${id}`);
    const decisions = status === 'failed' ? canceled : used;
    assert.equal(decisions.get(topic(from_address) + nonce), tx_hash, `transaction of transfer ${id}`);
  }
  const moved = logs
    .filter(({ topics: [kind, from] }) => kind === TRANSFER && BigInt(from) !== 0n)
    .map(({ topics: [, from, to], data }) => `${from} ${to} ${BigInt(data)}`);
  const paid = transfers.filter(({ status }) => status === 'completed');
  const meant = paid.map(
    ({ from_address, to_address, amount }) => `${topic(from_address)} ${topic(to_address)} ${amount}`,
  );
  for (const one of meant) {
    const at = moved.indexOf(one);
    assert.ok(at >= 0, `not on chain: ${one}`);
    moved.splice(at, 1);
  }
  assert.equal(moved.length, outside, `moved without a transfer: ${moved}`);

  await assertAmountsAreRight(s);
  await assertRequestsAreRight(s);
  await assertRowsBelongTogether(s);
  await assertLedgerIsChain(service);
}

/** The transfers of a request add up to what was asked for. */
async function assertAmountsAreRight({ service: { db } }: Pick<TestService, 'service'>): Promise<void> {
  const wrong = await db.query(
    `SELECT requests.id, requests.amount, sum(transfers.amount) FROM requests JOIN transfers ON request_id = requests.id
      GROUP BY 1, 2 HAVING requests.amount <> sum(transfers.amount) OR count(*) > 2`,
  );
  assert.deepEqual(wrong, [], 'requests of another amount than their transfers');
}

/**
 * Every request has the status of its transfers, or is pending if its approval was refused. It got there by transitions
 * of the one table, each starting where the one before ended.
 */
async function assertRequestsAreRight({ service: { db } }: Pick<TestService, 'service'>): Promise<void> {
  const requests = await db.query<{ id: string; status: string; right: string }>(
    `SELECT id, status,
            coalesce((SELECT CASE WHEN bool_and(status = 'completed') THEN 'completed'
                                  WHEN bool_or(status IN ('approved', 'submitted')) THEN 'submitted' ELSE 'failed' END
                        FROM transfers WHERE request_id = requests.id HAVING count(*) > 0), 'pending') AS "right"
       FROM requests`,
  );
  const reached = new Map<string, RequestStatus>();
  for (const { requestId, event, to } of await readTransitions(db, null)) {
    const before = reached.get(requestId);
    if (event === 'create') assert.equal(before, undefined, `request ${requestId} before ${event}`);
    else assert.ok(before && after(before, event), `request ${requestId} before ${event}: ${before}`);
    reached.set(requestId, to);
  }
  for (const { id, status, right } of requests) {
    assert.equal(status, right, `request ${id}`);
    assert.equal(reached.get(id), status, `moves of request ${id}`);
  }
}

/**
 * The database has no foreign keys between these rows: each names others that exist. Each transfer is in the payload of the transactions
 * that it names, and those of a payload name it. Settled transfers are not open.
 */
async function assertRowsBelongTogether({ service: { db } }: Pick<TestService, 'service'>): Promise<void> {
  const wrong = await db.query(
    `WITH carriers AS (
       SELECT id, relayer, relayer_nonce AS nonce FROM transfers UNION SELECT transfer_id, relayer, nonce FROM further_transactions),
     payloads AS (SELECT DISTINCT unnest(payload) AS id, relayer, nonce FROM transactions)
     SELECT 'carried' AS what, id FROM ((TABLE carriers EXCEPT TABLE payloads) UNION (TABLE payloads EXCEPT TABLE carriers)) AS differing
     UNION ALL SELECT 'request', id FROM transfers
      WHERE request_id IS NOT NULL AND NOT EXISTS (SELECT FROM requests WHERE requests.id = request_id)
     UNION ALL SELECT 'refunded', id FROM requests AS refund
      WHERE refund_of IS NOT NULL AND NOT EXISTS (SELECT FROM requests WHERE requests.id = refund.refund_of)
     UNION ALL SELECT 'open', transfer_id FROM open_transfers
     UNION ALL SELECT 'pending', coalesce(request_id, requests.id)
       FROM pending_requests FULL JOIN (SELECT id FROM requests WHERE status = 'pending') AS requests ON requests.id = request_id
      WHERE request_id IS NULL OR requests.id IS NULL`,
  );
  assert.deepEqual(wrong, [], 'rows that do not belong together');
}

const topic = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;
