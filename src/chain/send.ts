import { bytesToHex } from '../base/hex.ts';
import type { Rpc, RpcReply } from './rpc.ts';

/**
 * A node's answer to a raw transaction. `accepted`: it has the transaction, now or already. `nonce-too-low`: the nonce
 * is used, and the chain shows by what. `rejected`: it refuses these bytes for a reason that may or may not pass.
 * `unknown`: no usable answer.
 */
export type SendReply = {
  readonly kind: 'accepted' | 'nonce-too-low' | 'rejected' | 'unknown';
  readonly reason: string;
  /** Present if a corrected attempt can fix the rejection. */
  readonly fault?: 'fee-too-low' | 'gas-too-high' | 'gas-too-low';
};

// Nodes agree on the meaning, but not on the wording: geth, reth, Erigon, Nethermind, Besu, anvil.
const ALREADY_KNOWN = /already known|already imported|alreadyknown|\bknown transaction|already exists/i;
const NONCE_TOO_LOW = /nonce(?: is)? too low|oldnonce|nonce_too_low|nonce .*lower than/i;

const FAULTS = [
  [
    'fee-too-low',
    /underpriced|less than block base fee|fee ?cap (?:is )?(?:too low|less)|max fee per gas less|feetoolow|gas price.*too low/i,
  ],
  [
    'gas-too-high',
    /exceeds (?:the )?(?:block )?gas limit|gas limit (?:is )?too high|exceeds block|intrinsic gas too high|gaslimitexceeded/i,
  ],
  ['gas-too-low', /intrinsic gas too low|gas limit (?:is )?too low|out of gas/i],
] as const;

/** Sends raw transactions to the node in one batch, in order. Sending the same bytes twice is harmless. */
export async function sendRawTransactions(rpc: Rpc, raws: readonly Uint8Array[]): Promise<SendReply[]> {
  const replies = await rpc.batch(raws.map((raw) => ({ method: 'eth_sendRawTransaction', params: [bytesToHex(raw)] })));
  return replies.map(classify);
}

function classify(reply: RpcReply): SendReply {
  if (reply.kind === 'result') return { kind: 'accepted', reason: '' };
  if (reply.kind === 'unknown') return { kind: 'unknown', reason: reply.reason };
  if (ALREADY_KNOWN.test(reply.message)) return { kind: 'accepted', reason: reply.message };
  if (NONCE_TOO_LOW.test(reply.message)) return { kind: 'nonce-too-low', reason: reply.message };
  const fault = FAULTS.find(([, words]) => words.test(reply.message))?.[0];
  return { kind: 'rejected', reason: reply.message, ...(fault && { fault }) };
}
