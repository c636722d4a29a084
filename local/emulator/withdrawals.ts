import { parseAddress, toChecksum } from '../../src/base/address.ts';
import { newTransferId } from '../../src/base/ids.ts';
import { offerPasskeyUse } from '../../src/features/credentials/passkey-use.ts';
import { addressUse, addWithdrawalAddress } from '../../src/features/withdrawals/addresses.ts';
import { withdraw, withdrawalUse } from '../../src/features/withdrawals/withdraw.ts';
import { findPasskey, insertPasskey, type PasskeyUse } from '../../src/identity/passkeys.ts';
import type { User } from '../../src/identity/users.ts';
import { listWithdrawalAddresses } from '../../src/identity/withdrawal-addresses.ts';
import type { Session } from '../../src/oauth/sessions.ts';
import type { Accepted } from '../../src/service/instruction.ts';
import { oncePerService } from '../../src/service/once-per-service.ts';
import type { Service } from '../../src/service/service.ts';
import { newPasskeyDevice, type PasskeyDevice } from './passkey-device.ts';
import { signedIn } from './player-acts.ts';
import { playerOf } from './players.ts';
import type { World } from './world.ts';

export type Withdrawal = { readonly to: string; readonly amount: number };

/** The devices of players. Their passkeys are in the database. */
const devices = oncePerService(() => new Map<User['id'], PasskeyDevice>());

/**
 * Sends a player's quarters to an address outside, as the page does. The player has a passkey since long ago, which signs. An address that is
 * new is added as on its page, and has waited its 24 hours. Only quarters that are final leave, so the blocks are made that make them so,
 * unless blocks are made by hand.
 */
export async function withdrawTo(world: World, player: string, { to, amount }: Withdrawal): Promise<Accepted> {
  const { service } = world;
  const user = await playerOf(service, player);
  return signedIn(service, user, async (session) => {
    const device = await deviceOf(service, user);
    const sign = async (use: PasskeyUse) =>
      device.sign((await offerPasskeyUse(service, use, user.id)).challenge, service.publicUrl);
    await addAddress(service, { user, session, to, sign });
    if (world.gate.isOpen && world.blocks.mode() !== 'manual') await makeFinal(world);
    const form = { form: newTransferId(), address: to, amount: `${amount}` };
    const answer = await sign(withdrawalUse(session, form));
    return withdraw(service, user, session, { ...form, answer });
  });
}

/** A passkey confirms an address when it is a day old. */
async function deviceOf(service: Service, { id: userId }: User): Promise<PasskeyDevice> {
  const kept = devices(service).get(userId);
  if (kept && (await findPasskey(service.db, kept.id))) return kept;
  const device = newPasskeyDevice();
  const { id, publicKey } = device;
  await service.db.transaction(async (tx) => {
    await insertPasskey(tx, { id, userId, name: 'Phone', publicKey, signCount: 0, transports: [] });
    await tx.query(`UPDATE passkeys SET created_at = created_at - interval '25 hours' WHERE id = $1`, [id]);
  });
  devices(service).set(userId, device);
  return device;
}

type NewAddress = {
  readonly user: User;
  readonly session: Session;
  readonly to: string;
  sign(use: PasskeyUse): Promise<object>;
};

/** One that the player has added on the page, and that waits, goes on waiting. */
async function addAddress(service: Service, { user, session, to, sign }: NewAddress): Promise<void> {
  const address = parseAddress(to);
  const known = await listWithdrawalAddresses(service.db, user.id);
  if (known.some((one) => one.address === address)) return;
  // All of one case has no checksum. The page wants one, and a program has it from us.
  const typed = address ? toChecksum(address) : to;
  await addWithdrawalAddress(service, user, session, { typed, answer: await sign(addressUse(session, typed)) });
  await service.db.query('UPDATE withdrawal_addresses SET usable_at = now() WHERE user_id = $1 AND address = $2', [
    user.id,
    address,
  ]);
}

/** The depth at which anvil calls a block final, too. */
const USUAL_DEPTH = 64;

async function makeFinal({ service, blocks, settled }: World): Promise<void> {
  const { settings, settlement } = service;
  await settled();
  await blocks.mine(settings.finalAfter === 'auto' ? USUAL_DEPTH : settings.finalAfter);
  // What is final is asked for every few seconds. Now it has changed.
  settlement.final.readAt = Number.NEGATIVE_INFINITY;
  await settled();
}
