import { type Static, Type } from 'typebox';
import { toChecksum } from '../../base/address.ts';
import type { NewGuest } from '../../usecases/app/create-guest.ts';

/** An array of one. */
export const GuestsOut = Type.Array(
  Type.Object({
    user_id: Type.String(),
    access_token: Type.String(),
    firebase_token: Type.String(),
    address: Type.String(),
  }),
);

export function guestsOut(guest: NewGuest): Static<typeof GuestsOut> {
  return [
    {
      user_id: guest.userId,
      access_token: guest.accessToken,
      firebase_token: guest.pageToken,
      address: toChecksum(guest.address),
    },
  ];
}

/** No body at all reaches the validator as null. */
export const EmptyBody = Type.Union([Type.Object({}), Type.Null()], { description: 'empty, or a JSON object' });
