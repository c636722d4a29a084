import type { Hash, Hex } from '../base/hex.ts';
import type { Log } from '../base/log.ts';
import type { TokenBuckets } from '../base/token-buckets.ts';
import type { Fees } from '../chain/fees.ts';
import type { Lease, Relayer } from '../chain/relayers.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { Contracts } from '../chain/token.ts';
import type { Settings } from '../config/settings.ts';
import type { PageTokenIssuer } from '../custody/page-token-key.ts';
import type { ResultSigner } from '../custody/result-key.ts';
import type { Vault } from '../custody/vault.ts';
import type { Database } from '../db/database.ts';
import type { AnswerCounts } from './answer-counts.ts';
import type { Admission } from './system/admission.ts';
import type { Delays } from './system/delays.ts';
import type { Decided, Order } from './system/orders.ts';
import type { SecurityLog } from './system/security-log.ts';

export type { Log, LogEntry } from '../base/log.ts';

/** The chain this installation lives on. */
export type ChainFacts = {
  readonly chainId: number;
  readonly contracts: Contracts;
  /** The token's EIP-712 domain separator. */
  readonly domain: Hex;
  /** The first block that can hold a log of ours. */
  readonly startBlock: bigint;
};

/** What every use-case works with. */
export type Service = {
  readonly settings: Settings;
  /** The origin players and games reach. */
  readonly publicUrl: string;
  readonly db: Database;
  readonly rpc: Rpc;
  readonly vault: Vault;
  readonly pageTokens: PageTokenIssuer;
  readonly results: ResultSigner;
  readonly chain: ChainFacts;
  readonly log: Log;
  readonly security: SecurityLog;
  readonly delays: Delays;
  readonly answers: AnswerCounts;
  /**
   * Decides a transfer: held, signed and stored when it resolves, irrevocable for us. Rejects with a Problem where it is
   * refused; then nothing is held.
   */
  decide(order: Order): Promise<Decided>;
  /** Whether deciding does not come to an end at this moment: a database that does not commit, or does not say whether it did. */
  isStalled(): boolean;
  readonly settlement: Settlement;
  readonly admission: Admission;
  readonly readiness: Readiness;
  readonly rateLimits: RateLimits;
};

/** What keeps this process from its work, as last seen; `/readyz` says it. */
export type Readiness = {
  /** Set by whoever starts a service, when the start is complete. */
  started: boolean;
  /**
   * `unknown`: the node has not answered since the start. `foreign`: it is on another chain. `no-contracts`: it lacks our contracts.
   * `no-effect`: transactions succeed there and do nothing. In all but `ok` nothing is sent and nothing followed.
   */
  chain: 'unknown' | 'ok' | 'foreign' | 'no-contracts' | 'no-effect';
  /** The chain's newest block when it was last found `ok`: what was mined up to there may have been without effect. */
  chainSince: bigint;
  /** Whether the database was found to be as new as the chain, since the start. While that is `under-way` nothing is decided. */
  compared: 'not-yet' | 'under-way' | 'done';
  /** The database is older than the chain: nothing is decided until the operator has accepted it. */
  suspended: boolean;
};

/** Calls a second; null where the operator has turned it off. */
export type RateLimits = {
  /** Of one credential of the API. */
  readonly credentials: TokenBuckets | null;
  /** Of one address: what comes without a good credential, and pages. */
  readonly addresses: TokenBuckets | null;
};

export type LastAudit = {
  /** When an audit last found no difference. */
  readonly equalAt: Date | null;
  readonly differences: number;
  /** Accounts that have less than is set aside. */
  readonly overdrawn: number;
  readonly seconds: number;
};

/** What the loops and the deciding share in this process. */
export type Settlement = {
  /** Living processes of this installation, this one included, as last seen: what is shared is divided by it. */
  processes: number;
  /** What is decided here is signed with one of these; other processes may do so too. */
  relayers: readonly Relayer[];
  /** The relayers this process sends for, now. */
  leases: readonly Lease[];
  /** Fees for a transaction signed now. */
  fees: Fees;
  /** The chain's newest block, as last seen. */
  head: bigint;
  headHash: Hash | null;
  /** The most gas one block may use, as last seen. */
  blockGasLimit: bigint;
  /** Whether the relayers can pay for what they send. */
  gas: 'unknown' | 'ok' | 'low' | 'empty';
  /** A transaction waits because no higher fee is allowed; said once, not every second. */
  feeCeilingReached: boolean;
  /** Signed, unmined transactions, as last counted. */
  backlog: number;
  /** Set where transfers may have lost their transaction (a revert, a reorganisation, a start). */
  strandedSuspected: boolean;
  /** What the scheduled audits of this process found. */
  lastAudit?: LastAudit;
};
