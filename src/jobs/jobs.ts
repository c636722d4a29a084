import type { Address } from '../base/address.ts';
import { readHeader } from '../chain/blocks.ts';
import { webhookSender } from '../features/webhooks/send-webhooks.ts';
import { IncompatibleRelease } from '../membership/join.ts';
import { loadAll } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import { countBacklog } from '../settlement/backlog.ts';
import { openBroadcast, sendAgain } from '../settlement/broadcast.ts';
import { checkNonces } from '../settlement/check-nonces.ts';
import { followChain } from '../settlement/follow.ts';
import { leaseKeeper } from '../settlement/leases.ts';
import { reissueSuspected } from '../settlement/reissue.ts';
import { correctFaulty, watchStuck } from '../settlement/replace.ts';
import { learnFromMined } from '../settlement/tips.ts';
import { LOOPS } from './additions.ts';
import { attachLoop } from './attach-loop.ts';
import { auditLoop } from './audit-loop.ts';
import { choreLoops, choresOf } from './chore-loops.ts';
import { dataKeysLoop } from './data-keys-loop.ts';
import { emptyingLoop } from './emptying-loop.ts';
import { mailLoop } from './mail-loop.ts';
import { memoryLoop, refreshMemory } from './memory-loop.ts';
import { plainLoops, startLoop, whileAttached } from './plain-loops.ts';
import { type Loop, repeat } from './repeat.ts';
import { usedLoop } from './used-loop.ts';

const LEASE_PAUSE_MS = 1_000;
const BROADCAST_PAUSE_MS = 1_000;
const POLLS_PER_CHECK = 8;
const CORRECT_EVERY_MS = 3_000;
const BACKLOG_PAUSE_MS = 1_000;
const IDLE_BACKLOG_PAUSE_MS = 2_000;
const IDLE_PAUSE_MS = 5_000;
/** Separates the first runs of loops that are not urgent: all at once would take a connection each. */
const FIRST_LOOKS_APART_MS = 50;
/** In case another process, which follows for all, has died. */
const FOLLOW_AGAIN_MS = 5_000;

