import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { makeNextRelease, NEXT_VERSION } from './next-release.ts';

test('a release that does not roll starts once the earlier one has stopped, which cannot start any more', async (t) => {
  const tree = await makeNextRelease(t, { rolls: false });
  const world = await openWorldFromSnapshot(t);
  const earlier = await world.startReady();
  const beside = await world.start({ seat: 1, tree });
  assert.deepEqual([beside.ready, (await beside.exited).code], [false, 1]);
  assert.match(
    beside.output(),
    new RegExp(`Version ${NEXT_VERSION} cannot run beside .*process ${earlier.pid}, since`),
  );
  assert.match(beside.output(), /Nothing was changed\./);
  assert.equal((await fetch(`${earlier.origin}/readyz`)).status, 200);
  await earlier.stop();

  const next = await world.startReady({ tree });
  const again = await world.start({ seat: 1 });
  assert.deepEqual([again.ready, (await again.exited).code], [false, 1]);
  const later = /The database belongs to a later release/;
  assert.match(again.output(), later);
  assert.match(await world.command(['apps', 'list']), later);
  await next.stop();
});
