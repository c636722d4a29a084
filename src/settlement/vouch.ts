import type { Address } from '../base/address.ts';
import { Unproven } from '../chain/block-proof.ts';
import type { TokenLog } from '../chain/block-replies.ts';
import {
  type BlockHeader,
  mayHoldTokenLogs,
  proveHeader,
  readHeader,
  type VouchedHeader,
  vouchFor,
} from '../chain/blocks.ts';
import { logsBloomContains } from '../chain/logs-bloom.ts';
import { type EndpointClient, RpcUnreachable } from '../chain/rpc.ts';
import { proveTokenLogs, readTokenLogs } from '../chain/token-logs.ts';
import type { Settings } from '../config/settings.ts';
import { newestPosting } from '../ledger/blocks.ts';
import type { Proven, Readiness } from '../service/service.ts';
import { agreeOnBlock, agreeOnHeader, isFalse } from './agreement.ts';
import { blame, blaming, firstSource, sourcesFrom, worstOf } from './blame.ts';
import type { Engine } from './engine.ts';

/** What has to vouch for blocks: `CHAIN_PROOF`. The embedded chain is a part of this service, so its word is enough. */
export function proofOf({ chainProof, chainRpcUrls }: Settings): Readiness['proof'] {
  return chainProof === 'auto' && chainRpcUrls.length === 0 ? 'node' : chainProof;
}

/** What a process has seen of the proofs of its chain when it starts. */
export const nothingProven = (): Proven => ({
  headers: null,
  receipts: null,
  blooms: null,
  less: null,
  unanswered: null,
});

type Vouching = Pick<Engine, 'db' | 'rpc' | 'chain' | 'readiness' | 'log'>;

/** A block and the token's logs in it, for which somebody vouches. */
export type VouchedBlock = { readonly header: VouchedHeader; readonly logs: TokenLog[] };

/**
 * The token's logs of a block, and its header, for which vouches what `CHAIN_PROOF` says: the header's own hash, or an agreement of
 * endpoints. Under `auto` it is the hash wherever it can, and else an agreement, block by block.
 * An answer that fails is asked of another endpoint, and the one that gave it is not trusted for some minutes.
 *
 * `source`: the endpoint that gave the header. Throws {@link Unproven} if nobody gives what is proven; another Error if nobody answers.
 */
export async function vouchForBlock(
  service: Vouching,
  source: EndpointClient,
  said: BlockHeader,
): Promise<VouchedBlock> {
  const { proof } = service.readiness;
  if (proof === 'agreement') return agreeOnBlock(service, source, said);
  if (proof === 'node') return blaming(service, source.endpoint, () => believe(service, source, said));
  if (proof === 'receipts') await blaming(service, source.endpoint, () => proveHeader(said));
  const proven = await proveBlock(service, source, said);
  if ('logs' in proven) return proven;
  const { doubt } = proven;
  if (proof === 'receipts' || (doubt instanceof RpcUnreachable && !isLongUnanswered(service))) throw doubt;
  const agreed = await agreeOnBlock(service, source, said, mayBeAlone(service, doubt) ? null : doubt);
  noteLess(service, said.number, doubt);
  return agreed;
}

/** What one endpoint says, and its bloom as far as that is true. */
async function believe(service: Vouching, { client }: EndpointClient, said: BlockHeader): Promise<VouchedBlock> {
  const { token } = service.chain.contracts;
  const header = vouchFor(said);
  if ((await believesBlooms(service)) && !bloomHas(header, token)) return { header, logs: [] };
  const logs = await readTokenLogs(client, said, token);
  if (logs.length > 0) service.readiness.proven.blooms = bloomHas(header, token);
  return { header, logs };
}

/** The header of a block of the chain, for which the same vouches. Throws as {@link vouchForBlock} does, and if nobody has the block. */
export async function readVouchedHeader(service: Vouching, number: bigint): Promise<VouchedHeader> {
  const { proof } = service.readiness;
  const source = firstSource(service.rpc);
  const read = async ({ client }: EndpointClient) => {
    const header = await readHeader(client, number);
    if (!header) throw new Error(`The node does not give block ${number}.`);
    return header;
  };
  if (proof === 'node') return vouchFor(await read(source));
  const agree = async () => agreeOnHeader(service, source, await blaming(service, source.endpoint, () => read(source)));
  if (proof === 'agreement') return agree();
  const prove = async (one: EndpointClient) => proveHeader(await read(one));
  if (proof === 'receipts') return firstProven(service, source, prove);
  try {
    return await prove(source);
  } catch (error) {
    if (!(error instanceof Unproven) || isFalse(service.readiness, error)) {
      blame(service, source.endpoint, error);
      throw error;
    }
    return agree();
  }
}

