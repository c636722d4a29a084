import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { demoApp } from '../../local/demo-app.ts';
import { repeatStep } from '../../local/repeat-step.ts';
import { openDatabase } from '../../src/db/database.ts';
import { deleteApp } from '../../src/features/apps/delete-app.ts';
import { ensureDemoOwner } from '../../src/features/sessions/sign-in-link.ts';
import { listKeys } from '../../src/identity/app-keys.ts';
import { readApps } from '../../src/identity/apps.ts';
import { lookUpAccountOfApp } from '../../src/ledger/accounts.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { startCuttingProxy } from '../kit/unit/cutting-proxy.ts';
import { changeApps } from '../rows/apps.ts';

test('a first start that loses the replies to its COMMITs creates one demo app, funds it once, and its key works', async (t) => {
  const s = await startTestService(t, { env: { DEMO_APP: 'on' } });
  const proxy = await startCuttingProxy(s.databaseUrl);
  const db = openDatabase(proxy.url);
  atEnd(t, async () => {
    await db.close();
    proxy.close();
  });
  // The replies for the app, for one of its keys, and for one more transaction are lost.
  const step = () => {
    if (proxy.cuts < 3) proxy.cutNextCommit();
    return demoApp({ ...s.service, db });
  };
  const demo = await repeatStep(step, { log: s.service.log, ended: new AbortController().signal });
  assert.equal(proxy.cuts, 3);
  await s.settled();

  assert.deepEqual(
    (await readApps(s.service.db)).map(({ id, picture }) => [id, picture !== null]),
    [[demo?.id, true]],
  );
  assert.equal((await lookUpAccountOfApp(s.service.db, demo!.id))?.posted, 1_000_000n);
  await assertLedgerIsChain(s.service);
  const headers = { authorization: `Bearer ${demo?.serverKey}` };
  assert.equal((await s.app.inject({ url: `/v1/accounts/${demo?.address}/balance`, headers })).statusCode, 200);

  await t.test('it is called as the game is, also where an earlier release gave it another name', async () => {
    const game = await readFile('examples/arcade/public/index.html', 'utf8');
    const title = /<title>(.*)<\/title>/.exec(game)?.[1];
    const name = async () => (await readApps(s.service.db))[0]!.name;
    assert.equal(await name(), title);
    await changeApps(s.service.db, { id: demo!.id }, { name: 'Demo Arcade' });
    await demoApp(s.service);
    assert.equal(await name(), title);
  });

  await t.test('in development mode it then gets an owner, unless it has one, and keys that ask players', async () => {
    const development = { ...s.service, development: true };
    const ownerOf = async () => (await readApps(s.service.db))[0]!.ownerId;
    assert.equal(await ownerOf(), null);
    // The file with the keys is lost.
    await rm(join(s.service.settings.dataDir, 'demo-app.json'));
    await demoApp(development);
    assert.equal(await ownerOf(), await ensureDemoOwner(development));
    const keys = await listKeys(s.service.db, demo!.id, { living: true });
    assert.equal(keys.findLast(({ kind }) => kind === 'server')?.askPerDay, 100_000n);

    const { userId } = await createPerson(s);
    await changeApps(s.service.db, { id: demo!.id }, { ownerId: userId });
    await demoApp(development);
    assert.equal(await ownerOf(), userId);
    assert.equal((await lookUpAccountOfApp(s.service.db, demo!.id))?.posted, 1_000_000n);
  });

  await t.test(
    'once its owner has deleted it, later starts offer none, with the file of its keys or without',
    async () => {
      await deleteApp(s.service, OPERATOR, demo!.id);
      assert.equal(await demoApp(s.service), null);
      await rm(join(s.service.settings.dataDir, 'demo-app.json'));
      assert.equal(await demoApp(s.service), null);
    },
  );
});
