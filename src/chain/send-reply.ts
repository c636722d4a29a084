import { GWEI } from './fees.ts';
import type { RpcReply } from './json-rpc-http.ts';

/**
 * A node's answer to a raw transaction. `accepted`: it has the transaction, now or already. `nonce-too-low`: the nonce
 * is used, and the chain shows by what. `rejected`: it refuses these bytes for a reason that may or may not pass.
 * `unknown`: no usable answer.
 */
export type SendReply = {
  readonly kind: 'accepted' | 'nonce-too-low' | 'rejected' | 'unknown';
  readonly reason: string;
  /** Why it is rejected, as far as the words are known. */
  readonly fault?: RefusedFor;
  /** The lowest tip that it takes, in wei per gas, if the refusal says so. */
  readonly leastTip?: bigint;
  /** The gas that its bytes alone need, if the refusal says so. */
  readonly leastGas?: bigint;
  /** The most gas that a transaction may have there, if the refusal says so. */
  readonly mostGas?: bigint;
  /** The most wei that a transaction may cost there, if the refusal says so. */
  readonly mostFee?: bigint;
};

/**
 * `no-funds`: the sender lacks ether. The others can be mended by another attempt. `underpriced`: the node has another attempt at this nonce,
 * so it says nothing of what others pay. `type-unsupported`: it does not know the form of the transaction.
 */
export type RefusedFor =
  | 'no-funds'
  | 'fee-too-low'
  | 'underpriced'
  | 'fee-above-cap'
  | 'gas-too-high'
  | 'gas-too-low'
  | 'type-unsupported';

/**
 * Nodes agree on the meaning, but not on the wording. The first that fits counts: Besu's "intrinsic gas exceeds gas limit" means too little,
 * and Parity's "there is another transaction with same nonce" is about its price. `test/chain-forms/refusals.json` has recorded ones.
 */
const WORDS: readonly (readonly [RefusedFor | 'known' | 'nonce-too-low', RegExp])[] = [
  ['underpriced', /same nonce (?:already|exists|is|in the)/i],
  [
    'known',
    /already known|already.?imported|alreadyknown|\bknown transaction|already exists|already in (?:the )?(?:mempool|pool|system)|same hash|ownnoncealreadyused/i,
  ],
  [
    'underpriced',
    /replacement (?:transaction|fee)|(?:another|other) (?:tx|transaction) (?:which has |with )(?:the )?same nonce|replacementnotallowed|could not replace existing|not enough to bump/i,
  ],
  [
    'fee-too-low',
    /underpriced|increasing the (?:fee|gas price)|less than block base fee|priority ?fee ?(?:per ?gas )?(?:below|too low)|fee ?cap (?:is )?(?:too low|less)|fee per gas (?:too low|less)|feetoolow|fee too low|insufficient fees?\b|feepergas (?:needs to be higher|too low)|gas ?price.*(?:too low|below|less than|lower than|unacceptable)|unacceptable gas price|pubdata price too high|below (?:current )?base fee|maxfeepergas.*too low/i,
  ],
  // "mined" is all that Erigon says of a transaction that is in a block.
  [
    'nonce-too-low',
    /nonce(?: is)? too low|oldnonce|nonce_too_low|nonce .*lower than|invalid transaction nonce|^(?:\w+: )?mined$|already (?:mined|finalized)|\bstale\b/i,
  ],
  [
    'gas-too-low',
    /intrinsic gas too low|intrinsicgas|intrinsic gas exceeds|(?<!per )gas(?: limit)? (?:is )?too low|insufficient gas|requires at least .* gas|out of gas|not enough gas/i,
  ],
  [
    'gas-too-high',
    /exceeds (?:the )?(?:block'?s? )?gas limit|exceeds current gas limit|gas limit (?:is )?too high|gas limit .*exceeds|exceeds block|exceeds transaction gas|intrinsic gas too high|gaslimitexceeded|gas is beyond limit/i,
  ],
  ['fee-above-cap', /exceeds the configured cap|transaction fee cap exceeded/i],
  // geth and Erigon; Besu; Nethermind; anvil; Rootstock.
  [
    'type-unsupported',
    /transaction type .*(?:not supported|is invalid)|typed? .*transactions? .*not supported|eip-?1559 .*not supported/i,
  ],
  [
    'no-funds',
    /insufficient[ _]?(?:funds|balance|payer)|insufficient_payer_balance|enough (?:funds|balance)|upfront cost|overdraft|lack of funds|failed to pay (?:for|the fee)/i,
  ],
];

// geth until 1.14, BNB Smart Chain; later geth, Polygon's bor; reth.
const LEAST_TIP =
  /\btip needed (\d{1,30})\b|gas tip cap \d+,? (?:below )?minimum needed (\d{1,30})\b|minimum required priority fee (\d{1,30})\b/i;

const LEAST_GAS = /minimum needed (\d{1,15})\b|requires at least (\d{1,15}) gas/i;
const MOST_GAS = /\(cap: (\d{1,15})\b/i;
/** In whatever the chain calls its ether. */
const MOST_FEE = /exceeds the configured cap \((\d{1,9}(?:\.\d{1,9})?) /i;

/** What a node means by its answer to a raw transaction. */
export function readSendReply(reply: RpcReply): SendReply {
  if (reply.kind === 'result') return { kind: 'accepted', reason: '' };
  if (reply.kind === 'unknown') return { kind: 'unknown', reason: reply.reason };
  const { message: reason } = reply;
  const meant = WORDS.find(([, words]) => words.test(reason))?.[0];
  if (meant === 'known') return { kind: 'accepted', reason };
  if (meant === 'nonce-too-low') return { kind: meant, reason };
  const said = (words: RegExp) => words.exec(reason)?.slice(1).find(Boolean);
  const leastTip = said(LEAST_TIP);
  const leastGas = meant === 'gas-too-low' && said(LEAST_GAS);
  const mostGas = meant === 'gas-too-high' && said(MOST_GAS);
  const mostFee = said(MOST_FEE);
  return {
    kind: 'rejected',
    reason,
    ...(meant && { fault: meant }),
    ...(leastTip && { leastTip: BigInt(leastTip) }),
    ...(leastGas && { leastGas: BigInt(leastGas) }),
    ...(mostGas && { mostGas: BigInt(mostGas) }),
    ...(mostFee && { mostFee: BigInt(Math.floor(Number(mostFee) * 1e9)) * GWEI }),
  };
}

/** Whether another node may take what this one rejects: it may have rules of its own, a full pool, be at an earlier fork, or not offer sending. */
export const mayBeTakenElsewhere = ({ kind, fault }: SendReply): boolean =>
  kind === 'rejected' && (!fault || fault === 'type-unsupported');
