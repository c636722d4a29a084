import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asAdmin, PAUSE } from '../kit/service/admin.ts';
import { createDeveloper } from '../kit/service/developer.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { mineAtBaseFee } from '../kit/service/provoking.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { until } from '../kit/unit/until.ts';
import { changeApps } from '../rows/apps.ts';

/** A developer who owns the scenario's app. */
async function openConsole(s: Scenario) {
  const developer = await createDeveloper(s);
  await changeApps(s.service.db, { id: s.game.id }, { ownerId: developer.userId });
  const path = `/developer/apps/${s.game.id}/payments`;
  return {
    path,
    get: developer.get,
    /** What the page of a payment says, as text. */
    async textOf({ requestId }: Accepted) {
      const { body } = await developer.get(`${path}/${requestId}`);
      return body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    },
  };
}

describe('the page of a payment that met difficulties', { concurrency: 3 }, () => {
  test('a replaced transaction is listed beside the one that was mined, and both find the payment', async (t) => {
    const s = await startScenario(t, { env: { REPLACE_AFTER_BLOCKS: '3' } });
    const { path, get, textOf } = await openConsole(s);
    await s.faulty.stopMining();
    const paid = await s.pay(0, 10);
    await until('it waits', async () => (await s.faulty.waiting()).length === 1);
    assert.ok((await get(`${path}?status=on-its-way`)).body.includes(paid.requestId), 'it is found while it waits');
    await until('a replacement is mined', async () => {
      await mineAtBaseFee(s, 150n, 1);
      return (await s.attemptsOf(paid)).some(({ status }) => status === 'mined');
    });
    s.faulty.startMining();
    await s.completed(paid);
    const attempts = await s.attemptsOf(paid);
    const page = await textOf(paid);
    assert.match(page, /replaced/);
    assert.match(page, /mined in block/);
    for (const { hash } of attempts) {
      assert.ok(page.includes(hash));
      assert.equal((await get(`${path}?q=${hash}`)).headers.location, `${path}/${paid.requestId}`, hash);
    }
  });

  test('a failed payment says that nothing moved', async (t) => {
    const s = await startScenario(t);
    const { textOf } = await openConsole(s);
    await asAdmin(s, PAUSE);
    const paid = await s.pay(0, 10);
    await until('a transaction is mined in vain', async () => /mined without effect/.test(await textOf(paid)));
    await cancelTransfer(s.service, paid.transferId);
    await s.calm();
    const page = await textOf(paid);
    assert.match(page, /Failed: cancelled on the chain/);
    assert.match(page, /Nothing moved, and what was held for it can be spent again/);
    assert.match(page, /transfer\.failed/);
  });

  test('a payment that a reorganisation undid shows both completions', async (t) => {
    const s = await startScenario(t);
    const { path, get, textOf } = await openConsole(s);
    const paid = await s.pay(0, 10);
    await s.completed(paid);
    await s.calm();
    await s.faulty.stopMining();
    await s.faulty.reorganise(1);
    s.faulty.startMining();
    await until(
      'it is completed again',
      async () => (await s.movesOf(paid)).filter((to) => to === 'completed').length === 2,
    );
    const page = await textOf(paid);
    assert.match(page, /Completed on the chain.*Undone by a reorganisation.*Completed on the chain/);
    assert.match(page, /transfer\.completed.*transfer\.reorged.*transfer\.completed/);
    assert.equal((await get(`${path}?q=${await s.txHashOf(paid)}`)).headers.location, `${path}/${paid.requestId}`);
  });
});
