import { Type } from 'typebox';
import { toChecksum } from '../../base/address.ts';
import { humanDateTime } from '../../base/dates.ts';
import type { Service } from '../../usecases/service.ts';
import { readAccounts } from '../../usecases/user/read-accounts.ts';
import { usersOnly } from '../caller.ts';
import type { Api } from './route.ts';

const Account = Type.Object({
  id: Type.String(),
  address: Type.String(),
  created: Type.String(),
  userId: Type.String(),
});

/** GET /v1/accounts: the user's accounts, at present exactly one. */
export function accounts(api: Api, service: Service): void {
  const gate = usersOnly(service, 'wallet');
  const schema = { response: { 200: Type.Array(Account) } };
  api.get('/accounts', { onRequest: gate.onRequest, schema }, async (request) => {
    const { userId } = gate.caller(request);
    return (await readAccounts(service, gate.caller(request))).map((account) => {
      const address = toChecksum(account.address);
      return { id: address, address, created: humanDateTime(account.createdAt), userId };
    });
  });
}
