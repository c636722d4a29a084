import { formatEthers, withThousands } from '../../base/quarters.ts';
import type { Service } from '../../service/service.ts';
import { openBalanceReader } from '../../views/accounts/read-account.ts';
import { usersAndApps } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { AddressIn, readAddress } from '../schemas/inputs.ts';
import { FormattedOut, WholeNumberOut } from '../schemas/outputs.ts';
import { Type } from '../schemas/schema.ts';

const Balance = Type.Object(
  {
    quarters: WholeNumberOut,
    formattedQuarters: FormattedOut,
    ethers: Type.String({
      pattern: '^\\d+$',
      description:
        'in wei, of any size, at most five seconds old; while no chain node answers, as last known, with the header Ether-Age',
      examples: ['1500000000000000000'],
    }),
    formattedEthers: Type.String({
      pattern: '^\\d{1,3}(,\\d{3})*\\.\\d\\d$',
      description: 'in ether, rounded down',
      examples: ['1.50'],
    }),
  },
  {
    title: 'Balance',
    description: 'The amount available now: the balance on the chain, less quarters held for transfers under way.',
  },
);

/** GET /v1/accounts/{address}/balance: what the caller's own account can spend now, and its ether. An array of one. */
export function getBalanceRoute(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'wallet');
  const readBalance = openBalanceReader(service);
  const route = describe(
    gate,
    {
      operationId: 'getBalance',
      tag: 'Users',
      summary: 'Get the balance of an account',
      description:
        "Of the player's own account or, with a server API key, of the app's own account. While no chain node answers, the quarters are right, and the ether is as last known: the header `Ether-Age` says for how many seconds, or `unknown`, with 0 ether.",
      problems: ['not-found'],
    },
    {
      params: Type.Object({ address: AddressIn }),
      response: { 200: Type.Array(Balance, { description: 'An array of one balance.' }) },
    },
  );
  api.get('/accounts/:address/balance', route, async (request, reply) => {
    const address = readAddress(request.params.address, 'path/address');
    const { quarters, wei, weiAge } = await readBalance(gate.caller(request), address);
    if (weiAge !== 0) reply.header('ether-age', weiAge ?? 'unknown');
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
