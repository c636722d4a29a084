import type { RequestId, UserId } from '../../../base/ids.ts';
import type { TransferKind } from '../../../base/meters.ts';
import type { PaymentName } from '../../../custody/payment-nonces.ts';
import type { Purposes } from '../../../ledger/flows.ts';
import type { AcceptedWithdrawal } from '../../../ledger/withdrawals.ts';
import type { AttributedChange } from '../../../operator-log/record.ts';
import type { NewRequest } from '../../../requests/requests.ts';
import type { Approval, Instruction, Origin, Withdrawal } from '../../../service/instruction.ts';
import type { WantedPayment } from '../../../service/moments.ts';
import type { refuseWhileSuspended } from '../../may-act.ts';
import type { LockedRows } from '../lock-set.ts';
import type { Decision, Rules } from '../refusals.ts';
import type { UsedKey, Wanted } from '../wanted-rows.ts';

export type OriginOf<Kind extends TransferKind> = Extract<Origin, { readonly kind: Kind }>;
export type InstructionOf<Kind extends TransferKind> = Instruction & { readonly origin: OriginOf<Kind> };

/** What is stored of a group's accepted instructions, beside their transfers. */
export type Written = {
  /** Those that are made with their payment. */
  readonly requests: NewRequest[];
  readonly approvals: Approval[];
  readonly withdrawals: AcceptedWithdrawal[];
  /** Mails that are sent with it. */
  readonly notices: Pick<Withdrawal, 'writeNotice'>[];
  /** What the operator's log records. */
  readonly changes: AttributedChange[];
};

/** All that accepting has to know of one kind of payment. Each instruction is asked once, and every statement is a group's. */
export type PaymentKind<Kind extends TransferKind> = {
  /** Throws while no instruction of this kind may start. */
  readonly refuseEarly: typeof refuseWhileSuspended;
  /** Which of the two accounts is that of the app whose backlog it adds to; null if it is no app's payment. */
  readonly app: 'from' | 'to' | null;
  /** The request that it pays. */
  request(origin: OriginOf<Kind>): RequestId | null;
  /** The same, if that is made with its payment. */
  makes(origin: OriginOf<Kind>): NewRequest | null;
  /** The player whose rewards pay first. */
  rewarded(origin: OriginOf<Kind>): UserId | null;
  /** The server API key that it came with. */
  key(origin: OriginOf<Kind>): UsedKey | null;
  /** Adds the rows that it depends on, beside its payer, its key and the rewards. */
  wants(instruction: InstructionOf<Kind>, wanted: Wanted): void;
  /** Decides on those rows; null if they allow it. What is decided for all kinds comes afterwards. */
  refuse(instruction: InstructionOf<Kind>, rows: LockedRows, rules: Rules): Decision | null;
  /** Counts it in those rows, for the next instruction of the group. */
  count(instruction: InstructionOf<Kind>, rows: LockedRows): void;
  /** Adds what is stored of it. */
  store(instruction: InstructionOf<Kind>, written: Written): void;
  /** What its payer pays. */
  name(instruction: Pick<InstructionOf<Kind>, 'transferId' | 'origin'>): PaymentName;
  /** What is noted of it if it is refused; null if it is the operator's. */
  tells(origin: OriginOf<Kind>): WantedPayment | null;
  /**
   * Between whom its transfers go, and what they are then, if no request says what they were for. Each way is of one kind
   * (`test/economy/kinds.test.ts`).
   */
  readonly flow: Partial<Purposes>;
};

export const none = () => null;
export const nothing = () => {};

/** What is not between an app and a player: its transfer names it. */
export const withoutRequest = {
  app: null,
  request: none,
  makes: none,
  rewarded: none,
  key: none,
  name: ({ transferId: id }) => ({ part: 'transfer', id }),
  tells: none,
} as const satisfies Partial<PaymentKind<'issue' | 'withdrawal' | 'closing'>>;
