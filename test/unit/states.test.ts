import assert from 'node:assert/strict';
import { test } from 'node:test';
import { after, type RequestEvent, type RequestStatus, TRANSITIONS } from '../../src/requests/states.ts';

const STATES: RequestStatus[] = [
  'pending',
  'approved',
  'submitted',
  'completed',
  'failed',
  'declined',
  'expired',
  'cancelled',
];

// Written out again, so that the table is not changed by accident.
const EXPECTED: Record<RequestEvent, Partial<Record<RequestStatus, RequestStatus>>> = {
  approve: { pending: 'approved' },
  decline: { pending: 'declined' },
  expire: { pending: 'expired' },
  cancel: { pending: 'cancelled' },
  submit: { approved: 'submitted' },
  complete: { approved: 'completed', submitted: 'completed' },
  recover: { pending: 'completed', declined: 'completed', expired: 'completed', cancelled: 'completed' },
  reorg: { completed: 'submitted', failed: 'submitted' },
  fail: { approved: 'failed', submitted: 'failed' },
};

test('every event in every state does exactly what the table says', () => {
  for (const event of Object.keys(TRANSITIONS) as RequestEvent[]) {
    for (const state of STATES) {
      assert.equal(after(state, event), EXPECTED[event][state] ?? null, `${event} in ${state}`);
    }
  }
});
