import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { databaseFault } from '../../src/db/reachable.ts';
import { atEnd } from '../support/at-end.ts';
import { openGate } from '../support/crash-gate.ts';
import { createDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

async function openWay(t: Parameters<typeof createDatabase>[0]) {
  const url = new URL(await createDatabase(t));
  const gate = await openGate(Number(url.port));
  atEnd(t, () => gate.close());
  return { gate, url: Object.assign(url, { port: `${gate.port}` }).href };
}

test('a server that says nothing any more does not hold up the end of who listens to others', async (t) => {
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

test('a server that says nothing any more, after the connection was made, is a fault with a sentence', async (t) => {
  const { gate, url } = await openWay(t);
  gate.fallSilent('server_version_num');
  assert.match((await databaseFault(url)) ?? '', /can not be reached: /);
});
