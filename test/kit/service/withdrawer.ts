import { randomBytes } from 'node:crypto';
import { type Address, asAddress, toChecksum } from '../../../src/base/address.ts';
import { newTransferId } from '../../../src/base/ids.ts';
import { addressUse, addWithdrawalAddress } from '../../../src/features/withdrawals/addresses.ts';
import { type WithdrawalForm, withdraw, withdrawalUse } from '../../../src/features/withdrawals/withdraw.ts';
import { findUser, type User } from '../../../src/identity/users.ts';
import type { Accepted } from '../../../src/service/instruction.ts';
import type { Service } from '../../../src/service/service.ts';
import { readyAddresses } from '../../rows/withdrawals.ts';
import { createPerson, type Person } from './people.ts';
import type { TestService } from './service.ts';
import { type SoftPasskey, softPasskey } from './soft-passkey.ts';

/** Somebody with a passkey. */
export type Withdrawer = {
  readonly person: Person;
  readonly user: User;
  readonly passkey: SoftPasskey;
  /** Adds an address, confirmed by the passkey. `service`: another process. */
  add(typed: string, service?: Service): Promise<void>;
  /** Fills in the form, sends it and confirms it. */
  take(amount: number, to: Address, form?: Partial<WithdrawalForm> & { readonly service?: Service }): Promise<Accepted>;
};

/** `person`: who gets a passkey; left out: somebody new. */
export async function newWithdrawer(s: TestService, who?: Person): Promise<Withdrawer> {
  const person = who ?? (await createPerson(s));
  const user = (await findUser(s.service.db, person.userId))!;
  const passkey = await softPasskey(s, person.userId);
  return {
    ...{ person, user, passkey },
    add: async (typed, service = s.service) => {
      const answer = await passkey.answer(addressUse(person.session, typed), service);
      return addWithdrawalAddress(service, user, person.session, { typed, answer });
    },
    take: async (amount, to, { service = s.service, ...form } = {}) => {
      const filled = { ...{ form: newTransferId(), address: toChecksum(to), amount: `${amount}` }, ...form };
      const answer = form.answer ?? (await passkey.answer(withdrawalUse(person.session, filled), service));
      return withdraw(service, user, person.session, { ...filled, answer });
    },
  };
}

/** The same with an address that is ready, and quarters that are final. Needs a `FINAL_AFTER` of 1. */
export async function readyWithdrawer(
  s: TestService,
  quarters: number,
  who?: Person,
): Promise<Withdrawer & { to: Address }> {
  const withdrawer = await newWithdrawer(s, who);
  const to = outsideAddress();
  await withdrawer.add(toChecksum(to));
  await readyAddresses(s.service.db, withdrawer.user.id);
  await s.issue(withdrawer.user.id, quarters);
  await makeFinal(s);
  return { ...withdrawer, to };
}

/** An address of nobody here. */
export const outsideAddress = (): Address => asAddress(`0x${randomBytes(20).toString('hex')}`);

/** Makes a block, so that all that came in before is final with a `FINAL_AFTER` of 1. */
export async function makeFinal(s: TestService): Promise<void> {
  await s.settled();
  await s.evm.rpc('evm_mine');
  await s.settled();
}
