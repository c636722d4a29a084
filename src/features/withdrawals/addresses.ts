import { type Address, parseAddress, toChecksum, ZERO_ADDRESS } from '../../base/address.ts';
import { chainName } from '../../base/chain-names.ts';
import { readPasted } from '../../base/pasted-address.ts';
import { Problem, refusedEntry } from '../../base/problems.ts';
import { newSecret } from '../../base/secrets.ts';
import { listRelayers } from '../../chain/relayers.ts';
import { minutesToStop } from '../../identity/minutes-to-stop.ts';
import { confirmsFrom, usePasskey } from '../../identity/passkeys.ts';
import { lockUsers, type User } from '../../identity/users.ts';
import {
  deleteWithdrawalAddress,
  findStoppable,
  insertWithdrawalAddress,
  MAX_WITHDRAWAL_ADDRESSES,
  stopWithdrawalAddress,
} from '../../identity/withdrawal-addresses.ts';
import { oursAmong } from '../../ledger/accounts.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { refuseWhileFrozen } from '../../service/stopped.ts';
import { hoursOrMinutes } from '../../words/words.ts';
import { countAttempt } from '../attempts/throttle.ts';
import { checkPasskeyAnswer, useIn } from '../credentials/passkey-use.ts';
import type { WriteMail } from '../mails/mail-layout.ts';
import { queueWarning } from '../mails/mails.ts';

/** Where a mailed link stops an address. */
export const STOP_ADDRESS_PATH = '/withdrawals/stop';

/** Whether players may withdraw. */
export const mayWithdraw = ({ settings }: Pick<Service, 'settings'>): boolean => settings.withdrawals === 'on';

/** Throws `not-found` where the operator allows no withdrawals. */
export function requireWithdrawals(service: Pick<Service, 'settings'>): void {
  if (!mayWithdraw(service)) throw new Problem('not-found', 'Withdrawals are off.');
}

/** What a passkey signs that confirms a new address. */
export const addressUse = (session: Session, typed: string) => useIn(session, 'withdrawal-address', typed);

/** `typed`: the address, not checked yet. `answer`: that of the passkey which confirms it. */
export type AddressToAdd = { readonly typed: string; readonly answer: object };

/**
 * Adds an address, confirmed by a passkey that is 24 hours old. A mail with a link that stops it goes to the owner, and to the e-mail addresses
 * that they had lately. 24 hours after these are delivered, or given up, the person may withdraw to it. See {@link minutesToStop}.
 *
 * Throws `invalid-input`, whose fault points at `/address` or `/proof`.
 */
export async function addWithdrawalAddress(
  service: Service,
  user: User,
  session: Session,
  { typed, answer }: AddressToAdd,
): Promise<void> {
  const { db, security } = service;
  requireWithdrawals(service);
  // Each may mail the owner, and tells whether an address is ours.
  await countAttempt(service, 'withdrawal address', [{ key: `user ${user.id}`, most: 20, minutes: 24 * 60 }]);
  const address = await usableAddress(service, typed);
  const proof = await checkPasskeyAnswer(service, answer, addressUse(session, typed));
  if (!proof) throw unproved();
  if (confirmsFrom(proof, minutesToStop(service)) > new Date()) {
    throw refusedEntry(['/proof', { code: 'passkey-young' }]);
  }
  const stopToken = newSecret('stop link');
  await db.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    if (!(await usePasskey(tx, proof.id, proof.signCount))) throw unproved();
    const notices = await queueWarning(service, tx, user, addedMail(service, address, stopToken));
    const owned = { userId: user.id, address, passkeyId: proof.id };
    const added = await insertWithdrawalAddress(tx, { ...owned, stopToken, notices });
    if (added === 'known') throw refusedEntry(['/address', { code: 'address-known' }]);
    if (added === 'full') {
      throw refusedEntry(['/address', { code: 'addresses-full', number: MAX_WITHDRAWAL_ADDRESSES }]);
    }
    await holdSession(tx, session);
    await refuseWhileFrozen(tx, service, user.id);
    await recordChange(tx, { action: 'withdrawal-address-added', subject: { kind: 'user', id: user.id }, by: user.id });
  });
  security.note('withdrawal-address-changed', { userId: user.id, what: 'add' });
}

export const unproved = () => refusedEntry(['/proof', { code: 'passkey-not-theirs' }]);

