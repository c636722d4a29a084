import { timestamp } from '../../base/dates.ts';
import { type EndpointId, UUID_PATTERN } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Endpoint } from '../../webhooks/endpoints.ts';

/** A webhook endpoint as the API shows it. */
export function endpointJson({ id, url, types, failingSince, disabledReason, createdAt }: Endpoint) {
  return {
    id,
    url,
    types,
    enabled: disabledReason === null,
    disabledReason,
    failingSince: failingSince && timestamp(failingSince),
    created: timestamp(createdAt),
  };
}

/** Text that cannot be an endpoint's id is `not-found`, like an unknown id. */
export function asEndpointId(text: string): EndpointId {
  if (!new RegExp(UUID_PATTERN).test(text)) throw noSuchEndpoint();
  return text.toLowerCase() as EndpointId;
}

export function noSuchEndpoint(): Problem {
  return new Problem('not-found', 'There is no such webhook endpoint.');
}
