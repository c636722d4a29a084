import { type Address, parseAddress } from '../../base/address.ts';
import { EXAMPLES } from '../../base/example-values.ts';
import {
  type RequestId,
  requestIdFrom,
  type TransferId,
  transferIdFrom,
  USER_ID_PATTERN,
  type UserId,
  userIdFrom,
} from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { MAX_QUARTERS } from '../../base/quarters.ts';
import { inputProblem } from '../../http/problems.ts';
import { Type } from './schema.ts';

// Each description completes "the field must be …". Callers read it in errors, and everybody in the API's description.

/** A request's body. Unknown fields are ignored: old clients send more fields than the API has. */
export const BODY = { description: 'a JSON object' };

/** The validator sees a missing body as null. */
export const EmptyBody = Type.Union([Type.Object({}), Type.Null()], { description: 'empty, or a JSON object' });

/** Quarters, from 1. */
export const AmountIn = Type.Integer({
  minimum: 1,
  maximum: Number(MAX_QUARTERS),
  description: `a whole number of quarters from 1 to ${MAX_QUARTERS}`,
  examples: [60],
});

export const AppIdIn = Type.String({ description: "an app's id, a string", examples: [EXAMPLES.appId] });

export const UserIdIn = Type.Unsafe<UserId>({
  type: 'string',
  pattern: USER_ID_PATTERN,
  description: "a user's id, 28 letters and digits",
  examples: [EXAMPLES.userId],
});

export const ADDRESS =
  'an Ethereum address, 0x and 40 hexadecimal digits, with a right checksum where its letter case is mixed';

/** Its form is checked by {@link readAddress}: a schema cannot check a checksum. */
export const AddressIn = Type.String({ description: ADDRESS, examples: [EXAMPLES.userAddress] });

/** The address of an app's own account. */
export const AppAddressIn = Type.String({ description: ADDRESS, examples: [EXAMPLES.appAddress] });

/** `pointer`: the input that holds the text. Throws `invalid-input`. */
export function readAddress(text: string, pointer: '/address' | 'path/address'): Address {
  const address = parseAddress(text);
  if (!address) throw inputProblem([{ pointer, detail: `must be ${ADDRESS}` }]);
  return address;
}

/** A path that holds a user's id, see {@link readUserId}. */
export const UserPath = Type.Object({ id: Type.String({ description: "a user's id", examples: [EXAMPLES.userId] }) });

/** The id of a user in a path. Text that cannot be an id is `not-found`, like an unknown id. */
export function readUserId(text: string): UserId {
  return userIdFrom(text) ?? noneOfYours('guest');
}

/** A path that holds a request's id, see {@link readRequestId}. */
export const RequestPath = Type.Object({
  id: Type.String({ description: "a request's id, a UUID", examples: [EXAMPLES.requestId] }),
});

/** The id of a transfer in a path, as with {@link readRequestId}. */
export function readTransferId(text: string): TransferId {
  return transferIdFrom(text) ?? noneOfYours('transfer');
}

/** The id of a request in a path, in any letter case. Text that cannot be an id is `not-found`, like an unknown id. */
export function readRequestId(text: string): RequestId {
  return requestIdFrom(text) ?? noneOfYours('request');
}

function noneOfYours(what: string): never {
  throw new Problem('not-found', `There is no such ${what} of yours.`);
}
