import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/base/problems.ts';
import { createApp } from '../../src/features/apps/create-app.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { listKeys, USUAL_KEY } from '../../src/identity/app-keys.ts';
import { asDeveloper, OPERATOR } from '../../src/service/managers.ts';
import { createPerson, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const countRefused = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.filter((result) => {
    if (result.status === 'fulfilled') return false;
    assert.ok(result.reason instanceof Problem && result.reason.code === 'limit-reached', String(result.reason));
    return true;
  }).length;

test('limits of a developer hold for concurrent calls', async (t) => {
  const s = await sharedService(t);

  await t.test('at most two active keys of a kind', async () => {
    const app = await s.createApp();
    for (const key of [USUAL_KEY, { kind: 'client' } as const]) {
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, () => issueKey(s.service, OPERATOR, app.id, key)),
      );
      // One key of each kind was created with the app.
      assert.equal(countRefused(results), 7);
    }
    const kinds = (await listKeys(s.service.db, app.id, { living: true })).map(({ kind }) => kind).sort();
    assert.deepEqual(kinds, ['client', 'client', 'server', 'server']);
  });

  await t.test('at most twenty apps', async () => {
    const { userId } = await createPerson(s);
    const developer = asDeveloper((await signIn(s, userId)).session);
    const details = {
      name: 'A game',
      redirectUris: [],
      frameAncestors: [],
      resultOrigins: [],
      topUpUrl: null,
      publicClient: false,
    };
    const results = await Promise.allSettled(
      Array.from({ length: 24 }, () => createApp(s.service, developer, details)),
    );
    assert.equal(countRefused(results), 4);
  });
});
