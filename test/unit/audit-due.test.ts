import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAuditDue } from '../../src/jobs/audit-loop.ts';

test('an audit is due once for all processes, and once after each start', () => {
  const every = 3_600;
  assert.equal(isAuditDue({ every, lastAge: null, up: 60 }), true, 'there was none');
  assert.equal(isAuditDue({ every, lastAge: 500, up: 60 }), true, 'none since this start');
  assert.equal(isAuditDue({ every, lastAge: 2, up: 60 }), false, 'another process has just made one');
  assert.equal(isAuditDue({ every, lastAge: 3_599, up: 90_000 }), false);
  assert.equal(isAuditDue({ every, lastAge: 3_600, up: 90_000 }), true);
});
