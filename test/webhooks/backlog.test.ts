import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEndpointId } from '../../src/base/ids.ts';
import type { Query } from '../../src/db/database.ts';
import { takeDueDeliveries } from '../../src/webhooks/deliveries.ts';
import { startTestService } from '../support/service.ts';

const WAITING = 80_000;

/** What happens in here never did: no worker sends it. */
class RolledBack extends Error {}

test('an endpoint far behind does not have all deliveries read each time', async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  let plan = '';
  const looking = s.service.db.transaction(async ({ query }) => {
    const endpoint = newEndpointId();
    await query(
      `INSERT INTO webhook_endpoints (id, app_id, url, sealed_secret) VALUES ($1, $2, 'https://game.example/', '')`,
      [endpoint, app.id],
    );
    await query(
      `WITH stored AS (
         INSERT INTO events (id, app_id, type, sequence, data, position)
         SELECT gen_random_uuid(), $1, 'request.expired', 1, '{}', 1 FROM generate_series(1, $2) RETURNING id)
       INSERT INTO deliveries (event_id, endpoint_id) SELECT id, $3 FROM stored`,
      [app.id, WAITING, endpoint],
    );
    await query('ANALYZE deliveries, events, webhook_endpoints');
    const explain: Query = async (text, values) => {
      const rows = await query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      return [];
    };
    await takeDueDeliveries({ query: explain }, new Map(), 4, { healthy: 100, failing: 50 });
    throw new RolledBack();
  });
  await assert.rejects(looking, RolledBack);
  assert.match(plan, /deliveries_due/);
  assert.doesNotMatch(plan, /Seq Scan on (deliveries|events)/, plan);
});