/** `doubt`: what nobody proves of a block, or why nobody answers for it. */
type Doubted = { readonly doubt: Error };

async function proveBlock(
  service: Vouching,
  source: EndpointClient,
  said: BlockHeader,
): Promise<VouchedBlock | Doubted> {
  const { readiness, chain } = service;
  const { token } = chain.contracts;
  let header: VouchedHeader;
  try {
    header = proveHeader(said);
  } catch (error) {
    if (await isProvenByOthers(service, source, said)) {
      blame(service, source.endpoint, error);
      throw error;
    }
    return { doubt: error as Error };
  }
  readiness.proven.headers = true;
  try {
    const believes = await believesBlooms(service);
    const logs = await firstProven(service, source, ({ client }) => proveTokenLogs(client, header, token, believes));
    if (mayHoldTokenLogs(header, token, believes)) readiness.proven.unanswered = null;
    if (logs.length > 0) Object.assign(readiness.proven, { receipts: true, blooms: bloomHas(header, token) });
    return { header, logs };
  } catch (error) {
    return { doubt: error as Error };
  }
}

const bloomHas = ({ logsBloom }: VouchedHeader, token: Address) => logsBloomContains(logsBloom, token);

/** Whether another endpoint gives the same block with a header that has this hash. Nobody is asked any more while nobody did. */
async function isProvenByOthers(
  service: Vouching,
  source: EndpointClient,
  { number, hash }: BlockHeader,
): Promise<boolean> {
  const { proven } = service.readiness;
  if (proven.headers === false) return false;
  const others = sourcesFrom(service, source).slice(1);
  const headers = await Promise.all(others.map(({ client }) => readHeader(client, number).catch(() => null)));
  const isProven = headers.some((header) => header?.hash === hash && hasOwnHash(header));
  if (!isProven) proven.headers ??= false;
  return isProven;
}

/** A moment's limit decides nothing. What is unanswered for longer is refused, in whatever form. */
const UNANSWERED_MS = 15_000;
/** Who refuses receipts for good is waited for once, and not for each block. What was so long ago says nothing of now. */
const FORGOTTEN_MS = 600_000;

function isLongUnanswered({ readiness: { proven } }: Vouching): boolean {
  const now = performance.now();
  const known = proven.unanswered;
  const since = known && now - known.last < FORGOTTEN_MS ? known.since : now;
  proven.unanswered = { since, last: now };
  return now - since >= UNANSWERED_MS;
}

/**
 * Whether the word of one endpoint is enough for a block that is not proven. Not if it contradicts what the chain has shown, and not where
 * several are asked and the chain has proven others of its blocks: then one of them has to confirm it.
 */
function mayBeAlone({ rpc, readiness }: Vouching, doubt: Error): boolean {
  const isOnly = (rpc.endpoints?.all.length ?? 1) === 1;
  return !isFalse(readiness, doubt) && (isOnly || !readiness.proven.receipts);
}

/** Counts blocks for which less than `receipts` vouched. */
function noteLess({ readiness: { proven }, log }: Vouching, block: bigint, { message: reason }: Error): void {
  if (proven.less && proven.less.last >= block) return;
  if (!proven.less)
    log.warn(
      { block: Number(block), reason },
      'a block does not prove its logs: endpoints have to agree (CHAIN_PROOF)',
    );
  proven.less = { blocks: (proven.less?.blocks ?? 0) + 1, last: block, reason };
}

/** Whether a bloom can be believed that says that there is no log of ours. It is, once a log of ours was seen to be in one. */
async function believesBlooms({ db, rpc, chain, readiness: { proof, proven } }: Vouching): Promise<boolean> {
  if (proven.blooms === null) {
    const ours = await newestPosting(db);
    const header = ours && (await readHeader(firstSource(rpc).client, ours.number).catch(() => null));
    if (header && header.hash === ours.hash && (proof === 'node' || hasOwnHash(header)))
      proven.blooms = bloomHas(vouchFor(header), chain.contracts.token);
  }
  return proven.blooms === true;
}

function hasOwnHash(header: BlockHeader): boolean {
  try {
    return proveHeader(header) !== null;
  } catch {
    return false;
  }
}

/** The first proven answer. Those that gave another one are not trusted for some minutes. */
async function firstProven<T>(
  service: Vouching,
  source: EndpointClient,
  prove: (one: EndpointClient) => Promise<T>,
): Promise<T> {
  const failed: { readonly endpoint: EndpointClient['endpoint']; readonly error: unknown }[] = [];
  for (const one of sourcesFrom(service, source)) {
    try {
      const proven = await prove(one);
      for (const { endpoint, error } of failed) blame(service, endpoint, error);
      return proven;
    } catch (error) {
      failed.push({ endpoint: one.endpoint, error });
    }
  }
  throw worstOf(failed.map(({ error }) => error));
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