/** Throws `invalid-input` unless it is written with its checksum (EIP-55) and nothing here is at it. */
async function usableAddress(service: Pick<Service, 'db' | 'chain'>, typed: string): Promise<Address> {
  const text = ofOurChain(typed.trim(), service.chain.chainId);
  const address = parseAddress(text);
  // A wrong digit would send quarters to nobody, and only the checksum shows it.
  if (!address || text !== toChecksum(address) || address === ZERO_ADDRESS) {
    throw refusedEntry(['/address', { code: 'address-unusable' }]);
  }
  if (await isOurs(service, address)) throw refusedEntry(['/address', { code: 'address-ours' }]);
  return address;
}

/** The address alone, as it is written. Throws `invalid-input` if its wallet names another chain. */
function ofOurChain(text: string, chainId: number): string {
  const pasted = readPasted(text, chainId);
  if (pasted.kind === 'here') return pasted.written;
  if (pasted.kind === 'more') throw refusedEntry(['/address', { code: 'address-more' }]);
  // Names of chains are the same in all languages.
  const names = [pasted.chain, chainId].map((chain) =>
    typeof chain === 'string' ? chain : chainName(chain, `eip155:${chain}`),
  );
  throw refusedEntry(['/address', { code: 'address-elsewhere', names }]);
}

/** Whether it is a contract, a relayer or an account of this service, or one that an account has left. */
async function isOurs({ db, chain }: Pick<Service, 'db' | 'chain'>, address: Address): Promise<boolean> {
  const { token, settlement } = chain.contracts;
  if (address === token || address === settlement || (await oursAmong(db, [address])).has(address)) return true;
  return (await listRelayers(db)).some((relayer) => relayer.address === address);
}

/** Removes an address. Also a frozen user may. Does nothing if it is gone. */
export async function removeWithdrawalAddress({ db, security }: Service, user: User, typed: string): Promise<void> {
  const address = parseAddress(typed);
  const removed = await db.transaction(async (tx) => {
    if (!address || !(await deleteWithdrawalAddress(tx, { userId: user.id, address }))) return false;
    await recordChange(tx, {
      action: 'withdrawal-address-removed',
      subject: { kind: 'user', id: user.id },
      by: user.id,
    });
    return true;
  });
  if (removed) security.note('withdrawal-address-changed', { userId: user.id, what: 'remove' });
}

/** What a mailed link would stop, for the page that asks. Null: the address is gone, or the link is too old. */
export async function readStopLink(
  { db }: Pick<Service, 'db'>,
  stopToken: string,
): Promise<{ readonly address: Address; readonly isStopped: boolean } | null> {
  const found = await findStoppable(db, stopToken);
  return found && { address: found.address, isStopped: found.state === 'stopped' };
}

/**
 * Stops an address for good, by its mailed link. The holder of the link need not be signed in. A withdrawal that was accepted before still
 * happens. False if the address is gone, or the link is too old.
 */
export async function stopByLink({ db, security }: Service, stopToken: string): Promise<boolean> {
  const { found, stopped } = await db.transaction(async (tx) => {
    const found = await findStoppable(tx, stopToken);
    const stopped = found !== null && (await stopWithdrawalAddress(tx, found));
    if (stopped) {
      const subject = { kind: 'user', id: found.userId } as const;
      await recordChange(tx, { action: 'withdrawal-address-stopped', subject, by: found.userId });
    }
    return { found, stopped };
  });
  if (found && stopped) security.note('withdrawal-address-changed', { userId: found.userId, what: 'stop' });
  return found !== null;
}

function addedMail(service: Service, address: Address, stopToken: string): WriteMail {
  const { publicUrl, settings } = service;
  return (words) => {
    const { mails } = words;
    return {
      subject: mails.withdrawalAddress.subject,
      parts: [
        mails.withdrawalAddress.added(settings.brandName, hoursOrMinutes(words, minutesToStop(service))),
        { lines: [toChecksum(address)] },
        mails.withdrawalAddress.stop,
        { link: `${publicUrl}${STOP_ADDRESS_PATH}?token=${stopToken}`, label: mails.withdrawalAddress.link },
        mails.notYou,
        { link: `${publicUrl}/forgot`, label: mails.setPassword },
      ],
    };
  };
}
