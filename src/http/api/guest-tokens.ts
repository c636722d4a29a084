import { Type } from 'typebox';
import { giveGuestTokens } from '../../usecases/app/give-guest-tokens.ts';
import type { Service } from '../../usecases/service.ts';
import { appsOnly } from '../caller.ts';
import { EmptyBody, GuestsOut, guestsOut } from './guest-shape.ts';
import { readUserId } from './inputs.ts';
import type { Api } from './route.ts';

/** POST /v1/guests/{id}/tokens: new tokens for the app's own guest; those it has go on working. An array of one. */
export function guestTokens(api: Api, service: Service): void {
  const gate = appsOnly(service, 'guest-tokens');
  const schema = { params: Type.Object({ id: Type.String() }), body: EmptyBody, response: { 200: GuestsOut } };
  api.post('/guests/:id/tokens', { onRequest: gate.onRequest, schema }, async (request) =>
    guestsOut(await giveGuestTokens(service, gate.caller(request), readUserId(request.params.id))),
  );
}
