import { type AppId, type EventId, newEventId, newRequestId } from '../../../src/base/ids.ts';
import type { EventType } from '../../../src/webhooks/event-types.ts';
import { insertEvents } from '../../../src/webhooks/events.ts';
import { ago } from '../../rows/times.ts';
import { changeDeliveries } from '../../rows/webhooks.ts';
import type { TestService } from './service.ts';

const OUTCOMES = {
  'request.completed': { attempts: 1, nextAttemptAt: null, deliveredAt: ago(), lastStatus: 204, lastMs: 41 },
  'request.declined': {
    attempts: 3,
    lastStatus: null,
    lastError: 'timeout',
    lastMs: null,
    lastFailedAt: ago('20 s'),
  },
  'request.failed': {
    ...{ attempts: 12, nextAttemptAt: null, lastStatus: 500, lastError: 'status', lastMs: 230, lastFailedAt: ago() },
    lastAnswer: '{"error":"<b>no such order</b>"}',
  },
} as const;

export type Outcome = keyof typeof OUTCOMES;

/**
 * Writes three events of an app, whose deliveries arrived, wait and failed, as if its endpoints were on the public internet.
 * Returns the ids.
 */
export async function fillDeliveries(
  { service: { db } }: TestService,
  appId: AppId,
): Promise<Record<Outcome, EventId>> {
  const types = Object.keys(OUTCOMES) as Outcome[];
  const ids = Object.fromEntries(types.map((type) => [type, newEventId()])) as Record<Outcome, EventId>;
  const eventOf = (type: Outcome) => {
    const data = { id: newRequestId(), tokens: 60, description: 'A shield', status: type.split('.')[1] };
    return { id: ids[type], appId, type: type as EventType, sequence: 2, subject: { data } };
  };
  await db.transaction(async (tx) => {
    await insertEvents(tx, types.map(eventOf));
    // Nobody may send them before.
    await changeDeliveries(tx, { eventId: types.map((type) => ids[type]) }, { nextAttemptAt: ago('-1 day') });
  });
  for (const type of types) await changeDeliveries(db, { eventId: ids[type] }, OUTCOMES[type]);
  return ids;
}
