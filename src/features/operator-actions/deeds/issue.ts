import { type Address, parseAddress, toChecksum } from '../../../base/address.ts';
import type { AppId, UserId } from '../../../base/ids.ts';
import { namesAddress, pastedAddress } from '../../../base/pasted-address.ts';
import { Problem } from '../../../base/problems.ts';
import { type IdempotencyKey, lastingKey, lookUpAnswer } from '../../../idempotency/keys.ts';
import { lookUpNamedApp } from '../../../identity/apps.ts';
import { lookUpNamedUser } from '../../../identity/users.ts';
import { available, findTreasury, lookUpAccount } from '../../../ledger/accounts.ts';
import type { ActionRow } from '../../../operator-actions/operator-actions.ts';
import type { Service } from '../../../service/service.ts';
import { refuseWhileSuspended } from '../../../settlement/may-act.ts';
import { findTransfers } from '../../../settlement/tables/transfers.ts';
import { findIssueRecipient, issueQuarters, lookUpNamedAccount, namedIssueKey } from '../../payments/issue-quarters.ts';
import { transfersArrived } from '../../payments/wait-for-arrival.ts';
import type { ActionDeed } from '../action-deed.ts';
import { settleIssue } from '../end-unpaid.ts';
import { inQuarters, nameOfUser, treasuryAfter } from '../named-subjects.ts';
import { quartersOf } from '../read-fields.ts';

/** `to`: an address with its checksum. `owner`: whose account it is, `user:…` or `app:…`; null if it is not ours. */
type Params = { readonly to: string; readonly owner: string | null; readonly quarters: number };

type Asked = { readonly recipient: string; readonly quarters: number };

/** Issues quarters from the treasury. */
export const ISSUE: ActionDeed<Params, Asked> = {
  waits: true,
  pays: true,
  resolve: async (service, { recipient, quarters }) => ({ ...(await ownerOf(service, recipient)), quarters }),
  // A restored database may find out later whose account it is.
  asksSame: (one, other) => one.to === other.to && one.quarters === other.quarters,
  subject({ to, owner }) {
    const [kind, id] = (owner ?? '').split(':');
    if (kind === 'user') return { kind, id: id as UserId };
    return kind === 'app' ? { kind, id: id as AppId } : { kind: 'service', id: to };
  },
  amount: ({ quarters }) => quartersOf(quarters),
  async preview(service, params) {
    refuseWhileSuspended(service);
    const treasury = await findTreasury(service.db);
    await findIssueRecipient(service, treasury.address, recipientOf(params));
    const free = available(treasury);
    const amount = quartersOf(params.quarters);
    return {
      sentence: `Issue ${inQuarters(amount)} from the treasury to ${await nameOf(service, params)}.`,
      facts: [
        ['To', params.to],
        ['Treasury, free', treasuryAfter(free, amount)],
      ],
      warnings: [
        ...(free < amount ? ['The treasury has too few free quarters.'] : []),
        ...(params.owner === null
          ? ['This address is not an account of this service. What is sent there cannot be taken back.']
          : []),
      ],
    };
  },
  // Until a day after the update. It cannot be repeated as an action, so it is refused rather than paid again.
  async refuseUsedKey({ db }, { to, quarters }, key) {
    if (!(await lookUpAnswer(db, namedIssueKey(key, parseAddress(to)!, quartersOf(quarters))))) return;
    throw new Problem('idempotency-mismatch', 'This key has issued quarters already, before the service was updated.');
  },
  // The transaction that accepts the transfer writes the operator's log.
  apply: async () => null,
  finish: async (service, params, action) =>
    settleIssue(service, action, issueKeyOf(action), () => pay(service, params, action)),
  hasArrived: (service, _params, { transferId }) => transfersArrived(service, [transferId!])(),
  advice: () => 'Run `quarters actions list` to see whether it was started, and `quarters actions retry` to finish it.',
};

/** The recipient as {@link findIssueRecipient} takes it: an owner's id, so that a closed account or a deleted app is refused. */
function recipientOf({ to, owner }: Params): string {
  return owner?.split(':')[1] ?? to;
}

/** Accepted once for each action, in all processes. Beyond the 24 hours of idempotency keys the transfer itself is found. */
function issueKeyOf({ id, paramsHash }: ActionRow): IdempotencyKey {
  return lastingKey(['operator-action'], id, paramsHash);
}

async function pay(service: Service, params: Params, action: ActionRow) {
  const transferId = action.transferId!;
  const amount = quartersOf(params.quarters);
  const [found] = await findTransfers(service.db, [transferId]);
  if (found) {
    if (found.to !== parseAddress(params.to) || found.amount !== amount) throw otherIssue();
    return { transferId, txId: found.txHash, to: params.to };
  }
  const { reason } = action;
  const idempotency = issueKeyOf(action);
  const issued = await issueQuarters(service, {
    recipient: recipientOf(params),
    amount,
    transferId,
    idempotency,
    reason,
  });
  return { transferId: issued.transferId, txId: issued.txHash, to: issued.recipient };
}

/** The action that had this key is lost with the database; its payment was found on the chain. */
function otherIssue(): Problem {
  return new Problem('idempotency-mismatch', 'This key was used before, for another recipient or another amount.');
}

async function ownerOf({ db, chain }: Service, text: string): Promise<Pick<Params, 'to' | 'owner'>> {
  if (namesAddress(text)) {
    const address = pastedAddress(text, chain.chainId, '/recipient');
    return described(address, await lookUpAccount(db, address));
  }
  const account = await lookUpNamedAccount(db, text);
  if (!account) throw new Problem('not-found', `There is no app and no user "${text}".`);
  return described(account.address, account);
}

function described(
  address: Address,
  account: { readonly userId: UserId | null; readonly appId: AppId | null } | null,
): Pick<Params, 'to' | 'owner'> {
  const owner = account?.userId ? `user:${account.userId}` : account?.appId ? `app:${account.appId}` : null;
  return { to: toChecksum(address), owner };
}

async function nameOf({ db }: Service, { to, owner }: Params): Promise<string> {
  const [kind, id = ''] = (owner ?? '').split(':');
  if (kind === 'app') return `the app ${(await lookUpNamedApp(db, id))?.name ?? id}`;
  const user = kind === 'user' ? await lookUpNamedUser(db, id) : null;
  return user ? nameOfUser(user) : to;
}
