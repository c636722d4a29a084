import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestId } from '../../src/base/ids.ts';
import { approveOrDecline } from '../../src/features/approvals/approve-or-decline.ts';
import { issueFormToken } from '../../src/features/approvals/page-access.ts';
import { createGuest, type NewGuest } from '../../src/features/guests/create-guest.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { addEndpoint } from '../../src/features/webhooks/manage-webhook-endpoints.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import type { Service } from '../../src/service/service.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { alone, commit, crashCases } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { provokeDeath } from '../kit/service/crash-stage.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { PRIVATE_TARGETS } from '../kit/service/webhooks.ts';
import { asApp, asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { letRetryTimePass } from '../rows/webhooks.ts';

/** Each point with the number of times that the receiver gets the event in the end. */
const POINTS = crashCases<[point: KillPoint, times: number]>(
  {
    'after the event is committed, before it is sent': [commit('after', 'INSERT INTO events'), 1],
    'after the event has arrived': [alone('before', 'UPDATE deliveries SET delivered_at'), 2],
  },
  {
    'before the event is committed': [commit('before', 'INSERT INTO events'), 1],
    'after the event is taken for delivery': [alone('after', 'UPDATE deliveries SET attempts'), 1],
  },
);

/** Here a start takes what is due, at its first look. */
const LOOKS = 'after the event is taken for delivery';

test('kill -9 while events are delivered: each arrives at least once', {
  skip: notInTurn(4, 'kills of webhooks'),
}, async (t) => {
  const receiver = await startReceiver(t);
  const world = await openWorldFromSnapshot(t, { env: PRIVATE_TARGETS });
  // The service that healed one kill is the next to be killed.
  let service = await world.startReady();
  const operator = await world.operator();
  const { id: appId } = await world.createApp();
  const guest = await createGuest(operator, asApp(appId));
  const settings = { ...operator.settings, webhookPrivateTargets: 'on' as const };
  await addEndpoint({ ...operator, settings }, { by: OPERATOR, appId }, { url: receiver.url, types: null });

  for (const [name, [point, times]] of Object.entries(POINTS)) {
    await t.test(name, async () => {
      const { id } = await createRequest(operator, asUser(guest.userId, appId), { tokens: 1, appId });
      if (name === LOOKS) {
        await service.kill();
        await declineUnserved(operator, guest, id);
        await provokeDeath(await world.start({ killPoint: point }), point, (process) => process.exited);
      } else {
        await service.arm(point);
        await provokeDeath(service, point, async (process) => {
          await decline(process.origin, guest, id);
          await process.exited;
        });
      }
      // A delivery that a dead process took is due again when its lease ends.
      await letRetryTimePass(operator.db);
      await world.leasesRunOut();
      service = await world.startReady();
      if (point.at === 'commit' && point.when === 'before') await decline(service.origin, guest, id);
      await until('it is delivered', async () => {
        const rows = await operator.db.query<{ delivered_at: Date | null }>('SELECT delivered_at FROM deliveries');
        return rows.length > 0 && rows.every(({ delivered_at }) => delivered_at !== null);
      });
      const received = receiver.received.filter(({ event }) => event.data.id === id);
      assert.equal(received.length, times);
      assert.equal(new Set(received.map((message) => message.id)).size, 1);
    });
  }
});

async function declineUnserved(operator: Service, { pageToken }: NewGuest, requestId: RequestId): Promise<void> {
  const formToken = issueFormToken(operator, requestId, pageToken);
  await approveOrDecline(operator, { requestId, formToken, session: null, decision: 'decline', nextTime: null });
}

async function decline(origin: string, { pageToken }: NewGuest, id: string): Promise<void> {
  const page = await fetch(`${origin}/requests/${id}?firebase_token=${pageToken}`);
  const token = /name="page_token" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const body = new URLSearchParams({ page_token: token, decision: 'decline' });
  await fetch(`${origin}/requests/${id}/decision`, { method: 'POST', body, redirect: 'manual' });
}
