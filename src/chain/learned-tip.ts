import type { Queries } from '../db/database.ts';
import { GWEI, largerFee } from './fees.ts';
import type { RpcReply } from './json-rpc-http.ts';
import type { Rpc } from './rpc.ts';

/** The most that is stored: what MAX_FEE_PER_GAS_GWEI takes. A node may say any number. */
const MOST_WEI = 1_000_000n * GWEI;

/** A tip is kept for so long after it was learned, and then only as far as the node suggests as much. */
const HOLDS_MINUTES = 10;

/** The tip that the chain was last found to ask for, in wei per gas; 0 if it has asked for none. `isOld`: a lower one may do by now. */
export async function readLearnedTip({ query }: Queries): Promise<{ readonly wei: bigint; readonly isOld: boolean }> {
  const [row] = await query<{ wei: bigint; isOld: boolean }>(
    `SELECT wei, wei > 0 AND learned_at NOT BETWEEN now() - make_interval(mins => $1) AND now() AS "isOld" FROM learned_tip`,
    [HOLDS_MINUTES],
  );
  return row ?? { wei: 0n, isOld: false };
}

/** The chain asks for this tip, or for more. Returns what is stored then. */
export async function raiseLearnedTip({ query }: Queries, wei: bigint): Promise<bigint> {
  const [row] = await query<{ wei: bigint }>(
    `INSERT INTO learned_tip (wei) VALUES ($1)
     ON CONFLICT (singleton) DO UPDATE SET wei = greatest(learned_tip.wei, excluded.wei), learned_at = now() RETURNING wei`,
    [wei < MOST_WEI ? wei : MOST_WEI],
  );
  return row!.wei;
}

/** Replaces `from`, unless another process has changed it meanwhile. */
export async function lowerLearnedTip({ query }: Queries, from: bigint, to: bigint): Promise<void> {
  await query('UPDATE learned_tip SET wei = $2, learned_at = now() WHERE wei = $1', [from, to < from ? to : from]);
}

type Priced = { readonly baseFeePerGas: bigint | null | undefined };

/** What a node of a chain without a base fee may not offer. The gas price is the tip there. */
const suggestion = ({ baseFeePerGas }: Priced) => ({
  method: baseFeePerGas === null ? 'eth_gasPrice' : 'eth_maxPriorityFeePerGas',
  params: [],
});

/** The tip that the node itself suggests; null if it does not say. `newest`: as far as a block is known. */
export async function readNodesTip(rpc: Rpc, newest: Priced): Promise<bigint | null> {
  const [reply] = await rpc.batch([suggestion(newest)]);
  return reply ? asWei(resultOf(reply)) : null;
}

/** The newest blocks whose tips are looked at, and which tip of each: a quarter of its gas paid less. */
const FEE_HISTORY = ['0x14', 'latest', [25]] as const;

/**
 * The tip that the node suggests, or the usual one of the newest blocks if that is more; null if it says neither. Some nodes suggest less
 * than they take.
 */
export async function readSuggestedTip(rpc: Rpc, newest: Priced): Promise<bigint | null> {
  const replies = await rpc.batch([suggestion(newest), { method: 'eth_feeHistory', params: FEE_HISTORY }]);
  const [suggested, history] = replies.map(resultOf);
  const paid = usualTip((history as { reward?: unknown } | null)?.reward);
  const own = asWei(suggested);
  if (own === null || paid === null) return own ?? paid;
  return largerFee(own, paid);
}

const resultOf = (reply: RpcReply): unknown => (reply.kind === 'result' ? reply.result : null);

/** The median over the blocks. A block without transactions says 0. */
function usualTip(reward: unknown): bigint | null {
  if (!Array.isArray(reward)) return null;
  const tips = reward
    .map((ofBlock: unknown) => asWei(Array.isArray(ofBlock) ? ofBlock[0] : null))
    .filter((tip) => tip !== null && tip > 0n) as bigint[];
  if (tips.length === 0) return null;
  return tips.sort((a, b) => (a < b ? -1 : 1))[tips.length >> 1]!;
}

function asWei(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-f]{1,32}$/i.test(value) ? BigInt(value) : null;
}
