import { withThousands } from '../../base/quarters.ts';
import { readRewards } from '../../features/rewards/rewards.ts';
import type { Service } from '../../service/service.ts';
import { usersOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { AddressIn, readAddress } from '../schemas/inputs.ts';
import { FormattedOut, WholeNumberOut } from '../schemas/outputs.ts';
import { Type } from '../schemas/schema.ts';

const Reward = Type.Object(
  { rewardAmount: WholeNumberOut, rewardAmountFormatted: FormattedOut },
  {
    title: 'Reward',
    description: 'Quarters granted to the player but not claimed yet. Approved requests use them first.',
  },
);

/** GET /v1/accounts/{address}/rewards: quarters granted to the user but not claimed yet. An array of one. */
export function getRewardsRoute(api: Api, service: Service): void {
  const gate = usersOnly(service, 'wallet');
  const route = describe(
    gate,
    { operationId: 'getRewards', tag: 'Users', summary: 'Get the rewards of an account', problems: ['not-found'] },
    {
      params: Type.Object({ address: AddressIn }),
      response: { 200: Type.Array(Reward, { description: 'An array of one.' }) },
    },
  );
  api.get('/accounts/:address/rewards', route, async (request) => {
    const address = readAddress(request.params.address, 'path/address');
    const amount = await readRewards(service, gate.caller(request), address);
    return [{ rewardAmount: amount.toString(), rewardAmountFormatted: withThousands(amount) }];
  });
}
