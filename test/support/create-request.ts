import { openRequestCreation, type RequestInput } from '../../src/features/requests/create-request.ts';
import type { Caller } from '../../src/identity/callers.ts';
import type { Service } from '../../src/service/service.ts';

/** An app asks a user for quarters, in a transaction of its own. */
export function createRequest(service: Service, caller: Caller, input: RequestInput) {
  return openRequestCreation(service)(caller, input);
}
