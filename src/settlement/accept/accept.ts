import type { Address } from '../../base/address.ts';
import { outsideContext } from '../../base/log.ts';
import { Problem } from '../../base/problems.ts';
import { sharedBatches } from '../../base/shared-batches.ts';
import { traced } from '../../base/spans.ts';
import { CommitUnknown, isUnavailable, lostToOthers } from '../../db/database.ts';
import { groupCommit, tooManyWait } from '../../db/group-commit.ts';
import type { Accepted, Instruction } from '../../service/instruction.ts';
import type { Service } from '../../service/service.ts';
import { outcomeUnknown } from '../../service/unknown-outcome.ts';
import { acceptInstructions } from './accept-group.ts';
import { kindOfPayment, paysEarlierRequest } from './kinds.ts';
import { recoveredAnswer } from './recovered-answer.ts';
import { newAuthorizations } from './signing.ts';
import { legOf } from './split.ts';

/** The most instructions in one transaction: enough to use a commit well, few enough to keep locks short. */
export const MAX_GROUP = 400;
/** How long a caller waits for a database that went away during COMMIT. */
const UNCERTAIN_FOR_MS = 30_000;

/** Far longer than a group takes: the database does not commit, or its outcome is unknown. */
const STALLED_AFTER_MS = 10_000;

/**
 * Accepts instructions in groups. `drained` resolves when none is in progress. `isStalled`: new instructions would wait
 * behind one that does not end. `isLate`: those of this payer would wait for too long, and are refused.
 */
export function openAcceptance(
  deps: Pick<Service, 'db' | 'vault' | 'chain' | 'settlement' | 'admission' | 'settings' | 'readiness' | 'meters'>,
): {
  accept(instruction: Instruction): Promise<Accepted>;
  drained(): Promise<void>;
  isStalled(): boolean;
  isLate(payer: Address): boolean;
} {
  const acceptGroup = acceptInstructions(deps);
  // Groups belong to no single request, so they run outside the context of the call that started them.
  const group = groupCommit(
    (instructions: readonly Instruction[], uncertain) =>
      outsideContext(() =>
        traced('accept group', { root: true, attributes: { 'quarters.instructions': instructions.length } }, () =>
          acceptGroup(instructions, uncertain),
        ),
      ),
    {
      maxGroup: MAX_GROUP,
      uncertainForMs: UNCERTAIN_FOR_MS,
      payerOf: ({ from }) => from,
      beforeGroup: () => deps.settlement.outgoing.giveWay(),
    },
  );
  // Not by their transfers: a call that is repeated at once is the same transfer, and one with another body would be.
  const arriving = new Map<string, Instruction>();
  let arrivals = 0;
  // Signed on arrival, while the group before is committed (in a thread, if there are many). Locks are then held for one signature fewer.
  const authorize = sharedBatches(
    async (places) => {
      const legs = places.map((place) => legOf(arriving.get(place)!));
      const signed = await newAuthorizations(deps.db, deps, legs);
      return new Map(places.flatMap((place, i) => (signed[i] ? [[place, signed[i]] as const] : [])));
    },
    // Batches that overtake each other would change the order of a payer's instructions.
    { mostKeys: MAX_GROUP, mostUnderWay: 1 },
  );
  return {
    async accept(instruction) {
      // Suspension is checked before anything is accepted, never after.
      kindOfPayment(instruction.origin).refuseEarly(deps);
      const paidBefore = await recoveredAnswer(deps, instruction).catch((error: unknown) => {
        throw readable(error, instruction);
      });
      if (paidBefore) return paidBefore;
      if (group.isLate(instruction.from)) throw tooManyWait();
      const place = deps.admission.enter(instruction);
      const arrival = `${arrivals++}`;
      try {
        arriving.set(arrival, instruction);
        const authorization = await authorize(arrival);
        const accepted = await traced('accept', { attributes: { 'quarters.transfer': instruction.transferId } }, () =>
          group.submit({ ...instruction, authorization }),
        );
        if (accepted.replayed) place.giveBack();
        else {
          place.keep();
          deps.meters.accept(instruction.origin.kind, instruction.amount);
        }
        return accepted;
      } catch (error) {
        const shown = readable(error, instruction);
        if (shown instanceof Problem && shown.code === 'outcome-unknown') place.keep();
        else place.giveBack();
        throw shown;
      } finally {
        arriving.delete(arrival);
      }
    },
    drained: group.drained,
    isStalled: () => group.underWayMs() > STALLED_AFTER_MS,
    isLate: group.isLate,
  };
}

function readable(error: unknown, instruction: Instruction): unknown {
  if (error instanceof CommitUnknown) return outcomeUnknown();
  // It may have waited for an equal call in another process that is committing right now.
  if (lostToOthers(error) && (instruction.idempotency || paysEarlierRequest(instruction.origin)))
    return outcomeUnknown();
  if (!isUnavailable(error)) return error;
  return new Problem('database-unavailable', 'The database cannot be reached, so nothing was done. Try again.');
}
