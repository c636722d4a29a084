import { Type } from 'typebox';
import { withThousands } from '../../base/quarters.ts';
import type { Service } from '../../usecases/service.ts';
import { readRewards } from '../../usecases/user/read-rewards.ts';
import { usersOnly } from '../caller.ts';
import { AddressIn, readAddress } from './inputs.ts';
import type { Api } from './route.ts';

const Reward = Type.Object({ rewardAmount: Type.String(), rewardAmountFormatted: Type.String() });

/** GET /v1/accounts/{address}/rewards: quarters granted to the user and not yet claimed. An array of one. */
export function rewards(api: Api, service: Service): void {
  const gate = usersOnly(service, 'wallet');
  const schema = { params: Type.Object({ address: AddressIn }), response: { 200: Type.Array(Reward) } };
  api.get('/accounts/:address/rewards', { onRequest: gate.onRequest, schema }, async (request) => {
    const address = readAddress(request.params.address, 'path/address');
    const amount = await readRewards(service, gate.caller(request), address);
    return [{ rewardAmount: amount.toString(), rewardAmountFormatted: withThousands(amount) }];
  });
}
