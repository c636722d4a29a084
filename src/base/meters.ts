import type { Address } from './address.ts';

/** What an accepted transfer is: `origin.kind` of its instruction. */
export const TRANSFER_KINDS = ['approval', 'payout', 'refund', 'issue', 'withdrawal', 'closing'] as const;
/** What the chain decided. `reorged`: a reorganisation took the decision back. */
export const OUTCOMES = ['completed', 'failed', 'reorged'] as const;
/** How an attempt to deliver a webhook ended; see `SendFault`. */
export const DELIVERY_RESULTS = ['delivered', 'status', 'timeout', 'tls', 'unreachable'] as const;

export type TransferKind = (typeof TRANSFER_KINDS)[number];
export type Outcome = (typeof OUTCOMES)[number];
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** Upper bounds of the times to completion, in seconds. */
export const COMPLETION_SECONDS = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 900, 3600] as const;

type Sum = { count: number; quarters: bigint };

/**
 * What this process has counted of payments since its start. Counting takes some 50 nanoseconds, and happens after the COMMIT, so
 * that a figure never shows what did not happen.
 */
export class Meters {
  readonly accepted: ReadonlyMap<TransferKind, Sum> = sumsOf(TRANSFER_KINDS);
  readonly settled: ReadonlyMap<Outcome, Sum> = sumsOf(OUTCOMES);
  readonly deliveries: ReadonlyMap<DeliveryResult, { count: number }> = sumsOf(DELIVERY_RESULTS);
  /** How many transfers completed within each bound of {@link COMPLETION_SECONDS}, but not within the one before; the last is beyond all. */
  readonly completions: number[] = Array.from({ length: COMPLETION_SECONDS.length + 1 }, () => 0);
  completionSeconds = 0;
  /** What the balances of relayers fell by, in wei. */
  weiSpent = 0n;
  readonly #wei = new Map<Address, bigint>();

  accept(kind: TransferKind, quarters: bigint): void {
    add(this.accepted.get(kind)!, quarters);
  }

  settle(outcome: Outcome, quarters: bigint): void {
    add(this.settled.get(outcome)!, quarters);
  }

  /** `seconds`: from accepting a transfer to reading in a block that it is paid. */
  complete(seconds: number): void {
    const bucket = COMPLETION_SECONDS.findIndex((bound) => seconds <= bound);
    this.completions[bucket === -1 ? COMPLETION_SECONDS.length : bucket]! += 1;
    this.completionSeconds += seconds;
  }

  deliver(result: DeliveryResult): void {
    this.deliveries.get(result)!.count += 1;
  }

  /** The ether of the relayers, as last read, in wei. */
  get relayerWei(): ReadonlyMap<Address, bigint> {
    return this.#wei;
  }

  /**
   * A balance that was read. What it fell by since the last reading is spent; ether that was sent to the relayer meanwhile hides as
   * much. Only the process that sends for the relayer counts it (`isOurs`), because all processes read it.
   */
  seeWei(relayer: Address, wei: bigint, isOurs: boolean): void {
    const before = this.#wei.get(relayer);
    if (isOurs && before !== undefined && wei < before) this.weiSpent += before - wei;
    this.#wei.set(relayer, wei);
  }
}

function sumsOf<const Name extends string>(names: readonly Name[]): Map<Name, Sum> {
  return new Map(names.map((name) => [name, { count: 0, quarters: 0n }]));
}

function add(sum: Sum, quarters: bigint): void {
  sum.count += 1;
  sum.quarters += quarters;
}
