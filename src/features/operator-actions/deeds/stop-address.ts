import { type Address, toChecksum } from '../../../base/address.ts';
import type { UserId } from '../../../base/ids.ts';
import { pastedAddress } from '../../../base/pasted-address.ts';
import { Problem } from '../../../base/problems.ts';
import { listWithdrawalAddresses, stopWithdrawalAddress } from '../../../identity/withdrawal-addresses.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { ActionDeed } from '../action-deed.ts';
import { nameOfUser, openUser } from '../named-subjects.ts';

type Params = { readonly user: UserId; readonly address: Address };

/** Stops one withdrawal address for good, as its mailed link does. A withdrawal that was accepted before still happens. */
export const STOP_ADDRESS: ActionDeed<Params, { readonly user: UserId; readonly address: string }> = {
  resolve: ({ chain }, { user, address }) => ({ user, address: pastedAddress(address, chain.chainId, '/address') }),
  async preview(service, { user: id, address }) {
    const user = await openUser(service, id);
    const found = (await listWithdrawalAddresses(service.db, id)).find((one) => one.address === address);
    if (!found) throw new Problem('not-found', 'The user has no such withdrawal address.');
    return {
      sentence: `Stop the withdrawal address ${toChecksum(address)} of ${nameOfUser(user)}. Nothing more can be sent there. What is on its way arrives.`,
      facts: [['State', `${found.state} → stopped`]],
    };
  },
  async apply(_service, tx, { user, address }, { reason }) {
    const changed = await stopWithdrawalAddress(tx, { userId: user, address });
    const after = { address };
    const subject = { kind: 'user', id: user } as const;
    if (changed) await recordChange(tx, { action: 'withdrawal-address-stopped', subject, after, reason });
    return { changed };
  },
  note({ security }, { user }, { result }) {
    if (result?.changed) security.note('withdrawal-address-changed', { userId: user, what: 'stop' });
  },
};
