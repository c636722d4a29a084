import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EndpointId, newEventId } from '../../src/base/ids.ts';
import type { Query } from '../../src/db/database.ts';
import { addEndpoint } from '../../src/features/webhooks/endpoints.ts';
import { takeDueDeliveries } from '../../src/webhooks/deliveries.ts';
import { insertEvents } from '../../src/webhooks/events.ts';
import { ago } from '../rows/times.ts';
import { changeDeliveries } from '../rows/webhooks.ts';
import { startTestService } from '../support/service.ts';

const WAITING = 80_000;

/** The test rolls back, so no loop sends these events. */
class RolledBack extends Error {}

test('a large backlog of one endpoint is not read in full each time', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  let plan = '';
  const looking = s.service.db.transaction(async (tx) => {
    const { query } = tx;
    await addEndpoint(s.service, tx, app.id, { url: 'https://game.example/', types: null });
    const event = { appId: app.id, type: 'request.expired', sequence: 1, data: {} } as const;
    await insertEvents(
      tx,
      Array.from({ length: WAITING }, () => ({ ...event, id: newEventId() })),
    );
    await query('ANALYZE deliveries, events, webhook_endpoints');
    const explain: Query = async (text, values) => {
      const rows = await query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return [];
    };
    await takeDueDeliveries({ query: explain }, { busy: new Map(), slow: new Set() }, 4, { healthy: 100, failing: 50 });
    throw new RolledBack();
  });
  await assert.rejects(looking, RolledBack);
  assert.match(plan, /deliveries_due/);
  assert.doesNotMatch(plan, /Seq Scan on (deliveries|events)/, plan);
});

test('the app with the fewest deliveries under way comes before the one that waits longest', async (t) => {
  const s = await startTestService(t);
  const apps = [await s.createApp(), await s.createApp()] as const;
  const looking = s.service.db.transaction(async (tx) => {
    const endpoint = async (app: 0 | 1) => {
      const hook = { url: 'https://game.example/', types: null };
      return (await addEndpoint(s.service, tx, apps[app].id, hook)).id as EndpointId;
    };
    const [held, behind, newcomer] = [await endpoint(0), await endpoint(0), await endpoint(1)];
    const event = { type: 'request.expired', sequence: 1, data: {} } as const;
    const events = [0, 0, 0, 1].map((app) => ({ ...event, id: newEventId(), appId: apps[app]!.id }));
    await insertEvents(tx, events);
    await changeDeliveries(tx, { endpointId: [held, behind] }, { nextAttemptAt: ago('1 hour') });
    const taken = async (busy: EndpointId[], slow: EndpointId[], healthy: number, failing: number) => {
      const here = { busy: new Map(busy.map((id) => [id, 1])), slow: new Set(slow) };
      const due = await takeDueDeliveries(tx, here, 2, { healthy, failing });
      return due.map(({ endpointId }) => endpointId);
    };

    assert.deepEqual(await taken([], [held], 0, 50), [held], 'a slow one gets a place of the failing, and one');
    assert.deepEqual(await taken([held], [held], 0, 50), []);
    // Counted per app, across its endpoints.
    assert.deepEqual(await taken([held], [], 1, 0), [newcomer]);
    assert.deepEqual(await taken([held], [held], 1, 0), [behind, behind]);
    throw new RolledBack();
  });
  await assert.rejects(looking, RolledBack);
});
