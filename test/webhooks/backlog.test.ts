import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AppId, type EndpointId, newEndpointId, newEventId } from '../../src/base/ids.ts';
import { openDatabase, type Queries, type Query } from '../../src/db/database.ts';
import { PER_ENDPOINT } from '../../src/features/webhooks/delivery-lines.ts';
import { DueEndpoints } from '../../src/features/webhooks/due-endpoints.ts';
import { findDueEndpoints, markDelivered, takeDueDeliveries } from '../../src/webhooks/deliveries.ts';
import { insertEvents } from '../../src/webhooks/events.ts';
import { insertEndpoint } from '../../src/webhooks/webhook-endpoints.ts';
import { holdAnswers, startReceiver } from '../kit/service/receiver.ts';
import { startTestService } from '../kit/service/service.ts';
import { addHook, deliveriesTo, PRIVATE_TARGETS } from '../kit/service/webhooks.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { ago } from '../rows/times.ts';
import { changeDeliveries } from '../rows/webhooks.ts';

const WAITING = 80_000;

/** The test rolls back, so no loop sends these events. */
class RolledBack extends Error {}

const endpointOf = (appId: AppId) => ({
  ...{ id: newEndpointId(), appId, url: 'https://game.example/', types: null },
  sealedSecret: Buffer.from('never opened'),
});

test('a large backlog of one endpoint is not read in full each time', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  const plans: string[] = [];
  const looking = s.service.db.transaction(async (tx) => {
    const { query } = tx;
    const { id } = await insertEndpoint(tx, endpointOf(app.id));
    const event = { appId: app.id, type: 'request.expired', sequence: 1, subject: { data: {} } } as const;
    await insertEvents(
      tx,
      Array.from({ length: WAITING }, () => ({ ...event, id: newEventId() })),
    );
    await query('ANALYZE deliveries, events, webhook_endpoints');
    const explain: Query = async (text, values) => {
      const rows = await query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return [];
    };
    await findDueEndpoints({ query: explain });
    await takeDueDeliveries({ query: explain }, [{ id, most: PER_ENDPOINT, underWay: 0, slow: false }]);
    throw new RolledBack();
  });
  await assert.rejects(looking, RolledBack);
  assert.equal(plans.length, 2);
  for (const plan of plans) {
    assert.match(plan, /deliveries_due/);
    assert.doesNotMatch(plan, /Seq Scan on (deliveries|events)/, plan);
  }
});

test('outcomes are recorded without reading what else is due', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  let plan = '';
  const looking = s.service.db.transaction(async (tx) => {
    const { query } = tx;
    const { id: endpointId } = await insertEndpoint(tx, endpointOf(app.id));
    const event = { appId: app.id, type: 'request.expired', sequence: 1, subject: { data: {} } } as const;
    const happen = (count: number) =>
      insertEvents(
        tx,
        Array.from({ length: count }, () => ({ ...event, id: newEventId() })),
      );
    await happen(WAITING);
    await changeDeliveries(tx, { endpointId: [endpointId] }, { nextAttemptAt: null, deliveredAt: new Date() });
    // The planner expects that nothing is due, as is usual.
    await query('ANALYZE deliveries');
    await happen(1_000);
    const due = await takeDueDeliveries(tx, [{ id: endpointId, most: 100, underWay: 0, slow: false }]);
    const explain: Query = async (text, values) => {
      const rows = await query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return [];
    };
    await markDelivered(
      { query: explain },
      due.map((delivery) => ({ delivery, status: 204, milliseconds: 1 })),
    );
    throw new RolledBack();
  });
  await assert.rejects(looking, RolledBack);
  assert.doesNotMatch(plan, /deliveries_due|Seq Scan on deliveries/, plan);
});

test('the app with the fewest deliveries under way comes before the one that waits longest', async (t) => {
  const s = await startTestService(t);
  const apps = [await s.createApp(), await s.createApp()] as const;
  const looking = s.service.db.transaction(async (tx) => {
    const endpoint = async (app: 0 | 1) => (await insertEndpoint(tx, endpointOf(apps[app].id))).id;
    const [held, behind, newcomer] = [await endpoint(0), await endpoint(0), await endpoint(1)];
    const event = { type: 'request.expired', sequence: 1, subject: { data: {} } } as const;
    const events = [0, 0, 0, 1].map((app) => ({ ...event, id: newEventId(), appId: apps[app]!.id }));
    await insertEvents(tx, events);
    await changeDeliveries(tx, { endpointId: [held, behind] }, { nextAttemptAt: ago('1 hour') });
    const underWay = (count: number, slow: boolean) => ({ count, share: 2, slow, appId: apps[0].id });
    const taken = async (busy: EndpointId[], slow: EndpointId[], healthy: number, failing: number) => {
      const here = new Map(
        [...busy, ...slow].map((id) => [id, underWay(busy.includes(id) ? 1 : 0, slow.includes(id))]),
      );
      const wanted = await new DueEndpoints(tx).choose(here, new Set(), { healthy, failing });
      const due = await takeDueDeliveries(tx, wanted);
      return due.map(({ endpointId }) => endpointId);
    };

    assert.deepEqual(await taken([], [held], 0, 50), [held], 'a slow one gets a place of the failing, and one');
    assert.deepEqual(await taken([held], [held], 0, 50), []);
    // Counted per app, across its endpoints.
    assert.deepEqual(await taken([held], [], 1, 0), [newcomer]);
    assert.deepEqual(await taken([held], [held], 1, 0), [behind, behind, behind]);
    throw new RolledBack();
  });
  await assert.rejects(looking, RolledBack);
});

test('deliveries that were taken ahead for a quick endpoint are given back when the service stops', async (t) => {
  const s = await startTestService(t, { env: PRIVATE_TARGETS });
  const app = await s.createApp();
  const receiver = await startReceiver(t);
  const { id } = await addHook(s, app.id, receiver.url);
  const event = { appId: app.id, type: 'request.expired', sequence: 1, subject: { data: {} } } as const;
  const happen = (times: number) => {
    const events = Array.from({ length: times }, () => ({ ...event, id: newEventId() }));
    return s.service.db.transaction((tx) => insertEvents(tx, events));
  };
  // However busy the machine is, the first answer takes no time.
  const now = performance.now();
  const clock = t.mock.method(performance, 'now', () => now);
  await happen(1);
  await until('it is known to be quick', async () => (await deliveriesTo(s, id)).every(({ delivered }) => delivered));
  clock.mock.restore();
  const held = holdAnswers(receiver);
  await happen(20);
  const attempts = async (db: Queries) =>
    (
      await db.query<{ attempts: number; over: boolean }>(
        'SELECT attempts, next_attempt_at IS NULL AS over FROM deliveries ORDER BY attempts',
      )
    ).map((row) => (row.over ? 'delivered' : row.attempts));
  await until('all are taken, and four are sent', async () => {
    return held.mostAtOnce(receiver.url) === 4 && (await attempts(s.service.db)).every((one) => one !== 0);
  });
  const db = openDatabase(s.databaseUrl);
  atEnd(t, () => db.close());
  const stopped = s.stop();
  await until('the others are given back', async () => (await attempts(db)).filter((one) => one === 0).length === 16);
  held.release();
  await stopped;
  assert.deepEqual(await attempts(db), [...Array(16).fill(0), ...Array(5).fill('delivered')]);
});
