import type { FastifyRequest } from 'fastify';
import { autoApprove } from '../../features/approvals/auto-approve.ts';
import type { Service } from '../../service/service.ts';
import { usersAndApps } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { AddressIn, AppIdIn, BODY, RequestPath, readAddress, readRequestId, UserIdIn } from '../schemas/inputs.ts';
import { Type } from '../schemas/schema.ts';
import { TransferOutcome, transferOutcome } from '../schemas/transfer.ts';

const Body = Type.Object(
  { clientId: AppIdIn, userId: UserIdIn, address: Type.Optional(AddressIn) },
  { ...BODY, title: 'AutoApproval' },
);

/** POST /v1/requests/{id}/autoApprove: approves under the user's mandate. A repeated call gives the same outcome. */
export function autoApproveRequestRoute(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'requests', 'approve-requests');
  const route = describe(
    gate,
    {
      operationId: 'autoApproveRequest',
      tag: 'Requests',
      summary: 'Approve a request without asking the player',
      description:
        "Uses the mandate (the spending limit) that the player gave this app. Needs the player's access token, or a server API " +
        "key, whose daily limit applies too. `address` is the player's account; it is optional with a server API key. A repeated " +
        'call gives the same outcome. After a refusal the request stays pending, and the player can still approve it on the page.',
      problems: [
        'insufficient-quarters',
        'quarters-unconfirmed',
        'app-mismatch',
        'auto-approve-not-enabled',
        'auto-approve-not-granted',
        'auto-approve-limit',
        'account-frozen',
        'key-limit',
        'not-found',
        'request-decided',
        'overloaded',
        'app-backlog-full',
        'payments-suspended',
      ],
      idempotent: true,
      waits: true,
    },
    { params: RequestPath, body: Body, response: { 200: TransferOutcome } },
  );
  api.post('/requests/:id/autoApprove', { ...route, preValidation: requireAddressOfUsers }, async (request, reply) => {
    const { clientId, userId, address } = request.body;
    const caller = gate.caller(request);
    const accepted = await autoApprove(service, caller, {
      idempotency: readIdempotencyKey(request, caller),
      requestId: readRequestId(request.params.id),
      clientId,
      userId,
      ...(address !== undefined && { address: readAddress(address, '/address') }),
    });
    markReplay(reply, accepted);
    return transferOutcome(accepted);
  });

  /** With an access token `address` is required. It is checked with the body, so that one response names every missing field: a
   * schema does not see the credential. */
  async function requireAddressOfUsers(request: FastifyRequest): Promise<void> {
    const body = request.body as { address?: unknown } | null;
    const isMissing = typeof body === 'object' && body?.address === undefined;
    if (body && isMissing && gate.caller(request).kind === 'user') body.address = null;
  }
}
