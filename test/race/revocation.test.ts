import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import { authenticate } from '../../src/features/sessions/authenticate.ts';
import { endKey, listKeys } from '../../src/identity/app-keys.ts';
import { revokeGuestTokens } from '../../src/identity/guest-tokens.ts';
import { deleteGrantsOfUser } from '../../src/oauth/records.ts';
import { tokenWith } from '../kit/service/oauth-token.ts';
import { createPerson } from '../kit/service/people.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const CALLERS = 20;
const ROUNDS = 5;

test('no call that arrives after the COMMIT of a revocation is admitted, while look-ups are shared', async (t) => {
  const s = await sharedService(t);
  const { service } = s;
  const { db } = (await startSecondService(t, s)).service;
  const game = await s.createApp();
  const credentials: Record<string, () => Promise<{ readonly secret: string; revoke(): Promise<unknown> }>> = {
    'server API key': async () => {
      const app = await s.createApp();
      const [key] = (await listKeys(db, app.id, { living: true })).filter(({ kind }) => kind === 'server');
      return { secret: app.serverKey, revoke: () => endKey(db, app.id, key!.id) };
    },
    "guest's access token": async () => {
      const { userId, accessToken } = await s.createGuest(game);
      return { secret: accessToken, revoke: () => db.transaction((tx) => revokeGuestTokens(tx, userId)) };
    },
    'OAuth access token': async () => {
      const { userId } = await createPerson(s);
      const secret = await tokenWith(service, userId, game.id, ['wallet']);
      return { secret, revoke: () => db.transaction((tx) => deleteGrantsOfUser(tx, userId)) };
    },
  };
  // Another caller keeps statements under way all the time.
  const other = await s.createGuest(game);

  for (const [kind, create] of Object.entries(credentials)) {
    await t.test(kind, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { secret, revoke } = await create();
        let isRevoked = false;
        let admitted = 0;
        const calling = Array.from({ length: CALLERS }, async () => {
          for (;;) {
            const cameAfter = isRevoked;
            const [outcome] = await Promise.allSettled([
              authenticate(service, secret),
              authenticate(service, other.accessToken),
            ]);
            if (outcome.status === 'rejected') {
              assert.ok(outcome.reason instanceof Problem && outcome.reason.code === 'token-invalid', outcome.reason);
              if (cameAfter) return;
            } else {
              assert.ok(!cameAfter, 'admitted after the revocation');
              // The revocation begins while look-ups are under way.
              if (++admitted === CALLERS * 3) {
                void revoke().then(() => {
                  isRevoked = true;
                });
              }
            }
          }
        });
        await Promise.all(calling);
      }
    });
  }
});
