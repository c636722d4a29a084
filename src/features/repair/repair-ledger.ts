import { Problem } from '../../base/problems.ts';
import type { AuditReport } from '../../diagnostics/audit/audit-ledger.ts';
import type { Difference } from '../../diagnostics/audit/findings.ts';
import { readDetached } from '../../ledger/archived-months.ts';
import { type PostedBlock, waitForFollowing } from '../../ledger/blocks.ts';
import { readStoredAudit } from '../../ledger/last-audit.ts';
import { BalanceChanges } from '../../ledger/postings.ts';
import { recordChange } from '../../operator-log/record.ts';
import { loadAll } from '../../service/house.ts';
import { HISTORY_CHANGED, TAKEN_BACK, type Withdrawn, withdrawAbove } from '../../service/moments.ts';
import type { Service } from '../../service/service.ts';
import { type BlockFaults, findFaultyBlocks, proveBlocks, repairBlocks } from '../../settlement/repair.ts';

/** What is wrong with the ledger's copy of the chain. */
export type RepairPlan = {
  /** The lowest block that was read again. */
  readonly from: bigint;
  readonly anchor: PostedBlock;
  readonly blocks: readonly BlockFaults[];
  /** The accounts whose balance is not the sum of their postings. */
  readonly accounts: readonly Difference[];
};

/** Blocks of one transaction: all of them, unless very much is wrong. */
const BLOCKS_AT_ONCE = 50;

/**
 * Reads blocks again, and finds those of which the ledger has another copy. `from`: the lowest of them; null: the one after the last at which
 * an audit found ledger and chain equal, or the first of all. Changes nothing. Throws as {@link findFaultyBlocks} does.
 */
export async function planRepair(
  service: Service,
  { differences }: Pick<AuditReport, 'differences'>,
  from: bigint | null,
  report?: (done: number, total: number) => void,
): Promise<RepairPlan> {
  const { startBlock } = service.chain;
  const equal = (await readStoredAudit(service.db))?.equalBlock ?? startBlock - 1n;
  const first = from ?? (equal + 1n > startBlock ? equal + 1n : startBlock);
  const detached = await readDetached(service.db);
  if (detached && first <= detached.lastBlock) {
    const said = `Blocks up to ${detached.lastBlock} are in files only, the last of them of ${detached.month}.`;
    throw new Problem('archived', `${said} Repair from a later one, or attach the months: npx quarters archive attach`);
  }
  const { anchor, faulty } = await findFaultyBlocks(service, first, report);
  const accounts = differences.filter(({ kind }) => kind === 'postings');
  return { from: first, anchor, blocks: faulty, accounts };
}

/**
 * Does what {@link planRepair} found to be needed: each step is one transaction with its entry in the operator's log. What wings have counted of
 * the ledger is counted again, and what they have published from the first false block on is withdrawn. Returns that.
 *
 * An account whose balance is not the sum of its postings gets the difference. Ledger and postings change together, so it is still the same
 * one as when the audit ran; so nobody else may repair meanwhile (`lockAudit`).
 */
export async function repairLedger(service: Service, plan: RepairPlan): Promise<readonly Withdrawn[]> {
  const withdrawn = await correctBlocks(service, plan);
  // Blocks that were followed since the plan may settle what counted as settled until now, and nobody has looked for that.
  const from = plan.anchor.number + 1n;
  const { anchor, faulty } = await findFaultyBlocks(service, from);
  const later = await correctBlocks(service, { from, anchor, blocks: faulty, accounts: [] });
  return [...Map.groupBy([...withdrawn, ...later], ({ what }) => what)].map(([what, some]) => ({
    what,
    blocks: some.flatMap(({ blocks }) => blocks),
  }));
}

async function correctBlocks(service: Service, { anchor, blocks, accounts, from }: RepairPlan): Promise<Withdrawn[]> {
  const lowest = accounts.length > 0 ? from : blocks[0]?.number;
  if (lowest === undefined) return [];
  const recounting = await loadAll(service.house, HISTORY_CHANGED);
  const takers = await loadAll(service.house, TAKEN_BACK);
  const withdrawn: Withdrawn[] = [];
  for (let start = 0; start === 0 || start < blocks.length; start += BLOCKS_AT_ONCE) {
    const proven = await proveBlocks(service, blocks.slice(start, start + BLOCKS_AT_ONCE));
    const balances = start === 0 ? accounts : [];
    const proofs = await service.db.transaction(async (tx) => {
      await waitForFollowing(tx);
      for (const recount of recounting) await recount(tx);
      const corrections = new BalanceChanges();
      for (const { account, ledger, other } of balances) corrections.add(account!, { posted: other - ledger });
      const faults = await repairBlocks(tx, service.settings, anchor, proven, corrections);
      await recordChange(tx, {
        action: 'ledger-repaired',
        subject: { kind: 'service', id: 'ledger' },
        before: { ...countFaults(faults), wrongBalances: balances.length },
        after: { blocks: proven.map(({ number }) => Number(number)) },
      });
      return withdrawAbove(takers, tx, lowest - 1n);
    });
    withdrawn.push(...proofs);
  }
  service.log.warn({ blocks: blocks.length, accounts: accounts.length }, 'the ledger was repaired');
  return withdrawn;
}

function countFaults(faults: readonly BlockFaults[]) {
  const sum = (count: (block: BlockFaults) => number) => faults.reduce((all, block) => all + count(block), 0);
  return {
    falsePostings: sum(({ falsePostings }) => falsePostings.length),
    missingPostings: sum(({ missingPostings }) => missingPostings),
    falselySettled: sum(({ falselySettled }) => falselySettled.length),
    unsettled: sum(({ unsettled }) => unsettled),
  };
}
