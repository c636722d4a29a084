import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventIdFrom, newEventId } from '../../src/base/ids.ts';

test('ids of events of one process are UUIDs of version 7 in the order in which they were made', () => {
  const ids = Array.from({ length: 20_000 }, newEventId);
  const misplaced = ids.findIndex((id, i) => i > 0 && id <= ids[i - 1]!);
  assert.equal(misplaced, -1, `${ids[misplaced - 1]} ${ids[misplaced]}`);
  const milliseconds = new Set(ids.map((id) => id.slice(0, 13)));
  assert.ok(milliseconds.size < ids.length / 2, 'many were made in one millisecond');
  for (const id of ids)
    assert.match(eventIdFrom(id) ?? '', /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
