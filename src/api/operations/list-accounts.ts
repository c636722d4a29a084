import { toChecksum } from '../../base/address.ts';
import { humanDateTime } from '../../base/dates.ts';
import type { Service } from '../../service/service.ts';
import { readAccounts } from '../../views/accounts/read-account.ts';
import { usersOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { UserAddressOut, UserIdOut } from '../schemas/outputs.ts';
import { Type } from '../schemas/schema.ts';

const Account = Type.Object(
  {
    id: UserAddressOut,
    address: UserAddressOut,
    created: Type.String({
      description: 'month, day, year and time, UTC',
      examples: ['November 29, 2017 at 5:25:14 AM'],
    }),
    userId: UserIdOut,
  },
  { title: 'Account', description: "A player's account. Its id is its address." },
);

/** GET /v1/accounts: the user's accounts, currently exactly one. */
export function listAccountsRoute(api: Api, service: Service): void {
  const gate = usersOnly(service, 'wallet');
  const route = describe(
    gate,
    { operationId: 'listAccounts', tag: 'Users', summary: "List the player's accounts" },
    { response: { 200: Type.Array(Account, { description: 'Currently exactly one account.' }) } },
  );
  api.get('/accounts', route, async (request) => {
    const { userId } = gate.caller(request);
    return (await readAccounts(service, gate.caller(request))).map((account) => {
      const address = toChecksum(account.address);
      return { id: address, address, created: humanDateTime(account.createdAt), userId };
    });
  });
}
