import assert from 'node:assert/strict';
import type { Worker } from 'node:cluster';
import { test } from 'node:test';
import { watchForHangs } from '../../src/wings/workers/process/hang-watch.ts';

test('a worker that leaves a minute of questions unanswered hangs; a late timer begins the minute anew', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const [silent, answering] = [{}, {}] as [Worker, Worker];
  const hung: Worker[] = [];
  const watch = watchForHangs(
    () => [silent, answering],
    (worker) => void hung.push(worker),
  );
  const ask = (times: number) => {
    for (let i = 0; i < times; i++) {
      now += 5_000;
      t.mock.timers.tick(5_000);
      watch.answered(answering);
    }
  };
  ask(12);
  // The machine slept for an hour.
  now += 3_600_000;
  ask(12);
  assert.deepEqual(hung, []);
  ask(1);
  assert.deepEqual(hung, [silent]);
  watch.stop();
});
