import { listActiveRelayers, type Relayer } from '../../chain/relayers.ts';
import { readBalanceWei, readSeenNonce } from '../../chain/state.ts';
import { readWrappedSeed } from '../../custody/data-keys.ts';
import type { Queries } from '../../db/database.ts';
import { readSuspension } from '../../ledger/suspension.ts';
import { isMoving } from '../../ledger/sweeps.ts';
import { type AccountsOfKind, countAccountsToSweep, hasOtherHolds } from '../../ledger/swept-accounts.ts';
import { listProcesses } from '../../membership/processes.ts';
import type { Service } from '../../service/service.ts';
import { isChainInOrder } from '../../settlement/attach.ts';
import { countOpenTransfers } from '../../settlement/tables/transfers.ts';

/** What a sweep would do now. */
export type SweepPlan = {
  /** The accounts that get new keys, by their kinds. */
  readonly accounts: readonly AccountsOfKind[];
  /** Those that get others, with what they have, and the nonce that is free on the chain: somebody else may have used their keys. */
  readonly relayers: readonly (Relayer & { readonly wei: bigint; readonly nonce: bigint })[];
  /** Since when the master key is the one that it is now. */
  readonly masterKeySince: Date;
  /** The chain has payments of ours that the database lacks. */
  readonly chainKnowsMore: boolean;
};

/** Reads what a sweep would do. Throws if it cannot be done now, and says what to do first. */
export async function planSweep(service: Service): Promise<SweepPlan> {
  const { db, rpc, readiness } = service;
  await refuseSweep(db);
  if (!(await isChainInOrder(service))) {
    throw new Error(
      'The node does not answer, or is not in order: the ether of the relayers cannot be read. Nothing was done.',
    );
  }
  const [accounts, relayers, seed] = await Promise.all([
    countAccountsToSweep(db),
    listActiveRelayers(db),
    readWrappedSeed(db),
  ]);
  const onChain = await Promise.all(
    relayers.map(async ({ address }) => {
      const [wei, nonce] = await Promise.all([readBalanceWei(rpc, address), readSeenNonce(rpc, address)]);
      return { wei, nonce };
    }),
  );
  return {
    accounts,
    relayers: relayers.map((relayer, i) => ({ ...relayer, ...onChain[i]! })),
    masterKeySince: seed!.wrappedAt,
    chainKnowsMore: readiness.suspended,
  };
}

/** Throws if a sweep cannot be made now. Call it again in its transaction, where nobody can enter. */
export async function refuseSweep(db: Queries): Promise<void> {
  const processes = await listProcesses(db);
  if (processes.length > 0) {
    const named = processes.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ');
    throw new Error(`The service runs: ${named}. Stop it first. Nothing was done.`);
  }
  if (await readSuspension(db)) {
    throw new Error(
      'Payments are suspended, because the chain has payments that the database lacks. If others have made them with your keys, run first: quarters suspension accept. Otherwise start the service, and run: quarters restore',
    );
  }
  if (await isMoving(db)) {
    throw new Error('The quarters of the last sweep have not all moved. Start the service, and wait until they have.');
  }
  const open = await countOpenTransfers(db, MOST_COUNTED);
  if (open > 0) {
    throw new Error(
      `${onTheirWay(open)} on their way. Start the service, wait until they are completed (quarters transfers list), or cancel them, and stop it again.`,
    );
  }
  if (await hasOtherHolds(db)) {
    throw new Error('More quarters are held than rewards and transfers need. See first what differs: quarters audit');
  }
}

const MOST_COUNTED = 10_000;

function onTheirWay(open: number): string {
  if (open === 1) return '1 transfer is';
  return `${open === MOST_COUNTED ? 'Many' : open} transfers are`;
}
