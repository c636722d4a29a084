import { setTimeout as delay } from 'node:timers/promises';
import { LOWEST_ID } from '../../base/ids.ts';
import type { MasterKey } from '../../custody/data-keys.ts';
import { readMasterKey } from '../../custody/master-key.ts';
import type { Seed } from '../../custody/seed.ts';
import { type KeyOwner, newKeyOf, replaceSeed, sealOldKey } from '../../custody/seed-replacement.ts';
import type { Tx } from '../../db/database.ts';
import { insertSweep, type Sweep } from '../../ledger/sweeps.ts';
import {
  accountsToSweep,
  currentAddresses,
  followSwept,
  lockAllAccounts,
  type OldAccount,
  type SweptAccount,
  sweepAccounts,
} from '../../ledger/swept-accounts.ts';
import { lockProcesses } from '../../membership/join.ts';
import { recordChange } from '../../operator-log/record.ts';
import { pendingParties, readdressPending } from '../../requests/readdress.ts';
import { loadAll } from '../../service/house.ts';
import { HISTORY_CHANGED } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { type LeftRelayer, leaveRelayers } from '../../settlement/leave-relayers.ts';
import { refuseUncompared } from '../../settlement/may-act.ts';
import { refuseSweep, type SweepPlan } from './plan-sweep.ts';
import { writeRecoveryKit } from './write-kit.ts';

export type Swept = Sweep & {
  /** All accounts that have new keys, also those without quarters. */
  readonly rekeyed: number;
  readonly relayers: readonly LeftRelayer[];
  /** Where the new recovery kit was written; null if it could not be. */
  readonly kitAt: string | null;
};

const PAGE = 1_000;

/**
 * Replaces the seed, for when somebody else knows it: every account and relayer gets a key, and an address, that the old seed does not give. All
 * of it is one transaction. What is on the old addresses is moved by the next start of the service, which accepts no payment until then.
 *
 * If it throws, nothing has changed.
 */
export async function sweepKeys(
  service: Service,
  plan: Pick<SweepPlan, 'relayers'>,
  report: (done: number) => void,
): Promise<Swept> {
  refuseUncompared(service);
  const { db, settings, security } = service;
  const masterKey = await readMasterKey(settings);
  const recounting = await loadAll(service.house, HISTORY_CHANGED);
  const { relayers, ...swept } = await db.transaction(async (tx) => {
    // Whoever starts now waits, and finds the new seed.
    await lockProcesses(tx);
    // What was counted by address is counted by the new ones from the start.
    for (const recount of recounting) await recount(tx);
    return sweepIn(tx, service, masterKey, plan, report);
  });
  security.note('seed-replaced', { what: `${swept.rekeyed} accounts` });
  return { ...swept, relayers, kitAt: await writeRecoveryKit(service) };
}

async function sweepIn(
  tx: Tx,
  service: Service,
  masterKey: MasterKey,
  plan: Pick<SweepPlan, 'relayers'>,
  report: (done: number) => void,
): Promise<Omit<Swept, 'kitAt'>> {
  const seed = await replaceSeed(tx, masterKey);
  await lockAllAccounts(tx);
  await refuseSweep(tx);
  let rekeyed = 0;
  for await (const page of accountsToSweep(tx)) {
    await sweepAccounts(
      tx,
      page.map((account) => sweptAccount(service, seed, account)),
    );
    rekeyed += page.length;
    report(rekeyed);
    // Deriving keys leaves no time for anything else.
    await delay(0);
  }
  await followSwept(tx);
  await readdressRequests(tx);
  const relayers = replacementsOf(seed, plan);
  await leaveRelayers(tx, service, relayers);
  const sweep = await insertSweep(tx);
  const after = { accounts: rekeyed, quarters: sweep.quarters, relayers: relayers.length };
  await recordChange(tx, { action: 'seed-replaced', subject: { kind: 'service', id: 'seed' }, after });
  return { ...sweep, rekeyed, relayers };
}

function sweptAccount({ vault }: Service, seed: Seed, account: OldAccount): SweptAccount {
  const { address, posted } = account;
  const { address: to, keyId } = newKeyOf(seed, ownerOf(account), account);
  return { from: address, to, posted, keyId, sealedKey: sealOldKey(vault, account) };
}

function ownerOf({ kind, appId }: OldAccount): KeyOwner {
  if (kind === 'app') return { kind, appId: appId! };
  return kind === 'treasury' ? { kind: 'service', account: 'treasury' } : { kind: 'other' };
}

/** What players have not answered yet is to be paid between the new addresses. */
async function readdressRequests(tx: Tx): Promise<void> {
  for (let last: string = LOWEST_ID; ; ) {
    const page = await pendingParties(tx, last, PAGE);
    if (page.length === 0) return;
    last = page.at(-1)!.id;
    const now = await currentAddresses(
      tx,
      page.flatMap(({ from, to }) => [from, to]),
    );
    await readdressPending(
      tx,
      page.map(({ id, from, to }) => ({ id, from: now.get(from) ?? from, to: now.get(to) ?? to })),
    );
  }
}

function replacementsOf(seed: Seed, { relayers }: Pick<SweepPlan, 'relayers'>): LeftRelayer[] {
  const settling = relayers.filter(({ purpose }) => purpose === 'settlement');
  return relayers.map((relayer) => {
    const account = relayer.purpose === 'operator' ? 'operator' : (`relayer ${settling.indexOf(relayer)}` as const);
    return { ...relayer, replacement: newKeyOf(seed, { kind: 'service', account }, relayer) };
  });
}