/** Everything that runs without a caller. `stop` releases the leases, so that another process need not wait for them. */
export type Jobs = {
  /** Lets every loop run now. Resolves when each has left nothing to do, or has failed. */
  turn(): Promise<void>;
  /** The same for the loops that bring payments to the chain and follow it. */
  settle(): Promise<void>;
  /** The same for the one that sends them to the node. */
  send(): Promise<void>;
  /** The same for the one that follows the chain. */
  follow(): Promise<void>;
  /** The same for the loop that sends webhooks. */
  deliver(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts the loops. Resolves when this process has its relayers, so that the first transfer is sent at once. `onOvertaken` gets the error
 * if a process of another release has started meanwhile: this one has to end.
 */
export async function startJobs(
  service: Service,
  onOvertaken: (error: IncompatibleRelease) => void = () => {},
): Promise<Jobs> {
  // Before anything runs: what cannot be loaded must leave nothing behind.
  const [chores, addLoops] = await Promise.all([choresOf(service), loadAll(service.house, LOOPS)]);
  const leases = leaseKeeper(service);
  await leases.keep();
  // From now on others wait for this process when they change what it keeps in memory. What they changed before is read now.
  await refreshMemory(service);
  const keepLeases = () =>
    leases.keep().catch((error: unknown) => {
      if (error instanceof IncompatibleRelease) onOvertaken(error);
      throw error;
    });

  const turn = (place: number) => place * FIRST_LOOKS_APART_MS;
  const others = service.db.hearOthers(service.security.hear);
  const { broadcasts, follow, settling } = settlementLoops(service, turn);
  const loops: Loop[] = [
    ...settling,
    repeat('leases', service, LEASE_PAUSE_MS, keepLeases, LEASE_PAUSE_MS),
    attachLoop(service),
    ...plainLoops(service, turn).flatMap((row) => (row.isOn === false ? [] : [startLoop(service, row)])),
    emptyingLoop(service, turn(6)),
    ...choreLoops(service, chores, turn(7)),
    ...auditLoop(service),
    dataKeysLoop(service, turn(1)),
    ...addLoops.flatMap((add) => add(service, turn)),
  ];
  const webhooks = webhookLoop(service, turn(4));
  const mails = mailLoop(service, turn(5));
  return {
    async turn() {
      await Promise.all([...loops, webhooks, mails].map((loop) => loop.turn()));
    },
    async settle() {
      await Promise.all(settling.map((loop) => loop.turn()));
    },
    send: broadcasts.turn,
    follow: follow.turn,
    deliver: webhooks.turn,
    async stop() {
      // A slow mail server or endpoint may delay its loop's stop. The relayers are released meanwhile.
      const notified = Promise.all([mails.stop(), webhooks.stop(), others.close()]);
      await Promise.all(loops.map((loop) => loop.stop()));
      await leases.release();
      await notified;
    },
  };
}

/** The loops that bring transfers to the chain and follow it. They poll less often while no transaction is open. */
function settlementLoops(service: Service, turn: (place: number) => number) {
  const { db, settings, settlement, admission } = service;
  const { pollMilliseconds, idlePollMilliseconds } = settings;
  const isIdle = () => settlement.backlog === 0;
  const whenIdle = (idleMs: number, pauseMs: number) => () => (isIdle() ? Math.max(idleMs, pauseMs) : pauseMs);

  const broadcasting = whileAttached(service, broadcaster(service));
  const broadcasts = repeat('broadcast', service, whenIdle(IDLE_PAUSE_MS, BROADCAST_PAUSE_MS), broadcasting);
  const following = whileAttached(service, follower(service));
  const follow = repeat('follow', service, whenIdle(idlePollMilliseconds, pollMilliseconds), following);
  const checking = whileAttached(service, nonceChecker(service));
  const checkPauseMs = pollMilliseconds * POLLS_PER_CHECK;
  // Operators know this loop as `recover`.
  const check = repeat('recover', service, whenIdle(idlePollMilliseconds, checkPauseMs), checking, turn(1));
  const counting = async () => {
    const wasIdle = isIdle();
    await admission.recount((apps, many) => countBacklog(db, apps, many));
    if (wasIdle && !isIdle()) for (const loop of [broadcasts, follow, check]) loop.wake();
    return false;
  };
  // A loop of its own: a node that hangs must not hide the size of the backlog. It also finds what another process left.
  const backlog = repeat('backlog', service, whenIdle(IDLE_BACKLOG_PAUSE_MS, BACKLOG_PAUSE_MS), counting, turn(2));
  const memory = memoryLoop(service, whenIdle(IDLE_BACKLOG_PAUSE_MS, BACKLOG_PAUSE_MS), turn(2));
  db.onAnnounced('transactions', () => {
    broadcasts.wake();
    if (isIdle()) backlog.wake();
  });
  const used = usedLoop(service, whenIdle(idlePollMilliseconds, checkPauseMs), turn(3));
  return { broadcasts, follow, settling: [broadcasts, follow, check, backlog, memory, used] };
}

/**
 * Sends the transactions of this process's relayers to the node, and makes new attempts if needed. A process that lost a
 * relayer without noticing sends the same bytes, and an attempt that two processes make at once is stored once.
 */
function broadcaster(service: Service): () => Promise<boolean> {
  const replaceStuck = watchStuck(service);
  const correctedAt = new Map<Address, number>();
  const broadcasts = new Map<Address, ReturnType<typeof openBroadcast>>();
  return async () => {
    let refused = 0;
    let reason = '';
    let made = 0;
    for (const relayer of service.settlement.leases) {
      let broadcast = broadcasts.get(relayer.address);
      if (!broadcast) {
        broadcast = openBroadcast(service, relayer.address);
        broadcasts.set(relayer.address, broadcast);
      }
      const { count, faulty, reason: said } = await broadcast();
      if (count > 0) reason = said;
      // Somebody else may have taken the ether of a retired one. Nothing of ours waits for it.
      if (relayer.purpose !== 'retired') refused += count;
      // A node with a full pool refuses every fee. Corrections are limited in time, so fees do not climb to the ceiling at once.
      if (faulty.length > 0 && performance.now() - (correctedAt.get(relayer.address) ?? -Infinity) > CORRECT_EVERY_MS) {
        correctedAt.set(relayer.address, performance.now());
        made += await correctFaulty(service, relayer, faulty);
      }
      refused += (await sendAgain(service, relayer.address, await replaceStuck(relayer))).count;
      await learnFromMined(service, relayer);
    }
    if (made > 0) return true;
    if (refused > 0) throw new Error(`The node did not take ${refused} transactions: ${reason}`);
    return false;
  };
}

/** Asks the node only, and not the database, while nothing is pending and the chain has no new block. */
function follower(service: Service): () => Promise<boolean> {
  const { settlement, rpc } = service;
  let followedTo: string | null = null;
  let followedAt = 0;
  return async () => {
    const isRecent = performance.now() - followedAt < FOLLOW_AGAIN_MS;
    if (settlement.backlog === 0 && isRecent && (await readHeader(rpc, 'latest'))?.hash === followedTo) return false;
    const again = await followChain(service);
    followedTo = again ? null : settlement.headHash;
    followedAt = performance.now();
    return again;
  };
}

/** Skips the full check while the chain has no new block and nothing is pending, because nothing can have changed. */
function nonceChecker(service: Service): () => Promise<boolean> {
  const { settlement } = service;
  let inOrderAt: string | null = null;
  return async () => {
    const { headHash } = settlement;
    if (settlement.backlog === 0 && headHash !== null && headHash === inOrderAt) await reissueSuspected(service);
    else inOrderAt = (await checkNonces(service)) ? headHash : null;
    return false;
  };
}

/** New deliveries are announced. Polling finds those that are due again and those of a process that died. */
const WEBHOOK_PAUSE_MS = 2_000;

/** Delivers webhooks to apps. */
function webhookLoop(service: Service, firstAfterMs: number): Loop {
  const sender = webhookSender(service, () => loop.wake());
  const loop: Loop = repeat('webhooks', service, WEBHOOK_PAUSE_MS, () => sender.sendDue(), firstAfterMs);
  service.db.onAnnounced('deliveries', loop.wake);
  return {
    wake: loop.wake,
    async turn() {
      do await loop.turn();
      while (await sender.sent());
    },
    async stop() {
      await loop.stop();
      await sender.idle();
    },
  };
}
