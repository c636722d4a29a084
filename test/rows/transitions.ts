import { type RequestEvent, type RequestStatus, TRANSITIONS } from '../../src/requests/states.ts';
import type { Queries } from './statements.ts';

/** A transition as its request records it. `to`: the state that it led to. */
export type RecordedTransition = {
  readonly requestId: string;
  readonly event: 'create' | RequestEvent;
  readonly actor: string;
  readonly to: RequestStatus;
};

/** The recorded transitions of one request, or of all, oldest first. */
export async function readTransitions({ query }: Queries, requestId: string | null): Promise<RecordedTransition[]> {
  const rows = await query<{ requestId: string; source: string; transition: string }>(
    `SELECT id AS "requestId", source, transition
       FROM requests, unnest(transitions) WITH ORDINALITY AS made (transition, place)
      WHERE $1::uuid IS NULL OR id = $1 ORDER BY id, place`,
    [requestId],
  );
  return rows.map(({ requestId, source, transition }) => {
    const [event, actor] = transition.split(' ') as ['create' | RequestEvent, string];
    const created = source === 'user' ? 'pending' : 'approved';
    return { requestId, event, actor, to: event === 'create' ? created : TRANSITIONS[event].to };
  });
}

/**
 * The states that callers have seen a request in, oldest first. That a node has taken its transaction they see at once, and it is
 * recorded with the next transition.
 */
export async function statesOf(db: Queries, requestId: string): Promise<RequestStatus[]> {
  const states = (await readTransitions(db, requestId)).map(({ to }) => to);
  const [shown] = await db.query<{ taken: boolean }>(
    'SELECT EXISTS (SELECT FROM transfers JOIN broadcasts USING (relayer) WHERE request_id = $1 AND below > relayer_nonce) AS taken',
    [requestId],
  );
  return states.at(-1) === 'approved' && shown!.taken ? [...states, 'submitted'] : states;
}
