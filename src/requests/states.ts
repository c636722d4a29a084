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
 * The whole state machine of a request: from where each event moves it, and to where.
 * `told`: the word for it in the event that the app gets; null: the app is told nothing.
 * Nothing else in the program changes a request's status.
 */
export const MOVES = {
  approve: { from: ['pending'], to: 'approved', told: 'approved' },
  decline: { from: ['pending'], to: 'declined', told: 'declined' },
  expire: { from: ['pending'], to: 'expired', told: 'expired' },
  cancel: { from: ['pending'], to: 'cancelled', told: 'cancelled' },
  submit: { from: ['approved'], to: 'submitted', told: null },
  complete: { from: ['approved', 'submitted'], to: 'completed', told: 'completed' },
  reorg: { from: ['completed', 'failed'], to: 'submitted', told: 'reorged' },
  fail: { from: ['approved', 'submitted'], to: 'failed', told: 'failed' },
} as const satisfies Record<string, { from: readonly RequestStatus[]; to: RequestStatus; told: string | null }>;

export type RequestEvent = keyof typeof MOVES;

/** The state a request in `status` is in after `event`; null where the event does not apply. */
export function after(status: RequestStatus, event: RequestEvent): RequestStatus | null {
  const move = MOVES[event];
  return (move.from as readonly RequestStatus[]).includes(status) ? move.to : null;
}

/** Approved, and neither confirmed nor failed. */
export function isOnItsWay(status: RequestStatus): boolean {
  return status === 'approved' || status === 'submitted';
}

/** Who caused a move, as recorded: `user:…`, `app:…`, `operator`, `chain`, `clock`. */
export type Actor = `user:${string}` | `app:${string}` | 'operator' | 'chain' | 'clock';
