import { Type } from 'typebox';
import { formatEthers } from '../../base/ether.ts';
import { withThousands } from '../../base/quarters.ts';
import type { Service } from '../../usecases/service.ts';
import { readBalance } from '../../usecases/user/read-balance.ts';
import { usersAndApps } from '../caller.ts';
import { describe } from './describe.ts';
import { AddressIn, readAddress } from './inputs.ts';
import { FormattedOut, WholeNumberOut } from './outputs.ts';
import type { Api } from './route.ts';

const Balance = Type.Object(
  {
    quarters: WholeNumberOut,
    formattedQuarters: FormattedOut,
    ethers: Type.String({ pattern: '^\\d+$', description: 'in wei, of any size', examples: ['1500000000000000000'] }),
    formattedEthers: Type.String({
      pattern: '^\\d{1,3}(,\\d{3})*\\.\\d\\d$',
      description: 'in ether, rounded down',
      examples: ['1.50'],
    }),
  },
  {
    title: 'Balance',
    description: 'What can be spent now: on the chain, less what is set aside for transfers on their way.',
  },
);

/** GET /v1/accounts/{address}/balance: what the caller's own account can spend now, and its wei. An array of one. */
export function balance(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'wallet');
  const route = describe(
    gate,
    {
      operationId: 'getBalance',
      tag: 'Users',
      summary: 'The balance of an account',
      description: "A player's own account, or the app's own with its server API key.",
      problems: ['not-found', 'chain-unavailable'],
    },
    {
      params: Type.Object({ address: AddressIn }),
      response: { 200: Type.Array(Balance, { description: 'An array of one balance.' }) },
    },
  );
  api.get('/accounts/:address/balance', route, async (request) => {
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
