import { EXAMPLES } from '../../base/example-values.ts';
import { payUser } from '../../features/payments/pay-user.ts';
import type { Service } from '../../service/service.ts';
import { refusesWhileBusy } from '../busy.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { AddressIn, AmountIn, AppAddressIn, BODY, readAddress, UserIdIn } from '../schemas/inputs.ts';
import { Type } from '../schemas/schema.ts';
import { TransferOutcome, transferOutcome } from '../schemas/transfer.ts';

const Body = Type.Object(
  { amount: AmountIn, user: Type.Optional(UserIdIn), address: Type.Optional(AddressIn) },
  { ...BODY, title: 'NewTransfer', examples: [{ amount: 500, user: EXAMPLES.userId }] },
);

/** POST /v1/accounts/{address}/transfer: the app pays a user, by user id or by address, from its own account. */
export function transferRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'pay');
  const route = describe(
    gate,
    {
      operationId: 'transfer',
      tag: 'Transfers',
      summary: 'Pay a player from an app account',
      description:
        'Name the player by user id or by account address. If you give both, they must name the same account. Without an ' +
        'Idempotency-Key, a call that is repeated after a lost response pays again.',
      problems: [
        'recipient-mismatch',
        'amount-too-large',
        'insufficient-quarters',
        'quarters-unconfirmed',
        'key-limit',
        'not-found',
        'account-closed',
        'overloaded',
        'app-backlog-full',
        'payments-suspended',
      ],
      idempotent: true,
      waits: true,
    },
    { params: Type.Object({ address: AppAddressIn }), body: Body, response: { 200: TransferOutcome } },
  );
  const config = { ...route.config, refusesAtOnce: refusesWhileBusy(service) };
  api.post('/accounts/:address/transfer', { ...route, config }, async (request, reply) => {
    const { amount, user, address } = request.body;
    const caller = gate.caller(request);
    const accepted = await payUser(service, caller, {
      idempotency: readIdempotencyKey(request, caller),
      from: readAddress(request.params.address, 'path/address'),
      amount,
      ...(user !== undefined && { user }),
      ...(address !== undefined && { address: readAddress(address, '/address') }),
    });
    markReplay(reply, accepted);
    return transferOutcome(accepted);
  });
}
