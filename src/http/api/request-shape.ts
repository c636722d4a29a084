import { type Static, Type } from 'typebox';
import { toChecksum } from '../../base/address.ts';
import type { RequestView } from '../../usecases/request-view.ts';
import { EXAMPLES } from './examples.ts';
import { AppAddressOut, AppIdOut, RequestIdOut, UserIdOut } from './outputs.ts';
import { Timestamp, timestamp } from './timestamp.ts';

/** The interface's transfer request. */
export const TransferRequestOut = Type.Object(
  {
    id: RequestIdOut,
    tokens: Type.Integer({ minimum: 1, description: 'quarters', examples: [60] }),
    appId: AppIdOut,
    appAddress: AppAddressOut,
    embedCode: RequestIdOut,
    description: Type.String({ description: 'what the player is told', examples: ['A shield'] }),
    type: Type.Literal('transfer'),
    endpoint: Type.String({ description: 'the path of the request', examples: [`/v1/requests/${EXAMPLES.requestId}`] }),
    created: Timestamp,
    userId: UserIdOut,
  },
  { title: 'TransferRequest', description: "An app's request for quarters of a player." },
);

export function transferRequest(request: RequestView): Static<typeof TransferRequestOut> {
  return {
    id: request.id,
    tokens: Number(request.amount),
    appId: request.appId,
    appAddress: toChecksum(request.appAddress),
    embedCode: request.id,
    description: request.description,
    type: 'transfer',
    endpoint: `/v1/requests/${request.id}`,
    created: timestamp(request.createdAt),
    userId: request.userId,
  };
}
