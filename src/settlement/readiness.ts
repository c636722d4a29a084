import { readSuspension } from '../ledger/suspension.ts';
import { isMoving } from '../ledger/sweeps.ts';
import type { Engine } from './engine.ts';
import { readRecovery } from './tables/recovered.ts';

// How other rooms change the state that this process keeps in memory: they themselves have a readonly view of it.

/** The start is complete, so `/readyz` may be green. */
export function markStarted({ readiness }: Pick<Engine, 'readiness'>): void {
  readiness.started = true;
}

/** The process will end: proxies should send new calls elsewhere, and connections should not be used again. */
export function markStopping({ readiness }: Pick<Engine, 'readiness'>): void {
  readiness.stopping = true;
}

/**
 * The database is known to be the newest although this start has not compared it: the last process left it in order, another process has
 * compared it, or this start has made it.
 */
export function trustDatabase({ readiness }: Pick<Engine, 'readiness'>): void {
  readiness.trusted = true;
}

/** `looking`: the first look at the chain, which goes on after the start. */
export function noteFirstLook({ readiness }: Pick<Engine, 'readiness'>, looking: Promise<void>): void {
  readiness.looked = looking;
}

/** For a command: the services log what they find. */
export async function readSuspensionQuietly({ db, readiness }: Pick<Engine, 'db' | 'readiness'>): Promise<void> {
  readiness.suspended = (await readSuspension(db)) !== null;
  readiness.moving = await isMoving(db);
  readiness.recovered = await readRecovery(db);
}

/**
 * Another database server has taken over. With a synchronous standby it has every payment. Otherwise it may lack the last ones, so the
 * database is compared with the chain before anything is accepted or sent.
 */
export function compareAgain({ readiness, log }: Pick<Engine, 'readiness' | 'log'>): void {
  if (readiness.compared !== 'again') {
    log.warn({}, 'another database server has taken over: payments wait until it is compared with the chain');
  }
  readiness.compared = 'again';
  readiness.trusted = false;
}

/** Whether transactions may be sent: the chain is in order, and this database server has been compared with it. */
export function maySend({ chain, compared }: Pick<Engine['readiness'], 'chain' | 'compared'>): boolean {
  return chain === 'ok' && compared === 'done';
}

/** Looks at the database are numbered as they begin. `shown`: which one each process has its state from. */
let looks = 0;
const shown = new WeakMap<Engine['readiness'], number>();

/**
 * Reads from the database whether payments are suspended, whichever process found it out or accepted it, and what a restore has found, which
 * may look once more when payments continue. Looks may overlap. An answer that comes after that of a later look is not taken: it may be from
 * before the suspension.
 */
export async function refreshSuspension({
  db,
  readiness,
  log,
}: Pick<Engine, 'db' | 'readiness' | 'log'>): Promise<void> {
  const look = ++looks;
  const suspension = await readSuspension(db);
  // After that, as a restore ends the suspension when it has stored what it has found.
  const [moving, recovered] = await Promise.all([isMoving(db), readRecovery(db)]);
  if ((shown.get(readiness) ?? 0) > look) return;
  shown.set(readiness, look);
  // Before payments continue: what they are named depends on it.
  readiness.recovered = recovered;
  if (readiness.moving && !moving) log.info({}, 'all quarters are at their new addresses: payments are accepted again');
  if (!readiness.moving && moving)
    log.warn({}, 'quarters move to new addresses: no payment is accepted until all have');
  readiness.moving = moving;
  if (readiness.suspended === (suspension !== null)) return;
  readiness.suspended = suspension !== null;
  if (suspension) {
    log.error(
      { since: suspension.since, ...suspension.findings },
      'the database is older than the chain: no payment is accepted until the operator confirms that (quarters suspension)',
    );
  } else log.warn({}, 'payments continue, after the database was found older than the chain');
}

/** The suspension has ended here. The other processes read it from the database. */
export async function markResumed({ db, readiness }: Pick<Engine, 'db' | 'readiness'>): Promise<void> {
  readiness.recovered = await readRecovery(db);
  readiness.suspended = false;
}

/** All quarters are at their new addresses. The other processes read it from the database. */
export function markMoved({ readiness }: Pick<Engine, 'readiness'>): void {
  readiness.moving = false;
}

/** Transfers may have lost their transaction. They are looked for at the next opportunity. */
export function suspectStranded({ settlement }: Pick<Engine, 'settlement'>): void {
  settlement.strandedSuspected = true;
}
