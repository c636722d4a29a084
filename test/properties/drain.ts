import { listRelayers } from '../../src/chain/relayers.ts';
import type { Service } from '../../src/service/service.ts';
import { attachToChain } from '../../src/settlement/attach.ts';
import { openBroadcast } from '../../src/settlement/broadcast.ts';
import { checkNonces } from '../../src/settlement/check-nonces.ts';
import { followChain } from '../../src/settlement/follow.ts';
import { suspectStranded } from '../../src/settlement/readiness.ts';
import { ageTransactions } from '../rows/transfers.ts';
import { seededRandom } from './random.ts';
import type { World } from './world.ts';

const ROUNDS = 15;

/** Follows the chain until nothing is left to follow. A process that began while the chain lacked the contracts waits for them. */
export async function follow(service: Service): Promise<void> {
  while (await followOnce(service));
}

/** The work of the loop `follow`, which waits until the chain is in order. */
export async function followOnce(service: Service): Promise<boolean> {
  return service.readiness.chain === 'ok' && (await followChain(service));
}

/**
 * The work of the loop `attach`: a process that began while the chain lacked the contracts sends nothing until they
 * exist.
 */
async function attach(service: Service): Promise<void> {
  if (service.readiness.chain !== 'ok') await attachToChain(service);
}

/** Resolves to whether everything was in order. */
export async function recover(service: Service): Promise<boolean> {
  await attach(service);
  return checkNonces(service);
}

/** The broadcasts of each process, by relayer: a process remembers what the chain had used. */
const broadcasts = new WeakMap<Service, Map<string, () => Promise<unknown>>>();

/** Makes a process forget what it remembers of earlier broadcasts. */
export function forgetBroadcasts(service: Service): void {
  broadcasts.delete(service);
}

export async function broadcastAll(service: Service): Promise<void> {
  const own = broadcasts.get(service) ?? new Map<string, () => Promise<unknown>>();
  broadcasts.set(service, own);
  for (const { address } of await listRelayers(service.db)) {
    const broadcast = own.get(address) ?? openBroadcast(service, address);
    own.set(address, broadcast);
    await broadcast();
  }
}

/** Ends pauses that the database's clock measures: before sending again, and before trying again. */
export async function letTimePass({ db }: Service): Promise<void> {
  await ageTransactions(db, '1 hour');
}

/**
 * Without further faults: runs the loops' work in turns, until nothing is on its way or it is clear that it never ends.
 */
export async function drain({ service, chain }: Pick<World, 'service' | 'chain'>): Promise<void> {
  const all = { share: 100, drop: 0, random: seededRandom(1) };
  chain.calm();
  // What waited outside arrives (perhaps a pause), and then nobody disturbs any more.
  chain.mineNow();
  chain.pause(false);
  for (let round = 0; round < ROUNDS; round++) {
    await attach(service);
    await follow(service);
    for (const { address, missing } of await uncovered(service)) chain.deposit(address, missing);
    await broadcastAll(service);
    chain.mine(all);
    chain.mine(all);
    await follow(service);
    suspectStranded(service);
    // Somebody else's use of a nonce may be the last thing to find out.
    if ((await recover(service)) && (await isDrained(service))) return;
    await letTimePass(service);
  }
}

/** Accounts that spent a deposit that was orphaned for good: the operator compensates them. */
async function uncovered({ db }: Service) {
  return db.query<{ address: string; missing: bigint }>(
    `SELECT address, held - posted AS missing FROM accounts WHERE held > posted AND kind <> 'external'`,
  );
}

async function isDrained({ db }: Service): Promise<boolean> {
  const open = await db.query(
    `SELECT FROM open_transfers
     UNION ALL
     SELECT FROM transactions
      WHERE nonce >= coalesce((
        SELECT below FROM consumed_nonces AS used WHERE used.relayer = transactions.relayer ORDER BY block_number DESC LIMIT 1), 0)
      LIMIT 1`,
  );
  return open.length === 0;
}
