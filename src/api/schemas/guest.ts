import { toChecksum } from '../../base/address.ts';
import { EXAMPLES } from '../../base/example-values.ts';
import type { NewGuest } from '../../features/guests/create-guest.ts';
import { UserAddressOut, UserIdOut } from './outputs.ts';
import { type Static, Type } from './schema.ts';

const Guest = Type.Object(
  {
    user_id: UserIdOut,
    access_token: Type.String({ description: "the guest's access token", examples: [EXAMPLES.accessToken] }),
    firebase_token: Type.String({ description: 'page token: opens the approval page', examples: [EXAMPLES.pageToken] }),
    address: UserAddressOut,
  },
  { title: 'Guest', description: "A guest and its tokens. The tokens can spend the guest's quarters." },
);

export const GuestsOut = Type.Array(Guest, { description: 'An array of one guest.' });

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
