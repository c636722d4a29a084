import { createGuest } from '../../features/guests/create-guest.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { GuestsOut, guestsOut } from '../schemas/guest.ts';
import { EmptyBody } from '../schemas/inputs.ts';

/** POST /v1/new-guest: makes a guest of the app. Answers 201 without Location, with an array of one. */
export function createGuestRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'guests');
  const route = describe(
    gate,
    {
      operationId: 'createGuest',
      tag: 'Guests',
      summary: 'Create a guest',
      problems: ['guest-limit', 'overloaded'],
      idempotent: true,
    },
    { body: EmptyBody, response: { 201: GuestsOut } },
  );
  api.post('/new-guest', route, async (request, reply) => {
    const caller = gate.caller(request);
    const guest = await createGuest(service, caller, readIdempotencyKey(request, caller));
    markReplay(reply, guest);
    return reply.code(201).send(guestsOut(guest));
  });
}
