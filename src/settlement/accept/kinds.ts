import type { RequestId } from '../../base/ids.ts';
import type { TransferKind } from '../../base/meters.ts';
import { capKey } from '../../identity/key-caps.ts';
import type { Instruction, Origin } from '../../service/instruction.ts';
import { approval } from './kinds/approval.ts';
import { closing } from './kinds/closing.ts';
import { issue } from './kinds/issue.ts';
import type { PaymentKind } from './kinds/kind.ts';
import { payout } from './kinds/payout.ts';
import { refund } from './kinds/refund.ts';
import { withdrawal } from './kinds/withdrawal.ts';
import { nothingWanted, type Wanted } from './wanted-rows.ts';

/** Every kind of payment. Nothing in accepting asks which one it has: it asks the kind. */
export const PAYMENT_KINDS = { approval, payout, refund, issue, withdrawal, closing } satisfies {
  readonly [Kind in TransferKind]: PaymentKind<Kind>;
};

/** The kind of an instruction, which takes this instruction. */
export function kindOfPayment({ kind }: Origin): PaymentKind<TransferKind> {
  return PAYMENT_KINDS[kind];
}

/** The request that an instruction pays; null if there is none. */
export function requestOf({ origin }: Pick<Instruction, 'origin'>): RequestId | null {
  return kindOfPayment(origin).request(origin);
}

/** Whether it pays a request that was there before, which says whether it was paid: no key is needed to repeat it. */
export function paysEarlierRequest(origin: Origin): boolean {
  return requestOf({ origin }) !== null && kindOfPayment(origin).makes(origin) === null;
}

/** What instructions depend on. */
export function wantedBy(instructions: readonly Instruction[]): Wanted {
  const wanted = nothingWanted();
  for (const instruction of instructions) {
    const { origin, from } = instruction;
    const kind = kindOfPayment(origin);
    wanted.payers.push(from);
    const [key, rewarded] = [kind.key(origin), kind.rewarded(origin)];
    if (key) wanted.keys.set(capKey(key.hash), key.hash);
    if (key?.cap) wanted.capped.push(key.hash);
    if (rewarded) wanted.rewarded.push(rewarded);
    kind.wants(instruction, wanted);
  }
  return wanted;
}
