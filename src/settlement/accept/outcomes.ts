import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { ItemOutcome } from '../../db/group-commit.ts';
import type { Accepted, Instruction } from '../../service/instruction.ts';
import { findTransfersOfRequests } from '../tables/transfers.ts';
import type { GroupDecision } from './decision.ts';
import { requestOf } from './kinds.ts';
import type { SignedBundle } from './signing.ts';
import type { Split } from './split.ts';

/** The answer to each instruction's caller. `splits`: how the accepted ones are paid; `carriers`: by which bundles. */
export async function toOutcomes(
  tx: Tx,
  instructions: readonly Instruction[],
  decisions: readonly GroupDecision[],
  splits: readonly Split[],
  carriers: ReadonlyMap<TransferId, SignedBundle>,
): Promise<ItemOutcome<Accepted>[]> {
  const outcomes: ItemOutcome<Accepted>[] = [];
  const approved = new Map<RequestId, Accepted>();
  const first = new Map(splits.map(({ instruction, legs }) => [instruction, legs[0]!.transferId]));
  for (const [i, instruction] of instructions.entries()) {
    const decision = decisions[i]!;
    switch (decision.kind) {
      case 'refused':
        outcomes.push({ ok: false, error: decision.problem });
        break;
      case 'accepted': {
        const transferId = first.get(instruction)!;
        const { hash } = carriers.get(transferId)!;
        const result = { transferId, requestId: requestOf(instruction), txHash: hash };
        if (result.requestId) approved.set(result.requestId, result);
        outcomes.push({ ok: true, result });
        break;
      }
      case 'repeated': {
        outcomes.push({
          ok: true,
          result: approved.get(decision.requestId) ?? (await approvedBefore(tx, decision.requestId)),
        });
        break;
      }
      case 'equal':
        outcomes.push(asReplay(outcomes[decision.place]!));
        break;
      case 'answered':
        outcomes.push(decision.outcome);
    }
  }
  return outcomes;
}

async function approvedBefore(tx: Tx, requestId: RequestId): Promise<Accepted> {
  const [first] = await findTransfersOfRequests(tx, [requestId]);
  return { transferId: first!.id, requestId, txHash: first!.txHash };
}

function asReplay(outcome: ItemOutcome<Accepted>): ItemOutcome<Accepted> {
  return outcome.ok ? { ok: true, result: { ...outcome.result, replayed: true } } : outcome;
}

/** The accepted instructions, with their answers. */
export function acceptedOf(
  instructions: readonly Instruction[],
  decisions: readonly GroupDecision[],
  outcomes: readonly ItemOutcome<Accepted>[],
): [Instruction, Accepted][] {
  return instructions.flatMap((instruction, i): [Instruction, Accepted][] => {
    const isAccepted = decisions[i]?.kind === 'accepted' || decisions[i]?.kind === 'repeated';
    const outcome = outcomes[i];
    return isAccepted && outcome?.ok ? [[instruction, outcome.result]] : [];
  });
}
