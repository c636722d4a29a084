import type { Address } from '../../base/address.ts';
import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { findAccounts } from '../../ledger/accounts.ts';
import type { Service } from '../../settlement/service.ts';

/** Who is to be paid: at least one of the two fields; both must name the same account. */
export type Named = { readonly user?: UserId | undefined; readonly address?: Address | undefined };

export type Recipient = { readonly userId: UserId; readonly address: Address };

/**
 * The named users, in order, looked up at once. A user who cannot be paid is replaced by the reason: `not-found` (also
 * for an address that is no user's account here, or a closed account) or `recipient-mismatch`.
 */
export async function findRecipients(
  { db }: Pick<Service, 'db'>,
  named: readonly Named[],
): Promise<(Recipient | Problem)[]> {
  const accounts = await findAccounts(
    db,
    named.flatMap(({ user }) => user ?? []),
    named.flatMap(({ address }) => address ?? []),
  );
  const byUser = new Map(accounts.map((account) => [account.userId, account]));
  const byAddress = new Map(accounts.map((account) => [account.address, account]));
  return named.map(({ user, address }) => {
    const account = user === undefined ? byAddress.get(address!) : byUser.get(user);
    if (!account?.userId || account.closedAt) return new Problem('not-found', 'There is no such user.');
    if (address !== undefined && account.address !== address) {
      return new Problem('recipient-mismatch', 'user and address name different accounts.');
    }
    return { userId: account.userId, address: account.address };
  });
}
