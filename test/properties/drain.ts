import { listRelayers } from '../../src/chain/relayers.ts';
import { attachToChain } from '../../src/settlement/attach.ts';
import { broadcast } from '../../src/settlement/broadcast.ts';
import { followChain } from '../../src/settlement/follow.ts';
import { suspectStranded } from '../../src/settlement/readiness.ts';
import { recoverTransactions } from '../../src/settlement/recover.ts';
import type { Service } from '../../src/settlement/service.ts';
import { ageTransactions } from '../rows/transfers.ts';
import { seededRandom } from './random.ts';
import type { World } from './world.ts';

const ROUNDS = 15;

/** Follows the chain until nothing is left to follow. */
export async function follow(service: Service): Promise<void> {
  while (await followChain(service));
}

/**
 * The work of the loop `attach`: a process that began while the chain lacked the contracts sends nothing until they
 * exist.
 */
async function attach(service: Service): Promise<void> {
  if (service.readiness.chain !== 'ok') await attachToChain(service);
}

export async function recover(service: Service): Promise<void> {
  await attach(service);
  await recoverTransactions(service);
}

export async function broadcastAll(service: Service): Promise<void> {
  for (const { address } of await listRelayers(service.db)) await broadcast(service, address);
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
    await follow(service);
    for (const { address, missing } of await uncovered(service)) chain.deposit(address, missing);
    await broadcastAll(service);
    chain.mine(all);
    chain.mine(all);
    await follow(service);
    suspectStranded(service);
    await recover(service);
    if (await isDrained(service)) return;
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
    `SELECT FROM transfers WHERE status IN ('approved', 'submitted')
     UNION ALL SELECT FROM transactions WHERE status IN ('signed', 'sent') LIMIT 1`,
  );
  return open.length === 0;
}
