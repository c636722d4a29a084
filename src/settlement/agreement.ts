import type { Hash } from '../base/hex.ts';
import { Unproven } from '../chain/block-proof.ts';
import { type TokenLog, textOfLogs } from '../chain/block-replies.ts';
import {
  type BlockHeader,
  isKnownByHash,
  proveHeader,
  readHeader,
  textOfHeader,
  type VouchedHeader,
  vouchFor,
} from '../chain/blocks.ts';
import { type EndpointClient, type Rpc, RpcUnreachable } from '../chain/rpc.ts';
import { readTokenLogs } from '../chain/token-logs.ts';
import type { Readiness } from '../service/service.ts';
import { blaming, sourcesFrom, worstOf } from './blame.ts';
import type { Engine } from './engine.ts';
import { requireExpected } from './expectation.ts';
import { distrustEndpoint, leaveEndpoint } from './survey-chain-endpoints.ts';

type Agreeing = Pick<Engine, 'db' | 'rpc' | 'chain' | 'log'>;

/** What one endpoint says of a block. */
type Answer = EndpointClient & {
  readonly header: BlockHeader;
  readonly logs: TokenLog[];
  readonly text: string;
};

/**
 * A block of which two endpoints say the same, each with its own header and its own logs, whatever bloom it gives. If only one has the
 * block, all that it says of it has to fit together ({@link requireExpected}).
 *
 * `source`: the endpoint that gave the header. `doubt`: why the word of one is not enough; null if it is. Throws that, and
 * {@link Unproven} if the endpoints contradict each other, and no two agree; another Error if two others have another block.
 */
export async function agreeOnBlock(
  service: Agreeing,
  source: EndpointClient,
  header: BlockHeader,
  doubt: Error | null = null,
): Promise<{ readonly header: VouchedHeader; readonly logs: TokenLog[] }> {
  const { token } = service.chain.contracts;
  const agreed = await agree(service, source, header, (client, own) => readTokenLogs(client, own, token));
  if (agreed.isAlone && doubt) throw doubt;
  if (agreed.isAlone) await requireExpected(service, agreed.client, agreed.header, agreed.logs);
  return { header: vouchFor(agreed.header), logs: agreed.logs };
}

/** The same for the header alone. If only one endpoint has the block, its word is all there is. */
export async function agreeOnHeader(
  service: Agreeing,
  source: EndpointClient,
  header: BlockHeader,
): Promise<VouchedHeader> {
  return vouchFor((await agree(service, source, header, async () => [])).header);
}

/** `readLogs`: of the endpoint's own header, which has the hash of ours. */
async function agree(
  service: Agreeing,
  source: EndpointClient,
  header: BlockHeader,
  readLogs: (client: EndpointClient['client'], own: BlockHeader) => Promise<TokenLog[]>,
): Promise<Answer & { readonly isAlone: boolean }> {
  const { number, hash } = header;
  const sources = sourcesFrom(service, source);
  const answers: Answer[] = [];
  const others: Hash[] = [];
  const errors: unknown[] = [];
  for (const one of sources) {
    try {
      const own = one === source ? header : await blaming(service, one.endpoint, () => ownHeader(one, number));
      if (own.hash !== hash) {
        if (isInOrder(one)) others.push(own.hash);
        continue;
      }
      const logs = await blaming(service, one.endpoint, () => readLogs(one.client, own));
      const text = textOfHeader(own) + textOfLogs(logs);
      const isAgreed = answers.some((answer) => answer.text === text);
      answers.push({ ...one, header: own, logs, text });
      if (!isAgreed) continue;
      distrustOthers(service, answers, text, number);
      return { ...answers.at(-1)!, isAlone: false };
    } catch (error) {
      errors.push(error);
    }
  }
  if (others.some((other, i) => others.indexOf(other) !== i)) {
    leaveEndpoint(service, source.endpoint, `two others have another block ${number}`);
    throw new Error(`Two endpoints have another block ${number} than the one that is asked first`);
  }
  const [only, second] = answers;
  if (second) throw new Unproven(`the endpoints say different things of block ${number}`);
  if (only && others.length > 0) throw new Unproven(`the endpoints have different blocks ${number}`);
  if (only) return { ...only, isAlone: true };
  if (sources.length === 1) await requireKnown(source, header, worstOf(errors));
  throw worstOf(errors);
}

async function ownHeader({ client }: EndpointClient, number: bigint): Promise<BlockHeader> {
  const header = await readHeader(client, number);
  if (!header) throw new Error(`The node does not have block ${number}`);
  return header;
}

/** One that is on another fork, or lags, does not speak against a block. */
const isInOrder = ({ endpoint }: EndpointClient): boolean => endpoint?.state === 'ok' || endpoint?.state === 'unknown';

/** The only endpoint does not give what belongs to a block. If it does not know the block by its hash either, the hash is false. */
async function requireKnown({ client }: EndpointClient, header: BlockHeader, error: unknown): Promise<void> {
  if (error instanceof Unproven || error instanceof RpcUnreachable) return;
  await requireKnownByHash(client, header);
}

async function requireKnownByHash(client: Rpc, header: BlockHeader): Promise<void> {
  if (!(await isKnownByHash(client, header)))
    throw new Unproven(`the node does not know block ${header.number} by the hash that it gives`);
}

/**
 * What a header says of itself, before it speaks against a block that the ledger has: its hash is that of its fields or, where endpoints
 * agree, one by which the node knows the block. Throws {@link Unproven} if not.
 */
export async function requireItself(readiness: Proving, client: Rpc, header: BlockHeader): Promise<void> {
  if (readiness.proof === 'node' || isProven(readiness, header)) return;
  await requireKnownByHash(client, header);
}

type Proving = Pick<Readiness, 'proof' | 'proven'>;

/** Whether a header has its hash. Throws {@link Unproven} if it does not, and has to. */
function isProven(readiness: Proving, header: BlockHeader): boolean {
  if (readiness.proof === 'agreement' || readiness.proof === 'node') return false;
  try {
    return proveHeader(header) !== null;
  } catch (error) {
    if (readiness.proof === 'receipts' || isFalse(readiness, error)) throw error;
    return false;
  }
}

/**
 * What is of a form that is not known here may be true. What is of a known one is false, if this chain has been seen to prove the like: two
 * endpoints have to say the same of it, and the word of one is not enough.
 */
export function isFalse({ proven }: Pick<Readiness, 'proven'>, doubt: unknown): boolean {
  if (!(doubt instanceof Unproven) || doubt.of === 'other') return false;
  return proven[doubt.of] === true;
}

function distrustOthers(service: Agreeing, answers: readonly Answer[], agreed: string, number: bigint): void {
  for (const { endpoint, text } of answers) {
    if (endpoint && text !== agreed)
      distrustEndpoint(service, endpoint, `it says other things of block ${number} than two others`);
  }
}
