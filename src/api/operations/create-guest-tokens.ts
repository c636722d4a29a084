import { giveGuestTokens } from '../../features/guests/create-guest.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { GuestsOut, guestsOut } from '../schemas/guest.ts';
import { EmptyBody, readUserId, UserPath } from '../schemas/inputs.ts';

/** POST /v1/guests/{id}/tokens: new tokens for a guest of the app. Earlier tokens keep working. An array of one. */
export function createGuestTokensRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'guest-tokens');
  const route = describe(
    gate,
    {
      operationId: 'createGuestTokens',
      tag: 'Guests',
      summary: 'Create new tokens for a guest',
      description: 'For a guest of the app. The newest 20 pairs of tokens keep working.',
      problems: ['not-found'],
      idempotent: true,
    },
    { params: UserPath, body: EmptyBody, response: { 200: GuestsOut } },
  );
  api.post('/guests/:id/tokens', route, async (request, reply) => {
    const caller = gate.caller(request);
    const idempotency = readIdempotencyKey(request, caller);
    const guest = await giveGuestTokens(service, caller, readUserId(request.params.id), idempotency);
    markReplay(reply, guest);
    return guestsOut(guest);
  });
}
