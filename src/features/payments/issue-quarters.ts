import { type Address, toChecksum, ZERO_ADDRESS } from '../../base/address.ts';
import { appIdFrom, newTransferId, type TransferId, userIdFrom } from '../../base/ids.ts';
import { namesAddress, pastedAddress } from '../../base/pasted-address.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Quarters } from '../../base/quarters.ts';
import { findOperator } from '../../chain/relayers.ts';
import { type IdempotencyKey, idempotencyKey } from '../../idempotency/keys.ts';
import { lookUpNamedApp } from '../../identity/apps.ts';
import {
  type Account,
  findTreasury,
  lookUpAccount,
  lookUpAccountOfApp,
  lookUpAccountOfUser,
} from '../../ledger/accounts.ts';
import { readKnownBlock } from '../../ledger/suspension.ts';
import { type AttributedChange, attributeChange } from '../../operator-log/record.ts';
import type { Accepted } from '../../service/instruction.ts';
import { idOfKey } from '../../service/keyed-ids.ts';
import type { Service } from '../../service/service.ts';
import { adviceFor, explainUnknown } from '../../service/unknown-outcome.ts';
import { openAcceptance } from '../../settlement/accept/accept.ts';

/**
 * Issues quarters from the treasury, through the same path as every transfer. `recipient`: an address, an app's id, or a user's id. It is
 * signed with the operator's own relayer, beside running services, which send the stored transaction.
 *
 * `key`: a repetition with the same key within 24 hours is the same issue, so a command that was killed can be run again. `transferId`: if
 * the caller has chosen it before.
 */
export async function issueQuarters(
  service: Service,
  input: {
    readonly recipient: string;
    readonly amount: Quarters;
    readonly key?: string | undefined;
    readonly transferId?: TransferId;
    /** The operator's note for the log. */
    readonly reason?: string | undefined;
    /** Instead of `key`: what the caller has made of its own. */
    readonly idempotency?: IdempotencyKey;
  },
): Promise<Accepted & { readonly recipient: `0x${string}` }> {
  const treasury = await findTreasury(service.db);
  const recipient = await findIssueRecipient(service, treasury.address, input.recipient);
  const operator = await findOperator(service.db);
  const { accept } = openAcceptance({ ...service, settlement: { ...service.settlement, relayers: [operator] } });
  const key = input.key === undefined ? input.idempotency : namedIssueKey(input.key, recipient, input.amount);
  const transferId = input.transferId ?? (key ? (idOfKey(service, key, new Date()) as TransferId) : newTransferId());
  const accepting = accept({
    transferId,
    from: treasury.address,
    to: recipient,
    amount: input.amount,
    origin: { kind: 'issue', change: await issueChange(service, transferId, recipient, input) },
    idempotency: key,
  });
  const look = `Issue again only if \`quarters transfers show ${transferId}\` finds nothing.`;
  const accepted = await explainUnknown(accepting, adviceFor(input.key, look));
  if (!accepted.replayed) service.security.note('quarters-issued', { what: accepted.transferId });
  return { ...accepted, recipient: toChecksum(recipient) };
}

/**
 * Accepts what the operator pays, beside running services: signed with the operator's own relayer, and sent by them. Instructions that are
 * accepted by one such acceptance share groups.
 */
export async function openOperatorAcceptance(service: Service): Promise<ReturnType<typeof openAcceptance>> {
  const operator = await findOperator(service.db);
  return openAcceptance({ ...service, settlement: { ...service.settlement, relayers: [operator] } });
}

/** The log names whose account it is: an address would lead to the user after their account is closed. */
export async function issueChange(
  { db }: Service,
  id: TransferId,
  address: Address,
  { amount, reason }: { readonly amount: Quarters; readonly reason?: string | undefined },
): Promise<AttributedChange> {
  const account = await lookUpAccount(db, address);
  const user = account?.userId;
  const to = user ? { user } : account?.appId ? { app: account.appId } : { address };
  return attributeChange({
    action: 'quarters-issued',
    subject: { kind: 'transfer', id },
    after: { amount, to },
    reason,
    about: user ?? undefined,
  });
}

/** The key of an issue that an operator named. */
export function namedIssueKey(key: string, recipient: Address, amount: Quarters): IdempotencyKey {
  return idempotencyKey(['issue'], key, `${recipient} ${amount}`);
}

/** The account of the app or the user with this id. */
export async function lookUpNamedAccount(db: Service['db'], text: string): Promise<Account | null> {
  const [appId, userId] = [appIdFrom(text), userIdFrom(text)];
  if (appId) return lookUpAccountOfApp(db, appId);
  return userId && lookUpAccountOfUser(db, userId);
}

/**
 * The nonce of a payment names the account that it pays. So a database that was restored, and lacks the account, would give a repeated
 * payment another nonce, and pay it twice. Throws `payments-suspended` until a restore has found all accounts.
 */
async function refuseUnfound(db: Service['db'], address: Address): Promise<void> {
  if ((await readKnownBlock(db)) === null) return;
  const account = await lookUpAccount(db, address);
  if (account && account.kind !== 'external') return;
  const reason = 'The database may be older than the chain, and does not know whose this address is';
  throw new Problem('payments-suspended', `${reason}. Run \`quarters restore\` first.`);
}

/** Whom quarters may be issued to: an address, an app's id or a user's id. */
export async function findIssueRecipient(
  { db, chain }: Pick<Service, 'db' | 'chain'>,
  treasury: Address,
  text: string,
): Promise<Address> {
  if (namesAddress(text)) {
    const address = pastedAddress(text, chain.chainId, '/recipient');
    const { token, settlement } = chain.contracts;
    if (address === ZERO_ADDRESS) throw invalidInput('/recipient', 'is the zero address: the token refuses it');
    if (address === token || address === settlement)
      throw invalidInput('/recipient', 'is a contract of this service: what is sent there is lost');
    if (address === treasury) throw invalidInput('/recipient', 'is the treasury, which the quarters come from');
    await refuseUnfound(db, address);
    return address;
  }
  const app = await lookUpNamedApp(db, text);
  if (app?.deletedAt) throw new Problem('not-found', `The app "${text}" is deleted: nobody reaches its quarters.`);
  const account = await lookUpNamedAccount(db, text);
  if (!account || account.closedAt) throw new Problem('not-found', `There is no app and no user "${text}".`);
  return account.address;
}
