import type { Address } from '../base/address.ts';
import type { AnswerCounts } from '../base/answer-counts.ts';
import type { Delays } from '../base/delays.ts';
import type { Hash, Hex } from '../base/hex.ts';
import type { TransferId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Meters } from '../base/meters.ts';
import type { Problem } from '../base/problems.ts';
import type { SecurityLog } from '../base/security-log.ts';
import type { TokenBuckets } from '../base/token-buckets.ts';
import type { Fees } from '../chain/fees.ts';
import type { Outgoing, StoredTransaction } from '../chain/outgoing.ts';
import type { Lease, Relayer } from '../chain/relayers.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { Contracts } from '../chain/token.ts';
import type { Settings } from '../config/settings.ts';
import type { PageTokenIssuer, ResultSigner } from '../custody/signing-keys.ts';
import type { Vault } from '../custody/vault.ts';
import type { Database } from '../db/database.ts';
import type { Reads, ReplicaState } from '../db/reads.ts';
import type { ProcessSelf } from '../membership/processes.ts';
import type { Languages } from '../words/languages.ts';
import type { House } from './house.ts';
import type { Accepted, Instruction } from './instruction.ts';

export type { Log, LogEntry } from '../base/log.ts';

/** The chain that this installation uses. */
export type ChainFacts = {
  readonly chainId: number;
  readonly contracts: Contracts;
  /** The token's EIP-712 domain separator. */
  readonly domain: Hex;
  /** The first block that can hold one of our logs. */
  readonly startBlock: bigint;
};

/** The dependencies of every feature. */
export type Service = {
  readonly settings: Settings;
  /** What the wings have added. */
  readonly house: House;
  /** What this process is to the others on its database. */
  readonly self: ProcessSelf;
  /** The origin that players and games use. */
  readonly publicUrl: string;
  /** Whether nothing of value can be here (`config/development.ts`). Whatever exists for development only checks this first. */
  readonly development: boolean;
  /** Of pages and mails. */
  readonly languages: Languages;
  readonly db: Database;
  /** For what is only shown: views alone read from it. */
  readonly reads: Reads;
  /** The read replica as last seen; null if there is none. */
  replica(): ReplicaState | null;
  readonly rpc: Rpc;
  /** The addresses of database and node, for a child process. */
  readonly connections: { readonly databaseUrl: string; readonly rpcUrls: readonly string[] };
  readonly vault: Vault;
  readonly pageTokens: PageTokenIssuer;
  readonly results: ResultSigner;
  readonly chain: ChainFacts;
  readonly log: Log;
  /** The loops that fail at the moment, by their names. Only `jobs/repeat.ts` writes it. */
  readonly loopFaults: Map<string, LoopFault>;
  readonly security: SecurityLog;
  readonly delays: Delays;
  readonly answers: AnswerCounts;
  /** What this process has counted of payments. */
  readonly meters: Meters;
  /**
   * Accepts a payment instruction. When it resolves, the transfer is held, signed and stored, and irrevocable for us. If it is
   * refused, nothing is held, unless the Problem is `outcome-unknown`.
   */
  accept(instruction: Instruction): Promise<Accepted>;
  /** Whether accepting is stuck at the moment: the database does not commit, or does not say whether it did. */
  isStalled(): boolean;
  /** Whether what this account pays waits for so long that more is refused as `overloaded`. */
  isLate(payer: Address): boolean;
  readonly settlement: Readonly<Settlement>;
  readonly admission: Admission;
  readonly readiness: Readonly<Readiness>;
  readonly rateLimits: RateLimits;
};

/** The state of what this process needs for its work, as last seen. `/readyz` shows it. */
export type Readiness = {
  /** Set by `markStarted`, once the start is complete. */
  started: boolean;
  /** Set by `markStopping`, as soon as the process is asked to stop. It still serves. */
  stopping: boolean;
  /**
   * `unknown`: the node has not answered since the start. `foreign`: it is on another chain. `no-contracts`: it lacks our contracts.
   * `no-effect`: transactions succeed there but do nothing. Unless it is `ok`, nothing is sent or followed.
   */
  chain: 'unknown' | 'ok' | 'foreign' | 'no-contracts' | 'no-effect';
  /** Ends with the first look at the chain. A start, or a command, goes on after some seconds of it. */
  looked: Promise<void>;
  /** The chain's newest block when it was last found `ok`. Transactions mined up to it may have had no effect. */
  chainSince: bigint;
  /** What has to vouch for the logs of a block (`CHAIN_PROOF`). `auto`: the strongest that proves it. */
  proof: 'auto' | 'receipts' | 'agreement' | 'node';
  readonly proven: Proven;
  /** The block at which following waits, because nobody proves what is said of it, and why. */
  unproven: { readonly block: bigint; readonly reason: string } | null;
  /**
   * Whether the database has been compared with the chain since the start. `again`: another database server has taken over, which may lack
   * the last commits. Unless it is `done`, nothing is sent. Before that, only a `trusted` database is acted on (`may-act.ts`).
   */
  compared: 'not-yet' | 'under-way' | 'again' | 'done';
  /** The database is known to be the newest, without the chain. Not after another database server has taken over. */
  trusted: boolean;
  /** The database is older than the chain: nothing acts on it until the operator has approved this state. */
  suspended: boolean;
  /** Quarters move to new addresses since a sweep: no payment is accepted until all have, but what moves them. */
  moving: boolean;
  /** What a restored database has learned from the chain; null if nothing. `cancelled`: what must not be signed again, in hex. */
  recovered: { readonly cancelled: ReadonlySet<string> } | null;
};

