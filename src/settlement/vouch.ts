import { Unproven } from '../chain/block-proof.ts';
import {
  type BlockHeader,
  mayHoldTokenLogs,
  proveHeader,
  readHeader,
  type VouchedHeader,
  vouchFor,
} from '../chain/blocks.ts';
import { proveReceipts } from '../chain/receipts.ts';
import { clientsOfAll, type EndpointClient, type Rpc } from '../chain/rpc.ts';
import { proveTokenLogs, readTokenLogs, type TokenLog } from '../chain/token-logs.ts';
import { agreeOnBlock, agreeOnHeader } from './agreement.ts';
import { blaming, firstSource, sourcesFrom, worstOf } from './blame.ts';
import type { Engine } from './engine.ts';

/** How many of the newest blocks are tried, up to one with transactions. */
const SEARCHED = 4n;

/**
 * Decides what vouches for the logs of blocks, once in a process: what `CHAIN_PROOF` says or, if that is `auto`, the header if this chain's
 * headers and receipts have the form of Ethereum's. The embedded chain is a part of this service, so its word is enough.
 */
export async function chooseProof(service: Pick<Engine, 'readiness' | 'settings' | 'rpc' | 'log'>): Promise<void> {
  const { readiness, settings, rpc, log } = service;
  if (readiness.proof) return;
  if (settings.chainProof !== 'auto') readiness.proof = settings.chainProof;
  else if (settings.chainRpcUrls.length === 0) readiness.proof = 'node';
  else {
    const answers = await Promise.all(clientsOfAll(rpc).map(({ client }) => hasProof(client)));
    readiness.proof = answers.includes(true) ? 'receipts' : 'agreement';
    if (readiness.proof === 'agreement')
      log.warn({}, 'the headers of this chain do not prove its logs, so endpoints have to agree on them (CHAIN_PROOF)');
  }
}

/** Whether the newest blocks of this endpoint prove their receipts. */
export async function hasProof(client: Rpc): Promise<boolean> {
  try {
    const newest = (await readHeader(client, 'latest'))!;
    const { number } = proveHeader(newest);
    for (let searched = 0n; searched < SEARCHED && searched <= number; searched++) {
      const header = proveHeader(searched === 0n ? newest : (await readHeader(client, number - searched))!);
      // Of an empty block too, because it shows whether the node gives receipts at all.
      const receipts = await proveReceipts(client, header);
      if (receipts.length > 0) return true;
    }
    return true;
  } catch {
    return false;
  }
}

type Vouching = Pick<Engine, 'db' | 'rpc' | 'chain' | 'readiness' | 'log'>;

/** A block and the token's logs in it, for which somebody vouches. */
export type VouchedBlock = { readonly header: VouchedHeader; readonly logs: TokenLog[] };

/**
 * The token's logs of a block, and its header, for which the header's own hash, or an agreement of endpoints, vouches ({@link chooseProof}).
 * An answer that fails is asked of another endpoint, and the one that gave it is not trusted for some minutes.
 *
 * `source`: the endpoint that gave the header. Throws {@link Unproven} if nobody gives what is proven; another Error if nobody answers.
 */
export async function vouchForBlock(
  service: Vouching,
  source: EndpointClient,
  said: BlockHeader,
): Promise<VouchedBlock> {
  const { token } = service.chain.contracts;
  switch (service.readiness.proof) {
    case 'receipts': {
      const header = await blaming(service, source.endpoint, () => proveHeader(said));
      return {
        header,
        logs: await firstProven(service, source, ({ client }) => proveTokenLogs(client, header, token)),
      };
    }
    case 'agreement':
      return agreeOnBlock(service, source, said);
    case 'node': {
      const header = vouchFor(said);
      const read = () => (mayHoldTokenLogs(header, token) ? readTokenLogs(source.client, said, token) : []);
      return { header, logs: await blaming(service, source.endpoint, read) };
    }
    default:
      throw undecided();
  }
}

/** The header of a block of the chain, for which the same vouches. Throws as {@link vouchForBlock} does, and if nobody has the block. */
export async function readVouchedHeader(service: Vouching, number: bigint): Promise<VouchedHeader> {
  const source = firstSource(service.rpc);
  const read = async ({ client }: EndpointClient) => {
    const header = await readHeader(client, number);
    if (!header) throw new Error(`The node does not give block ${number}.`);
    return header;
  };
  switch (service.readiness.proof) {
    case 'receipts':
      return firstProven(service, source, async (one) => proveHeader(await read(one)));
    case 'agreement':
      return agreeOnHeader(service, source, await blaming(service, source.endpoint, () => read(source)));
    case 'node':
      return vouchFor(await read(source));
    default:
      throw undecided();
  }
}

const undecided = () => new Error('It is not decided yet what vouches for blocks');

/** The first proven answer. */
async function firstProven<T>(
  service: Vouching,
  source: EndpointClient,
  prove: (one: EndpointClient) => Promise<T>,
): Promise<T> {
  const errors: unknown[] = [];
  for (const one of sourcesFrom(service, source)) {
    try {
      return await blaming(service, one.endpoint, () => prove(one));
    } catch (error) {
      errors.push(error);
    }
  }
  throw worstOf(errors);
}

/** Reads something about a block, and notes in `readiness` if following waits for it, since nobody proves it. */
export async function whileProven<T>(
  { readiness }: Pick<Engine, 'readiness'>,
  block: bigint,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Unproven) readiness.unproven = { block, reason: error.message };
    throw error;
  }
}

/** The same for what vouches for a block. Once it does, following does not wait any more. */
export async function notingProof<T>(
  service: Pick<Engine, 'readiness'>,
  block: bigint,
  vouched: Promise<T>,
): Promise<T> {
  const found = await whileProven(service, block, () => vouched);
  service.readiness.unproven = null;
  return found;
}
