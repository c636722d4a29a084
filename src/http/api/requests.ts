import { Type } from 'typebox';
import type { Service } from '../../usecases/service.ts';
import { createRequest } from '../../usecases/user/create-request.ts';
import { usersOnly } from '../caller.ts';
import { markReplay, readIdempotencyKey } from '../idempotency.ts';
import { describe } from './describe.ts';
import { AmountIn, AppIdIn, BODY } from './inputs.ts';
import { TransferRequestOut, transferRequest } from './request-shape.ts';
import type { Api } from './route.ts';

const Body = Type.Object(
  {
    tokens: AmountIn,
    appId: AppIdIn,
    // The database stores every character but U+0000, and half of a surrogate pair is no character.
    description: Type.Optional(
      Type.String({
        maxLength: 280,
        pattern: '^[^\\u0000\\p{Cs}]*$',
        description: 'text of up to 280 characters, without U+0000 and halves of surrogate pairs',
        examples: ['A shield'],
      }),
    ),
  },
  { ...BODY, title: 'NewRequest' },
);

/** POST /v1/requests: the app asks the user for quarters. 201 with Location. */
export function requests(api: Api, service: Service): void {
  const gate = usersOnly(service, 'requests');
  const route = describe(
    gate,
    {
      operationId: 'createRequest',
      tag: 'Requests',
      summary: 'Ask a player for quarters',
      description: 'The player approves or declines on the approval page, `/requests/{id}` of the service.',
      problems: ['amount-too-large', 'app-mismatch', 'not-found'],
      idempotent: true,
      location: true,
    },
    { body: Body, response: { 201: TransferRequestOut } },
  );
  api.post('/requests', route, async (request, reply) => {
    const caller = gate.caller(request);
    const idempotency = readIdempotencyKey(request, caller);
    const view = await createRequest(service, caller, { ...request.body, idempotency });
    markReplay(reply, view);
    const created = transferRequest(view);
    return reply.code(201).header('location', created.endpoint).send(created);
  });
}
