import { type Static, Type } from 'typebox';
import { toChecksum } from '../../base/address.ts';
import type { RequestView } from '../../usecases/request-view.ts';
import { Timestamp, timestamp } from './timestamp.ts';

/** The interface's transfer request. */
export const TransferRequestOut = Type.Object({
  id: Type.String(),
  tokens: Type.Integer(),
  appId: Type.String(),
  appAddress: Type.String(),
  embedCode: Type.String(),
  description: Type.String(),
  type: Type.Literal('transfer'),
  endpoint: Type.String(),
  created: Timestamp,
  userId: Type.String(),
});

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
