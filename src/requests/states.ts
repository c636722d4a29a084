export const REQUEST_STATUSES = [
  'pending',
  'approved',
  'submitted',
  'completed',
  'failed',
  'declined',
  'expired',
  'cancelled',
] as const;

export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/**
 * The state machine of a request: the states each event applies to, and the state it leads to.
 * `notified`: what the app's webhook event calls it; null if the app is not notified.
 * `recover` happens to a request of a restored database that the chain shows as paid.
 * `submit` happens when a node takes the transaction. Callers see it at once; it is recorded together with what follows it.
 * Nothing else in the program changes a request's status.
 */
export const TRANSITIONS = {
  approve: { from: ['pending'], to: 'approved', notified: 'approved' },
  decline: { from: ['pending'], to: 'declined', notified: 'declined' },
  expire: { from: ['pending'], to: 'expired', notified: 'expired' },
  cancel: { from: ['pending'], to: 'cancelled', notified: 'cancelled' },
  submit: { from: ['approved'], to: 'submitted', notified: null },
  complete: { from: ['approved', 'submitted'], to: 'completed', notified: 'completed' },
  recover: { from: ['pending', 'declined', 'expired', 'cancelled'], to: 'completed', notified: 'completed' },
  reorg: { from: ['completed', 'failed'], to: 'submitted', notified: 'reorged' },
  fail: { from: ['approved', 'submitted'], to: 'failed', notified: 'failed' },
} as const satisfies Record<string, { from: readonly RequestStatus[]; to: RequestStatus; notified: string | null }>;

export type RequestEvent = keyof typeof TRANSITIONS;

/** The state of a request in `status` after `event`; null if the event does not apply. */
export function after(status: RequestStatus, event: RequestEvent): RequestStatus | null {
  const { from, to } = TRANSITIONS[event];
  return (from as readonly RequestStatus[]).includes(status) ? to : null;
}

/** Approved, and neither completed nor failed. */
export function isOnItsWay(status: RequestStatus): boolean {
  return status === 'approved' || status === 'submitted';
}

/** Who caused a transition, as recorded: `user:…`, `app:…`, `operator`, `chain`, `clock`. */
export type Actor = `user:${string}` | `app:${string}` | 'operator' | 'chain' | 'clock';
