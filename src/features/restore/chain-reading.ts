import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '../../base/address.ts';
import { readHeader } from '../../chain/blocks.ts';
import { listActiveRelayers } from '../../chain/relayers.ts';
import { readNonce, readSeenNonce } from '../../chain/state.ts';
import { readShownAuthorizations } from '../../chain/token-logs.ts';
import { readCursor } from '../../ledger/blocks.ts';
import { listProcesses } from '../../membership/processes.ts';
import type { Service } from '../../service/service.ts';
import { followChain } from '../../settlement/follow.ts';
import { authorizationsWithoutTransfer } from '../../settlement/tables/unknown-authorizations.ts';

/** `step`: what is done now, such as `Reading payments`. */
export type ReportStep = (step: string, done?: number, total?: number) => void;

/** The last block that the ledger has, and how many payments that no transfer knows are above it. */
type ReadBlocks = { readonly last: bigint; readonly unread: number };

/** How the ledger comes to have the newest blocks, in which the lost payments are. */
export type ChainReading = {
  /** Returns how many transactions of relayers are not mined. */
  untilPoolIsEmpty(): Promise<number>;
  untilFollowed(): Promise<ReadBlocks>;
};

const LOOK_AGAIN_MS = 250;
/** How long transactions in a pool, or blocks above payments, are waited for, since the last one came. */
const POOL_MS = 60_000;

/** A service reads the chain. It has suspended payments, so what waits comes to an end. */
export function besideService(service: Service, report: ReportStep): ChainReading {
  return {
    untilPoolIsEmpty: () => untilPoolIsEmpty(service, report),
    untilFollowed: () => untilFollowed(service, report),
  };
}

/** The command reads the chain itself, up to now. Elsewhere a service may go on paying, so nothing is waited for. */
export function withoutService(service: Service, report: ReportStep): ChainReading {
  return {
    untilPoolIsEmpty: async () => countUnmined(service, await readSent(service)),
    async untilFollowed() {
      const { head, target } = await confirmedNow(service);
      const last = await followUpTo(service, target, report);
      return { last, unread: await countUnread(service, last, head) };
    },
  };
}

/** The newest block, and the newest one that is read by now. */
async function confirmedNow({ rpc, settings }: Service): Promise<{ head: bigint; target: bigint }> {
  const head = await readHeader(rpc, 'latest');
  if (!head) throw new Error('The chain node has no blocks');
  return { head: head.number, target: head.number - BigInt(settings.completeAfter) + 1n };
}

async function followUpTo(service: Service, target: bigint, report: ReportStep): Promise<bigint> {
  let [reached, since] = [-1n, performance.now()];
  for (;;) {
    const cursor = await readCursor(service.db);
    if (cursor?.complete && cursor.number >= target) return cursor.number;
    report('Reading blocks', Number(cursor?.number ?? 0n), Number(target));
    if (cursor && cursor.number !== reached) [reached, since] = [cursor.number, performance.now()];
    if (performance.now() - since > POOL_MS) throw new Error(`Block ${reached + 1n} could not be read for a minute.`);
    if (!(await followChain(service))) await delay(LOOK_AGAIN_MS);
  }
}

/**
 * Waits until the service has read the chain, and with it the payments in its newest blocks, which are read only when enough blocks are
 * above them. Returns the last block that is read, and how many payments are above it: a chain that mines only what is sent makes no more.
 */
async function untilFollowed(service: Service, report: ReportStep): Promise<ReadBlocks> {
  const { db } = service;
  const { head, target } = await confirmedNow(service);
  let [last, since] = [-1n, performance.now()];
  for (; ; await delay(LOOK_AGAIN_MS)) {
    const cursor = await readCursor(db);
    if (cursor?.complete && cursor.number >= target) {
      if (cursor.number !== last) [last, since] = [cursor.number, performance.now()];
      const unread = await countUnread(service, last, head);
      if (unread === 0 || performance.now() - since > POOL_MS) return { last, unread };
      report(`Waiting until ${unread} earlier payments have enough blocks above them`);
      continue;
    }
    if (!(await listProcesses(db)).some(({ working }) => working)) {
      throw new Error(
        'No service is running that reads the chain. Start one: it accepts no payment before this has ended.',
      );
    }
    report('Waiting until the service has read the chain', Number(cursor?.number ?? 0n), Number(target));
  }
}

/** The authorizations above a block that no transfer knows. Of whose account they are may be found out below. */
async function countUnread({ db, rpc, chain }: Service, last: bigint, head: bigint): Promise<number> {
  let count = 0;
  for await (const shown of readShownAuthorizations(rpc, chain.contracts.token, last + 1n, head)) {
    count += (await authorizationsWithoutTransfer(db, shown, async () => last)).length;
  }
  return count;
}

/**
 * Waits for transactions that were sent before the database was restored, or a moment ago. Returns how many have not been mined for a minute.
 */
async function untilPoolIsEmpty(service: Service, report: ReportStep): Promise<number> {
  const sent = await readSent(service);
  let left = await countUnmined(service, sent);
  for (let since = performance.now(); left > 0 && performance.now() - since < POOL_MS; ) {
    report(`Waiting until ${left} earlier transactions are mined`);
    await delay(LOOK_AGAIN_MS);
    const now = await countUnmined(service, sent);
    if (now < left) since = performance.now();
    left = now;
  }
  return left;
}

type SentUpTo = { readonly address: Address; readonly nonce: bigint };

/** The next nonce of each relayer, after what is in a pool. */
async function readSent({ db, rpc }: Service): Promise<SentUpTo[]> {
  const relayers = await listActiveRelayers(db);
  return Promise.all(relayers.map(async ({ address }) => ({ address, nonce: await readSeenNonce(rpc, address) })));
}

/** How many of these are not mined. What is sent meanwhile does not count. */
async function countUnmined({ rpc }: Service, sent: readonly SentUpTo[]): Promise<number> {
  const left = sent.map(async ({ address, nonce }) => nonce - (await readNonce(rpc, address, 'latest')));
  return (await Promise.all(left)).reduce((all, one) => all + Math.max(0, Number(one)), 0);
}
