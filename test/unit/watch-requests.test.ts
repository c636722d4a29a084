import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { RequestId } from '../../src/base/ids.ts';
import type { Query } from '../../src/db/database.ts';
import type { RequestStatus } from '../../src/requests/states.ts';
import type { Service } from '../../src/service/service.ts';
import { type Progress, readProgress, watchRequests } from '../../src/views/requests/watch-requests.ts';

const [A, B, C] = ['a', 'b', 'c'] as unknown as [RequestId, RequestId, RequestId];

/** A watch whose looks and statuses the test controls. */
function startWatch(statuses: Record<string, RequestStatus>) {
  const asked: string[][] = [];
  let answering: Promise<void> = Promise.resolve();
  let away = false;
  const query = async (_text: string, [ids]: readonly unknown[] = []) => {
    asked.push([...(ids as string[])].sort());
    const rows = (ids as string[]).flatMap((id) => (statuses[id] ? [{ id, status: statuses[id] }] : []));
    await answering;
    if (away) throw new Error('The database is away');
    return rows;
  };
  const db = { query: query as unknown as Query } as Service['db'];
  let pauses = 0;
  let goOn = () => {};
  const watch = watchRequests({ db }, () => {
    pauses++;
    return new Promise((resolve) => {
      goOn = resolve;
    });
  });
  const notified: string[] = [];
  return {
    asked,
    notified,
    pauses: () => pauses,
    hold(until: Promise<void>) {
      answering = until;
    },
    fail(fails: boolean) {
      away = fails;
    },
    async watch(name: string, ...ids: RequestId[]) {
      const known = await readProgress({ db }, ids);
      asked.pop();
      return watch(known, (now: Progress) => {
        notified.push(
          `${name}: ${now.requests.map(({ id, status }) => `${id} ${status}`).join(', ')}${now.final ? '.' : ''}`,
        );
      });
    },
    async look() {
      goOn();
      await turn();
    },
  };
}

test('one look serves all watchers and reports only changes', async () => {
  const statuses: Record<string, RequestStatus> = { a: 'approved', b: 'submitted', c: 'submitted' };
  const s = startWatch(statuses);
  await s.watch('one', A);
  await s.watch('two', A, B);
  await s.watch('three', C);
  await s.look();
  assert.deepEqual([s.asked, s.notified], [[['a', 'b', 'c']], []]);
  statuses.a = 'completed';
  await s.look();
  await s.look();
  assert.equal(s.asked.length, 3);
  assert.deepEqual(s.notified, ['one: a completed.', 'two: a completed, b submitted']);
  Object.assign(statuses, { a: 'submitted', b: 'failed' });
  await s.look();
  assert.deepEqual(s.notified.slice(2), ['one: a submitted', 'two: a submitted, b failed']);
});

test('without watchers there is no look until one comes', async () => {
  const statuses: Record<string, RequestStatus> = { a: 'submitted' };
  const s = startWatch(statuses);
  assert.equal(s.pauses(), 0);
  const end = await s.watch('one', A);
  await s.look();
  end();
  await s.look();
  await s.look();
  // The current pause ended, and no other began.
  assert.deepEqual([s.asked.length, s.pauses()], [1, 2]);
  await s.watch('two', A);
  statuses.a = 'completed';
  await s.look();
  assert.deepEqual([s.asked.length, s.notified], [2, ['two: a completed.']]);
});

test('a watcher that comes or goes during a look does not get its result', async () => {
  const statuses: Record<string, RequestStatus> = { a: 'approved' };
  const s = startWatch(statuses);
  const end = await s.watch('goes', A);
  statuses.a = 'submitted';
  const { promise, resolve } = Promise.withResolvers<void>();
  s.hold(promise);
  await s.look();
  s.hold(Promise.resolve());
  statuses.a = 'completed';
  await s.watch('comes', A);
  end();
  resolve();
  await turn();
  assert.deepEqual(s.notified, []);
});

test('an unavailable database changes nothing and is asked again', async () => {
  const statuses: Record<string, RequestStatus> = { a: 'submitted' };
  const s = startWatch(statuses);
  await s.watch('one', A);
  s.fail(true);
  await s.look();
  assert.deepEqual(s.notified, []);
  s.fail(false);
  statuses.a = 'completed';
  await s.look();
  assert.deepEqual(s.notified, ['one: a completed.']);
});