/** A loop has failed each time since then. `reason`: the last one. */
export type LoopFault = { readonly since: Date; readonly reason: string };

/** What was seen of the proofs of this chain since the start. */
export type Proven = {
  /** Whether headers had their hashes, receipts their roots, and blooms the logs of the token; null: not seen yet. */
  headers: boolean | null;
  receipts: boolean | null;
  blooms: boolean | null;
  /** Of `auto`: for how many blocks an agreement of endpoints vouched, the last of them, and why; null: for none. */
  less: { readonly blocks: number; readonly last: bigint; readonly reason: string } | null;
  /** Since when nobody answers for receipts, and when that was seen last (`performance.now()`); null: they were read since. */
  unanswered: { readonly since: number; readonly last: number } | null;
};

/** A place among the transfers on their way. The caller calls exactly one of the two. */
export type BacklogPlace = {
  /** The instruction was accepted, or may have been. */
  keep(): void;
  giveBack(): void;
};

/** What the database counted: open transactions, those that were ever settled, and transfers on their way by app account. */
export type BacklogCounts = {
  readonly open: number;
  readonly settled: number;
  readonly ofApps: ReadonlyMap<Address, number>;
};

/**
 * Limits the transfers on their way: `MAX_BACKLOG` in all, `MAX_BACKLOG_PER_APP` for one app. A place is taken before
 * an instruction is accepted, so concurrent calls cannot exceed the limit. The database is counted from time to time;
 * places taken since then are counted here.
 */
export type Admission = {
  /** Takes a place. Throws `overloaded` or `app-backlog-full`; then nothing was accepted. */
  enter(instruction: Instruction): BacklogPlace;
  /** What `enter` would throw now for an instruction of this app, or for one of the operator's (null). */
  refusal(app: Address | null): Problem | null;
  /** So many open transactions are admitted at the pace at which they are settled. */
  readonly limit: number;
  /** `count` gets the accounts of the apps that hold places here, and from how many transfers on their way it has to count each one's. */
  recount(count: (apps: readonly Address[], many: number) => Promise<BacklogCounts>): Promise<void>;
};

/** Calls a second; null if the operator has turned the limit off. */
export type RateLimits = {
  /** For one credential of the API. */
  readonly credentials: TokenBuckets | null;
  /** For one address: calls without a valid credential, and pages. */
  readonly addresses: TokenBuckets | null;
};

/** State that the loops and accepting share in this process. */
export type Settlement = {
  /** The live processes of this installation, including this one, as last seen. Shared limits are divided by it. */
  processes: number;
  /** Transfers accepted here are signed with one of these. Other processes may use the same. */
  relayers: readonly Relayer[];
  /** The relayers that this process currently sends for. */
  leases: readonly Lease[];
  /** The fees for a transaction signed now. */
  fees: Fees;
  /** Of the newest block; undefined while none is known, null if the chain has none. */
  baseFeePerGas: bigint | null | undefined;
  /** The tip that the chain asks for, as last learned, in wei per gas (`tips.ts`). */
  learnedTip: bigint;
  /** What the node suggests, in wei per gas; null while it was not asked, or does not say. */
  suggestedTip: bigint | null;
  /** What transactions need of the gas limits of Ethereum, in percent, as last learned (`gas-limits.ts`). */
  gasPercent: number;
  /** The most wei that a node was found to let one transaction cost, and until when that is believed; null: no limit is known. */
  mostFee: { readonly wei: bigint; readonly until: number } | null;
  /** The most gas that a node was found to let one transaction have; null: what a block has. */
  mostGas: bigint | null;
  /** What a rollup asked for publishing the last transactions, beside their gas, for each, in wei. */
  rollupFee: bigint;
  /** Attempts of this process with a higher tip than one that was not mined. */
  raised: readonly StoredTransaction[];
  /** The chain's newest block, as last seen. */
  head: bigint;
  headHash: Hash | null;
  /** The most gas one block may use, as last seen. */
  blockGasLimit: bigint;
  /** Whether the relayers have enough ether for gas. */
  gas: 'unknown' | 'ok' | 'low' | 'empty';
  /** The highest nonce at which a relayer has waited because no higher fee is allowed. Each is logged once, not every second. */
  readonly atFeeCeiling: Map<Address, bigint>;
  /** What was accepted here and waits to be sent. */
  readonly outgoing: Outgoing;
  /** Signed, unmined transactions, as last counted. */
  backlog: number;
  /** What the chain itself calls final, as last read (`FINAL_AFTER=auto`); null if it does not say. `isAsked`: a node has answered. */
  readonly final: { number: bigint | null; hash?: Hash; readAt: number; isAsked: boolean };
  /** Set when transfers may have lost their transaction (a revert, a reorganisation, a start). */
  strandedSuspected: boolean;
  /** Stranded transfers that the chain has settled in a block whose logs the ledger does not have. Kept so that each is logged once. */
  settledUnseen: ReadonlySet<TransferId>;
};
