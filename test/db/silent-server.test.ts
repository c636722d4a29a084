import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { databaseFault } from '../../src/db/database-fault.ts';
import { openGate } from '../kit/service/crash-gate.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

async function openWay(t: Parameters<typeof createDatabase>[0]) {
  const url = new URL(await createDatabase(t));
  const gate = await openGate(Number(url.port));
  atEnd(t, () => gate.close());
  return { gate, url: Object.assign(url, { port: `${gate.port}` }).href };
}

test('closing a listener does not wait for a server that no longer answers', async (t) => {
  const { gate, url } = await openWay(t);
  const [own, other] = [openDatabase(url), openDatabase(url)];
  let heard = 0;
  own.onAnnounced('mails', () => heard++);
  const others = own.hearOthers();
  await until('it listens', async () => {
    await other.notifyOthers(['mails']);
    return heard > 0;
  });
  await Promise.all([own.close(), other.close()]);
  gate.fallSilent();
  await others.close();
});

test('a server that stops answering after the connection is reported in one sentence', async (t) => {
  const { gate, url } = await openWay(t);
  gate.fallSilent('server_version_num');
  assert.match((await databaseFault(url)) ?? '', /cannot be reached: /);
});
