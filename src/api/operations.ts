import type { Service } from '../service/service.ts';
import type { Api } from './describe/describe.ts';
import { addWebhookEndpointRoute } from './operations/add-webhook-endpoint.ts';
import { autoApproveRequestRoute } from './operations/auto-approve-request.ts';
import { cancelRequestRoute } from './operations/cancel-request.ts';
import { changeWebhookEndpointRoute } from './operations/change-webhook-endpoint.ts';
import { createGuestRoute } from './operations/create-guest.ts';
import { createGuestTokensRoute } from './operations/create-guest-tokens.ts';
import { createRequestRoute } from './operations/create-request.ts';
import { getBalanceRoute } from './operations/get-balance.ts';
import { getKeysRoute } from './operations/get-keys.ts';
import { getMeRoute } from './operations/get-me.ts';
import { getRequestRoute } from './operations/get-request.ts';
import { getRewardsRoute } from './operations/get-rewards.ts';
import { getTransferRoute } from './operations/get-transfer.ts';
import { getWebhookEndpointRoute } from './operations/get-webhook-endpoint.ts';
import { listAccountsRoute } from './operations/list-accounts.ts';
import { listEventsRoute } from './operations/list-events.ts';
import { listRequestsRoute } from './operations/list-requests.ts';
import { listTransfersRoute } from './operations/list-transfers.ts';
import { listWebhookEndpointsRoute } from './operations/list-webhook-endpoints.ts';
import { redeliverEventRoute } from './operations/redeliver-event.ts';
import { refundRequestRoute } from './operations/refund-request.ts';
import { removeWebhookEndpointRoute } from './operations/remove-webhook-endpoint.ts';
import { rotateWebhookSecretRoute } from './operations/rotate-webhook-secret.ts';
import { transferRoute } from './operations/transfer.ts';
import { transferToManyRoute } from './operations/transfer-to-many.ts';

/** The operations under `/v1`, in the order of the API's description. Each has a file of its own, named by its operationId. */
export const OPERATIONS: readonly ((api: Api, service: Service) => void)[] = [
  getMeRoute,
  listAccountsRoute,
  getBalanceRoute,
  getRewardsRoute,
  createGuestRoute,
  createGuestTokensRoute,
  createRequestRoute,
  listRequestsRoute,
  getRequestRoute,
  autoApproveRequestRoute,
  cancelRequestRoute,
  refundRequestRoute,
  transferRoute,
  listEventsRoute,
  redeliverEventRoute,
  listWebhookEndpointsRoute,
  addWebhookEndpointRoute,
  getWebhookEndpointRoute,
  changeWebhookEndpointRoute,
  removeWebhookEndpointRoute,
  rotateWebhookSecretRoute,
  transferToManyRoute,
  listTransfersRoute,
  getTransferRoute,
  getKeysRoute,
];
