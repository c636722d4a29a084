import { type Address, toChecksum } from '../../../base/address.ts';
import type { UserId } from '../../../base/ids.ts';
import { pastedAddress } from '../../../base/pasted-address.ts';
import { Problem } from '../../../base/problems.ts';
import { type Account, lookUpAccount } from '../../../ledger/accounts.ts';
import { joinRecoveredAccount } from '../../../ledger/closed-accounts.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import { emptyClosedAccounts } from '../../accounts/close-account.ts';
import { nameWhatBelongsTo } from '../../restore/name-payments.ts';
import type { ActionDeed } from '../action-deed.ts';
import { inQuarters, nameOfUser, openUser } from '../named-subjects.ts';

type Params = { readonly user: UserId; readonly account: Address };

/**
 * Sends what an account has that was found on the chain, and what it gets from now on, to a user who has signed up again: its owner is known
 * by nothing but what people say. It stays a closed account, like that of a merged guest.
 */
export const JOIN_ACCOUNT: ActionDeed<Params, { readonly user: UserId; readonly account: string }> = {
  waits: true,
  resolve: ({ chain }, { user, account }) => ({ user, account: pastedAddress(account, chain.chainId, '/account') }),
  async preview(service, { user: id, account: address }) {
    const user = await openUser(service, id);
    const account = await foundAccount(service, address);
    return {
      sentence: `Give ${nameOfUser(user)} the account ${toChecksum(address)}, which was found when a backup was restored. What it has, and gets from now on, goes to them. This cannot be undone.`,
      facts: [['Balance of the account', inQuarters(account.posted)]],
    };
  },
  async apply(_service, tx, { user, account }, { reason }) {
    if (!(await joinRecoveredAccount(tx, account, user))) throw noSuchAccount();
    const after = { account };
    await recordChange(tx, { action: 'account-joined', subject: { kind: 'user', id: user }, after, reason });
    return { account };
  },
  async finish(service, { account }, { result }) {
    await nameWhatBelongsTo(service, account);
    await emptyClosedAccounts(service).catch((error: unknown) =>
      service.log.warn({ reason: (error as Error).message }, 'quarters of a found account are moved later'),
    );
    return { state: 'done', result: result ?? {} };
  },
  hasArrived: async ({ db }, { account }) => (await lookUpAccount(db, account))?.posted === 0n,
};

async function foundAccount({ db }: Pick<Service, 'db'>, address: Address): Promise<Account> {
  const account = await lookUpAccount(db, address);
  if (account?.kind !== 'recovered' || account.mergedInto) throw noSuchAccount();
  return account;
}

function noSuchAccount(): Problem {
  return new Problem('not-found', 'There is no account at this address that was found and belongs to nobody.');
}
