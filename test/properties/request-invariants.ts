import assert from 'node:assert/strict';
import { type RequestEvent, TRANSITIONS } from '../../src/requests/states.ts';
import type { Tables } from './tables.ts';

type Request = Tables['requests'][number];

/** What a request has recorded: each event with its actor and time, and the status it led to. */
export function transitionsOf({ transitions, transition_times }: Request) {
  return transitions.map((transition, i) => {
    const [event, actor] = transition.split(' ') as [RequestEvent | 'create', string];
    const to = event === 'create' ? null : TRANSITIONS[event].to;
    return { event, actor, at: transition_times[i]!, to };
  });
}

/**
 * Whether its rows were made again because the chain shows it as paid: it is then as old as a block, which has whole seconds. One that the
 * copy had was asked for in between.
 */
const wasFound = ({ transitions, transition_times: [made] }: Request) =>
  transitions[1] === 'recover chain' && !made!.includes('.');

/** Statuses change as the one table says, and times never go back. Requests that wait are listed. */
export function transitionsAreLegal({ requests, pending_requests }: Tables): void {
  for (const request of requests) {
    const { id, status, source } = request;
    let at: string | null = null;
    let last = -Infinity;
    for (const [i, { event, actor, at: time, to }] of transitionsOf(request).entries()) {
      assert.equal(event === 'create', i === 0, `${event} of ${id}`);
      if (event === 'create') at = source === 'user' || wasFound(request) ? 'pending' : 'approved';
      else {
        assert.ok(
          (TRANSITIONS[event].from as readonly string[]).includes(at!),
          `${event} of ${id} may not leave ${at}`,
        );
        at = to;
      }
      assert.match(actor, /^((user|app):.+|operator|chain|clock)$/);
      const moment = Date.parse(time);
      assert.ok(moment >= last, `${event} of ${id} was at ${time}, before what it follows`);
      last = moment;
    }
    assert.equal(status, at, `request ${id} is where its transitions ended`);
    // It is recorded with what follows it. Only a reorganisation makes a request submitted for longer.
    assert.notEqual(
      transitionsOf(request).at(-1)?.event,
      'submit',
      `request ${id} was submitted, and nothing followed`,
    );
  }
  const waiting = requests.filter(({ status }) => status === 'pending');
  assert.deepEqual(
    [...pending_requests].sort((a, b) => (a.request_id < b.request_id ? -1 : 1)),
    waiting
      .map(({ id, user_id, app_id, expires_at }) => ({ request_id: id, user_id, app_id, expires_at }))
      .sort((a, b) => (a.request_id < b.request_id ? -1 : 1)),
    'the requests that wait for their user are listed',
  );
}

/**
 * Each transition that apps are notified of has its event, in the same order, and there is no other event. Apps know already of requests whose
 * rows were made again.
 */
export function everyTransitionHasItsEvent({ requests, transfers, events }: Tables): void {
  const byRequest = Map.groupBy(events, ({ request_id }) => request_id);
  const transfersOf = Map.groupBy(transfers, ({ request_id }) => request_id);
  for (const request of requests) {
    const { id, app_id, source, sequence, status } = request;
    const isMadeAgain = wasFound(request);
    const notified = transitionsOf(request).flatMap(({ event }, i) => {
      const word = event === 'create' || (isMadeAgain && i === 1) ? null : TRANSITIONS[event].notified;
      return word ? [`${source === 'user' ? 'request' : 'transfer'}.${word}`] : [];
    });
    const own = (byRequest.get(id) ?? []).sort((a, b) => a.sequence - b.sequence);
    assert.deepEqual(
      own.map(({ type }) => type),
      notified,
      `the events of ${id} are its transitions`,
    );
    assert.deepEqual([own.map((event) => event.sequence), sequence], [notified.map((_, i) => i + 1), notified.length]);
    for (const [i, { id: eventId, type, position, app_id: to, tx_hash }] of own.entries()) {
      const before = own[i - 1];
      const isBehind = !before || position > before.position || (position === before.position && eventId > before.id);
      assert.ok(isBehind, 'events are read in their order');
      assert.equal(to, app_id);
      assert.equal(tx_hash === null, /declined|expired|cancelled/.test(type), `the transaction of ${type} of ${id}`);
    }
    if (['completed', 'failed'].includes(status) && own.length > 0) {
      // Apps are told of the transaction that the request then shows: that of its first transfer.
      const [first] = [...transfersOf.get(id)!].sort((a, b) => (a.id < b.id ? -1 : 1));
      assert.equal(own.at(-1)!.tx_hash, first!.tx_hash, `the transaction of the last event of ${id}`);
    }
    byRequest.delete(id);
  }
  assert.equal(byRequest.size, 0, 'there is no event of anything else');
}
