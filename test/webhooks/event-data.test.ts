import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, toChecksum } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { type AppId, newEventId, newRequestId, type UserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { openDatabase } from '../../src/db/database.ts';
import { lookUpRequest } from '../../src/requests/requests.ts';
import { withData } from '../../src/views/webhooks/event-data.ts';
import type { EventType } from '../../src/webhooks/event-types.ts';
import { eventJson, findEvent, insertEvents } from '../../src/webhooks/events.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { changeRequests, insertRequestRows } from '../rows/requests.ts';

const APP = 'A'.repeat(20) as AppId;
const USER = 'u'.repeat(28) as UserId;
const GAME = `0x${'ab'.repeat(20)}` as Address;
const TX_HASH = asHash(`0x${'c'.repeat(64)}`);
const SEEN: [EventType, string][] = [
  ['request.approved', 'approved'],
  ['request.declined', 'declined'],
  ['request.expired', 'expired'],
  ['request.cancelled', 'cancelled'],
  ['request.completed', 'completed'],
  ['request.reorged', 'submitted'],
  ['request.failed', 'failed'],
];

test('the data of an event', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const id = newRequestId();
  const row = {
    id,
    appId: APP,
    userId: USER,
    status: 'pending',
    toAddress: GAME,
    amount: 60,
    description: 'A <shield>',
  };
  await insertRequestRows(db, [row as typeof row & { status: 'pending' }]);

  async function store(type: EventType, subject: Parameters<typeof insertEvents>[1][number]['subject']) {
    const event = { id: newEventId(), appId: APP, type, sequence: 3, subject };
    await db.transaction((tx) => insertEvents(tx, [event]));
    return (await findEvent(db, event.id))!;
  }

  for (const [type, status] of SEEN) {
    await t.test(`of ${type} is the request as it was then, whatever happened since`, async () => {
      const stored = await store(type, { requestId: id, txHash: TX_HASH, refunded: asQuarters(20) });
      await changeRequests(db, { id }, { status: 'failed' });
      const { createdAt } = (await lookUpRequest(db, id))!;
      const time = (at: Date) => {
        const seconds = Math.floor(at.getTime() / 1000);
        return { seconds, nanoseconds: (at.getTime() % 1000) * 1_000_000, iso: at.toISOString() };
      };
      const data = {
        ...{ id, tokens: 60, appId: APP, appAddress: toChecksum(GAME), embedCode: id, description: 'A <shield>' },
        ...{ type: 'transfer', endpoint: `/v1/requests/${id}`, created: time(createdAt), userId: USER, status },
        ...{ txId: TX_HASH, completed: status === 'completed' ? time(stored.createdAt) : null, refunded: 20 },
        ...{ refundOf: null, sequence: 3 },
      };
      const [event] = await withData(db, [stored]);
      const expected = { type, timestamp: stored.createdAt.toISOString(), data };
      assert.equal(JSON.stringify(eventJson(event!)), JSON.stringify(expected));
    });
  }

  await t.test('is given with the event if it is not about a request, in the order of its fields', async () => {
    const unpaid = await store('request.declined', { requestId: id, txHash: null, refunded: asQuarters(0) });
    const guest = await store('guest.converted', { data: { zulu: 1, appId: APP, converted: { seconds: 1 } } });
    const events = await withData(db, [guest, unpaid]);
    const [first, second] = events.map((event) => eventJson(event));
    assert.equal(JSON.stringify(first!.data), `{"zulu":1,"appId":"${APP}","converted":{"seconds":1},"sequence":3}`);
    const { txId, refunded } = second!.data as { txId?: string; refunded?: number };
    assert.deepEqual([txId, refunded], [null, 0]);
  });
});
