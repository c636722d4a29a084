import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openClosers } from '../../src/process/shutdown.ts';

test('parts are closed in reverse order, and a failure stops none of the others', async () => {
  const closed: string[] = [];
  const reported: unknown[] = [];
  const closers = openClosers((error) => reported.push(error));
  await closers.opened(() => void closed.push('lock'));
  await closers.opened(() => {
    throw new Error('at once');
  });
  await closers.opened(() => Promise.reject(new Error('later')));
  await closers.opened(async () => void closed.push('server'));
  await closers.close();
  assert.deepEqual(closed, ['server', 'lock']);
  assert.deepEqual(
    reported.map((error) => (error as Error).message),
    ['later', 'at once'],
  );
  await closers.close();
  assert.deepEqual(closed, ['server', 'lock'], 'once');
});

test('a part that is opened after closing has begun is closed at once, and its caller stops', async () => {
  const closed: string[] = [];
  const closers = openClosers(() => {});
  await closers.opened(() => void closed.push('first'));
  const closing = closers.close();
  await assert.rejects(
    closers.opened(async () => void closed.push('late')),
    /is being stopped/,
  );
  await closing;
  assert.deepEqual(closed.sort(), ['first', 'late']);
});
