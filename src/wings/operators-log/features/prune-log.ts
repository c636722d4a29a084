import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../../base/problems.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import { refuseInTheDark } from '../../../settlement/may-act.ts';
import { lockChain } from '../store/chain.ts';
import { findEntry } from '../store/entries.ts';
import { openLogSigner } from '../store/log-signer.ts';
import { deleteEntries, forgetClients, insertCheckpoint, lastBefore, readCheckpoint } from '../store/pruning.ts';
import { signedPlaceOf } from '../views/sign-head.ts';
import { verifyLog } from '../views/verify-log.ts';

type Deps = Pick<Service, 'db' | 'vault' | 'publicUrl' | 'chain' | 'readiness'>;

/** The first entry that stays: its sequence number, or the time from which on entries stay. */
export type PruneFrom = { readonly sequence: bigint } | { readonly time: Date };

export type Pruning = {
  /** The last entry that is deleted. */
  readonly upTo: bigint;
  readonly entries: bigint;
};

/** What pruning would delete. Throws `not-found` if that is nothing. */
export async function planPruning({ db }: Pick<Deps, 'db'>, from: PruneFrom): Promise<Pruning> {
  const upTo = 'time' in from ? await lastBefore(db, from.time) : from.sequence - 1n;
  const first = ((await readCheckpoint(db))?.sequence ?? 0n) + 1n;
  if (upTo === null || upTo < first || !(await findEntry(db, upTo))) {
    throw new Problem('not-found', 'There are no entries to delete up to there.');
  }
  return { upTo, entries: upTo - first + 1n };
}

const BITE = 1_000;
const REST_MS = 20;

/**
 * Deletes the log's entries up to one, and leaves a signed checkpoint from which verification continues. The log itself records it. It verifies the
 * log first, because a checkpoint would hide what is wrong before it. If interrupted, it can be run again and continues.
 *
 * Throws if it does not verify.
 */
export async function pruneLog(
  service: Deps,
  { upTo, entries }: Pruning,
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  refuseInTheDark(service);
  const { db, vault } = service;
  const { fault } = await verifyLog(service);
  if (fault) throw new Error(`The log does not verify, so nothing was deleted. Entry ${fault.sequence}: ${fault.what}`);
  const signer = await openLogSigner(db, vault);
  await db.transaction(async (tx) => {
    await lockChain(tx);
    const last = await findEntry(tx, upTo);
    const earlier = await readCheckpoint(tx);
    if (!last || (earlier && earlier.sequence >= upTo))
      throw new Problem('not-found', 'Somebody else has just pruned.');
    await insertCheckpoint(tx, { ...last, signature: signer.sign('checkpoint', signedPlaceOf(service, last)) });
    const after = { upTo, hash: last.hash.toString('hex'), entries };
    await recordChange(tx, { action: 'log-pruned', subject: { kind: 'log', id: 'operator-log' }, after });
  });
  await deletePruned(service, onProgress);
}

/** Deletes what the newest checkpoint covers, in bites, so that nothing waits for it. */
export async function deletePruned(
  { db }: Pick<Deps, 'db'>,
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  const checkpoint = await readCheckpoint(db);
  if (!checkpoint) return;
  const clients = new Set<string>();
  for (let done = 0; ; await delay(REST_MS)) {
    const deleted = await db.transaction((tx) => deleteEntries(tx, checkpoint.sequence, BITE));
    for (const name of deleted.clients) clients.add(name);
    done += deleted.count;
    onProgress(done);
    if (deleted.count < BITE) break;
  }
  await forgetClients(db, [...clients]);
}
