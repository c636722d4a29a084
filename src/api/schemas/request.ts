import { EXAMPLES } from '../../base/example-values.ts';
import { type RequestView, requestJson } from '../../requests/requests.ts';
import { REQUEST_STATUSES, type RequestStatus } from '../../requests/states.ts';
import { AppAddressOut, AppIdOut, RequestIdOut, Timestamp, TransactionHashOut, UserIdOut } from './outputs.ts';
import { type Static, Type } from './schema.ts';

/** A request, as existing clients know it. */
export const TransferRequestOut = Type.Object(
  {
    id: RequestIdOut,
    tokens: Type.Integer({ minimum: 1, description: 'quarters', examples: [60] }),
    appId: AppIdOut,
    appAddress: AppAddressOut,
    embedCode: RequestIdOut,
    description: Type.String({ description: 'the text shown to the player', examples: ['A shield'] }),
    type: Type.Literal('transfer', { description: 'always `transfer`' }),
    endpoint: Type.String({ description: 'the path of the request', examples: [`/v1/requests/${EXAMPLES.requestId}`] }),
    created: Timestamp,
    userId: UserIdOut,
  },
  { title: 'TransferRequest', description: "An app's request for a player's quarters." },
);

export function transferRequest(request: RequestView): Static<typeof TransferRequestOut> {
  return requestJson(request);
}

/**
 * The request and its status. `txId` is null until it is approved, `completed` until it is completed. `refunded`: quarters that were
 * returned or are being returned. `refundOf`: the payment that it refunds.
 */
export const RequestState = Type.Object(
  {
    ...TransferRequestOut.properties,
    status: Type.Unsafe<RequestStatus>({ type: 'string', enum: REQUEST_STATUSES, examples: ['completed'] }),
    txId: Type.Union([TransactionHashOut, Type.Null()], {
      description: 'the hash of its Ethereum transaction; null until it is approved',
    }),
    completed: Type.Union([Timestamp, Type.Null()], { description: 'when it was completed; null until then' }),
    refunded: Type.Integer({
      minimum: 0,
      description: 'quarters that were returned or are being returned',
      examples: [0],
    }),
    refundOf: Type.Union([RequestIdOut, Type.Null()], {
      description: 'the id of the payment that it refunds; null for a payment',
    }),
  },
  { title: 'RequestState', description: 'A request and its status.' },
);

export function requestState(view: RequestView): Static<typeof RequestState> {
  return requestJson(view);
}
