import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { joinProcesses } from '../../src/membership/join.ts';
import { leaveInOrder, takeMark } from '../../src/membership/left-in-order.ts';
import { forgetProcess, newProcess, renewWorking } from '../../src/membership/processes.ts';
import { tokenInFolder } from '../../src/process/order-token.ts';
import { isComparedByOthers } from '../../src/settlement/compared-by-others.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { changeMark } from '../rows/processes.ts';
import { ago } from '../rows/times.ts';

async function openOwn(t: TestContext) {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const folder = await mkdtemp(join(tmpdir(), 'quarters-order-'));
  atEnd(t, () => rm(folder, { recursive: true, force: true }));
  return { db, folder, keeper: tokenInFolder(join(folder, 'data')) };
}

test('after an orderly stop, the first start and no other knows the database to be the newest', async (t) => {
  const { db, keeper } = await openOwn(t);
  assert.equal(await takeMark(db, keeper), false, 'nobody has stopped');
  await leaveInOrder(db, newProcess(), keeper);
  assert.equal(await takeMark(db, keeper), true);
  assert.equal(await takeMark(db, keeper), false);
});

test('a copied data folder, another one, and an orderly stop of long ago do not show that the database is the newest', async (t) => {
  const { db, folder, keeper } = await openOwn(t);
  await leaveInOrder(db, newProcess(), keeper);
  await cp(join(folder, 'data'), join(folder, 'copy'), { recursive: true, preserveTimestamps: true });
  assert.equal(await takeMark(db, tokenInFolder(join(folder, 'copy'))), false);
  await leaveInOrder(db, newProcess(), keeper);
  await leaveInOrder(db, newProcess(), tokenInFolder(join(folder, 'other')));
  assert.equal(await takeMark(db, keeper), false);
  await leaveInOrder(db, newProcess(), keeper);
  await changeMark(db, {}, { leftAt: ago('16 minutes') });
  assert.equal(await takeMark(db, keeper), false);
});

test('only the last process of a database marks it as left in order', async (t) => {
  const { db, keeper } = await openOwn(t);
  const [one, other] = [newProcess(), newProcess()];
  for (const self of [one, other]) await joinProcesses(db, self);
  await leaveInOrder(db, one, keeper);
  assert.equal(await takeMark(db, keeper), false);
  await forgetProcess(db, other.id);
  await leaveInOrder(db, one, keeper);
  assert.equal(await takeMark(db, keeper), true);
});

test('a process that has compared the database vouches for it while it is seen alive, and not by what a copy has of it', async (t) => {
  const { db } = await openOwn(t);
  const [self, other] = [newProcess(), newProcess()];
  assert.equal(await isComparedByOthers({ db, self }), false);
  await joinProcesses(db, other);
  await renewWorking(db, other.id, true, {});
  assert.equal(await isComparedByOthers({ db, self }), false);
  const alive = setInterval(() => void renewWorking(db, other.id, true, {}), 100);
  try {
    assert.equal(await isComparedByOthers({ db, self }), true);
  } finally {
    clearInterval(alive);
  }
});
