import { createRequest } from '../../features/requests/create-request.ts';
import type { Service } from '../../service/service.ts';
import { usersAndApps } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { AmountIn, AppIdIn, BODY, UserIdIn } from '../schemas/inputs.ts';
import { TransferRequestOut, transferRequest } from '../schemas/request.ts';
import { Type } from '../schemas/schema.ts';

/** A player needs a minute to read and decide. After a day nobody remembers what the request was for. */
const [LEAST_SECONDS, MOST_SECONDS] = [60, 86_400];

const Body = Type.Object(
  {
    tokens: AmountIn,
    appId: AppIdIn,
    userId: Type.Optional(UserIdIn),
    // The database cannot store U+0000, and half of a surrogate pair is not a character.
    description: Type.Optional(
      Type.Union([Type.String({ maxLength: 280, pattern: '^[^\\u0000\\p{Cs}]*$' }), Type.Null()], {
        description: 'text of up to 280 characters, without U+0000 and halves of surrogate pairs, or null for none',
        examples: ['A shield'],
      }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: LEAST_SECONDS,
        maximum: MOST_SECONDS,
        description: `a whole number of seconds from ${LEAST_SECONDS} to ${MOST_SECONDS}, after which the request expires`,
        examples: [3600],
      }),
    ),
  },
  { ...BODY, title: 'NewRequest' },
);

/** POST /v1/requests: an app asks a user for quarters, with the user's token or from its server. 201 with Location. */
export function createRequestRoute(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'requests', 'create-requests');
  const route = describe(
    gate,
    {
      operationId: 'createRequest',
      tag: 'Requests',
      summary: 'Ask a player for quarters',
      description:
        'The player approves or declines on the approval page, `/requests/{id}` of the service. With a server API key, `userId` is ' +
        "required: a guest of the app, or a player who gave it the scope `requests`. The key's daily limit applies. With an " +
        'access token, `userId` is optional.',
      problems: ['amount-too-large', 'key-limit', 'app-mismatch', 'not-found', 'limit-reached', 'overloaded'],
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
