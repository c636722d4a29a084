import { Type } from 'typebox';
import { formatEthers } from '../../base/ether.ts';
import { withThousands } from '../../base/quarters.ts';
import type { Service } from '../../usecases/service.ts';
import { readBalance } from '../../usecases/user/read-balance.ts';
import { usersAndApps } from '../caller.ts';
import { AddressIn, readAddress } from './inputs.ts';
import type { Api } from './route.ts';

const Balance = Type.Object({
  quarters: Type.String(),
  formattedQuarters: Type.String(),
  ethers: Type.String(),
  formattedEthers: Type.String(),
});

/** GET /v1/accounts/{address}/balance: what the caller's own account can spend now, and its wei. An array of one. */
export function balance(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'wallet');
  const schema = { params: Type.Object({ address: AddressIn }), response: { 200: Type.Array(Balance) } };
  api.get('/accounts/:address/balance', { onRequest: gate.onRequest, schema }, async (request) => {
    const address = readAddress(request.params.address, 'path/address');
    const { quarters, wei } = await readBalance(service, gate.caller(request), address);
    return [
      {
        quarters: quarters.toString(),
        formattedQuarters: withThousands(quarters),
        ethers: wei.toString(),
        formattedEthers: formatEthers(wei),
      },
    ];
  });
}
