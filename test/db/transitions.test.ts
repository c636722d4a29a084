import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '../../src/base/address.ts';
import { type AppId, newRequestId, type RequestId, type UserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { openDatabase } from '../../src/db/database.ts';
import {
  countPending,
  findOutOfTime,
  findPendingRequestsOfUser,
  insertApprovedRequests,
  insertPendingRequests,
  lookUpRequest,
} from '../../src/requests/requests.ts';
import { approvedByApps, completedAt, storeTransitions } from '../../src/requests/transitions.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { letRequestExpire } from '../rows/requests.ts';
import { insertBroadcastRows, insertTransferRows } from '../rows/transfers.ts';

const APP = 'A'.repeat(20) as AppId;
const USER = 'u'.repeat(28) as UserId;
const ADDRESS = `0x${'2'.repeat(40)}` as Address;

test('transitions of requests', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());

  const newRequest = (source: 'user' | 'payout') => ({
    ...({ id: newRequestId(), appId: APP, userId: USER, source, from: ADDRESS, to: ADDRESS } as const),
    ...{ amount: asQuarters(5), description: '', ttlSeconds: 600 },
  });
  async function payout(nonce: number): Promise<RequestId> {
    const request = newRequest('payout');
    await insertApprovedRequests(db, [request]);
    const ends = { fromAddress: ADDRESS, toAddress: ADDRESS };
    await insertTransferRows(db, [{ ...ends, requestId: request.id, relayerNonce: nonce, status: 'approved' }]);
    return request.id;
  }
  const statusOf = async (id: RequestId) => (await lookUpRequest(db, id))?.status;
  const recorded = async (id: RequestId) => {
    const [row] = await db.query<{ status: string; sequence: number; transitions: string[]; times: Date[] }>(
      'SELECT status, sequence, transitions, transition_times AS times FROM requests WHERE id = $1',
      [id],
    );
    return row!;
  };
  const pending = () => db.transaction(async (tx) => (await insertPendingRequests(tx, [newRequest('user')]))[0]);

  await t.test('a request is submitted as soon as a node took its transaction, which is recorded later', async () => {
    const [first, second] = [await payout(7), await payout(8)];
    assert.equal(await statusOf(first), 'approved');
    await insertBroadcastRows(db, [{ below: 8 }]);
    assert.equal(await statusOf(first), 'submitted');
    assert.equal(await statusOf(second), 'approved');
    assert.deepEqual((await recorded(first)).transitions, [`create app:${APP}`]);

    const sentAt = new Date(Date.now() - 1000);
    const both = [first, second];
    const changed = await db.transaction((tx) =>
      storeTransitions(tx, both, 'complete', 'chain', [sentAt.toISOString(), null]),
    );
    assert.deepEqual(
      changed,
      both.map((id) => ({ id, appId: APP, source: 'payout', sequence: 1 })),
    );
    const { transitions, times } = await recorded(first);
    assert.deepEqual(transitions, [`create app:${APP}`, 'submit chain', 'complete chain']);
    assert.deepEqual(times[1], sentAt);
    assert.deepEqual((await recorded(second)).transitions, [`create app:${APP}`, 'complete chain']);
    assert.deepEqual((await completedAt(db, both)).get(first), times[2]);
  });

  await t.test('a payment that a reorganisation undoes is not recorded as submitted twice', async () => {
    const id = await payout(9);
    const future = new Date(Date.now() + 60_000).toISOString();
    const complete = () => db.transaction((tx) => storeTransitions(tx, [id], 'complete', 'chain', [future]));
    await complete();
    await db.transaction((tx) => storeTransitions(tx, [id], 'reorg', 'chain'));
    assert.equal(await statusOf(id), 'submitted');
    await complete();
    const { transitions, times, sequence } = await recorded(id);
    const made = transitions.map((transition) => transition.split(' ')[0]);
    assert.deepEqual(made, ['create', 'submit', 'complete', 'reorg', 'complete']);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a.getTime() - b.getTime()),
    );
    assert.equal(sequence, 3);
    assert.deepEqual((await completedAt(db, [id])).get(id), times[4]);
  });

  await t.test('a request waits for its user until it is decided, once, or out of time', async () => {
    const [one, two, three] = [await pending(), await pending(), await pending()];
    const pairs = [{ userId: USER, appId: APP }];
    assert.deepEqual([await countPending(db, pairs, 5), await countPending(db, pairs, 2)], [[3], [2]]);
    const waiting = async () => new Set(await findPendingRequestsOfUser(db, USER));
    assert.deepEqual(await waiting(), new Set([one!.id, two!.id, three!.id]));

    const decide = (event: 'approve' | 'decline') =>
      db.transaction((tx) =>
        storeTransitions(tx, [one!.id], event, event === 'approve' ? `app:${APP}` : `user:${USER}`),
      );
    const decisions = await Promise.all([decide('approve'), decide('decline')]);
    assert.equal(decisions.flat().length, 1);
    await letRequestExpire(db, two!.id);
    assert.equal(await statusOf(two!.id), 'expired');
    assert.deepEqual(await findOutOfTime(db, 10), [two!.id]);
    assert.deepEqual(await waiting(), new Set([three!.id]));
    await db.transaction((tx) => storeTransitions(tx, [two!.id, three!.id], 'expire', 'clock'));
    assert.deepEqual(await db.query('SELECT * FROM pending_requests'), []);
    const approved = decisions[0]!.length === 1 ? [one!.id] : [];
    assert.deepEqual([...(await approvedByApps(db, [one!.id, two!.id]))], approved);
  });

  await t.test('a transition changes a row in place', async () => {
    const ids = [await payout(20), await payout(21)];
    const [counts] = await db.transaction(async (tx) => {
      await storeTransitions(tx, ids, 'complete', 'chain', [new Date().toISOString(), null]);
      // Includes earlier transactions of the connection.
      return tx.query<{ updated: bigint; inPlace: bigint }>(
        `SELECT pg_stat_get_xact_tuples_updated('requests'::regclass) AS updated,
                pg_stat_get_xact_tuples_hot_updated('requests'::regclass) AS "inPlace"`,
      );
    });
    assert.ok(counts!.updated >= 2n);
    assert.equal(counts!.inPlace, counts!.updated);
  });
});
