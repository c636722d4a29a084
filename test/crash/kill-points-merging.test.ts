import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { createGuest } from '../../src/features/guests/create-guest.ts';
import { mergePaths } from '../../src/pages/guest/guest-merge.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { commit, crashCases } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { provokeDeath } from '../kit/service/crash-stage.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

const MERGING = crashCases<KillPoint>(
  { 'after the COMMIT that closes the guest': commit('after', 'UPDATE accounts SET merged_into') },
  {
    'before the COMMIT that closes the guest': commit('before', 'UPDATE accounts SET merged_into'),
    'before the COMMIT that accepts the transfer': commit('before', 'INSERT INTO transfers'),
    'after the COMMIT that accepts the transfer': commit('after', 'INSERT INTO transfers'),
  },
);

test('kill -9 while a guest is merged: its quarters move once, and the game gets its code', {
  skip: notInTurn(4, 'kills of a merge'),
}, async (t) => {
  const world = await openWorldFromSnapshot(t);
  let service = await world.startReady();
  const operator = await world.operator();
  const app = await world.createApp();
  for (const [name, point] of Object.entries(MERGING)) {
    await t.test(name, async () => {
      const guest = await createGuest(operator, asApp(app.id));
      const person = await createPerson({ service: operator });
      await world.issue(guest.userId, 70);
      await world.settled();
      const tokenHash = Buffer.from(hashSecret(guest.accessToken)).toString('base64url');
      const flow = { id: randomUUID(), appId: app.id, tokenHash, email: person.email };
      const path = mergePaths({ service: operator, path: '/guest' }, flow).mergePath;

      await service.arm(point);
      await provokeDeath(service, point, ({ origin }) => move(origin, path, person));
      await world.leasesRunOut();
      service = await world.startReady();
      // Their browser sends the form again.
      const answer = await move(service.origin, path, person);
      assert.equal(answer.status, 303, await answer.text());
      assert.match(answer.headers.get('location') ?? '', /[?&]code=[\w-]{43}/);

      const posted = async () => {
        const rows = await operator.db.query<{ userId: string; posted: bigint }>(
          'SELECT user_id AS "userId", posted FROM accounts WHERE user_id = ANY($1)',
          [[guest.userId, person.userId]],
        );
        return new Map(rows.map((row) => [row.userId, Number(row.posted)]));
      };
      await until('the quarters have moved', async () => (await posted()).get(person.userId) !== 0);
      await world.settled();
      assert.deepEqual([(await posted()).get(guest.userId), (await posted()).get(person.userId)], [0, 70]);
      await assertLedgerIsChain(operator);
    });
  }
});

/** Sends the form of the page that asks, as its owner's browser does. */
function move(origin: string, path: string, { cookie, csrf }: Person): Promise<Response> {
  const flow = new URL(path, origin).searchParams.get('flow')!;
  const body = new URLSearchParams({ csrf, page: path, flow });
  return fetch(`${origin}/guest/merge`, { method: 'POST', headers: { cookie }, body, redirect: 'manual' });
}
