import { type BlockHeader, readHeader } from '../chain/blocks.ts';
import type { ChainEndpoint } from '../chain/endpoints.ts';
import { clientsOfAll, type EndpointClient, type Rpc, RpcUnreachable } from '../chain/rpc.ts';
import {
  proveReceipts,
  proveTokenLogs,
  readTokenLogs,
  requireOwnHash,
  type TokenLog,
  textOfLogs,
  Unproven,
} from '../chain/token-logs.ts';
import { distrustEndpoint, leaveEndpoint } from './endpoints.ts';
import type { Engine } from './engine.ts';
import { requireExpected } from './expectation.ts';

/** How many of the newest blocks are tried, up to one with transactions. */
const SEARCHED = 4n;

/**
 * Decides what vouches for the logs of blocks, once in a process: what `CHAIN_PROOF` says or, if that is `auto`, the header if this chain's
 * headers and receipts have the form of Ethereum's. The embedded chain is a part of this service, so its word is enough.
 */
export async function chooseProof(
  service: Pick<Engine, 'readiness' | 'settings' | 'rpc' | 'log'>,
  head: Pick<BlockHeader, 'number'>,
): Promise<void> {
  const { readiness, settings, rpc, log } = service;
  if (readiness.proof) return;
  if (settings.chainProof !== 'auto') readiness.proof = settings.chainProof;
  else if (settings.chainRpcUrls.length === 0) readiness.proof = 'node';
  else {
    const answers = await Promise.all(clientsOfAll(rpc).map(({ client }) => hasProof(client, head.number)));
    readiness.proof = answers.includes(true) ? 'receipts' : 'agreement';
    if (readiness.proof === 'agreement')
      log.warn({}, 'the headers of this chain do not prove its logs, so endpoints have to agree on them (CHAIN_PROOF)');
  }
}

/** Whether the newest blocks of this endpoint prove their receipts. */
export async function hasProof(client: Rpc, newest: bigint): Promise<boolean> {
  try {
    for (let number = newest; number >= 0n && number > newest - SEARCHED; number--) {
      const header = await readHeader(client, number);
      if (!header) return false;
      requireOwnHash(header);
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

/**
 * The token's logs of a block, for which its header, or an agreement of endpoints, vouches ({@link chooseProof}). An answer that fails is
 * asked of another endpoint, and the one that gave it is not trusted for some minutes.
 *
 * `rpc`: a client of the endpoint that gave the header. Throws {@link Unproven}, and notes in `readiness` that following waits, if nobody
 * gives what is proven; another Error if nobody answers.
 */
export async function readVouchedLogs(service: Vouching, rpc: Rpc, header: BlockHeader): Promise<TokenLog[]> {
  const { readiness } = service;
  try {
    const logs = await vouched(service, rpc, header);
    readiness.unproven = null;
    return logs;
  } catch (error) {
    if (error instanceof Unproven) readiness.unproven = { block: header.number, reason: error.message };
    throw error;
  }
}

async function vouched(service: Vouching, rpc: Rpc, header: BlockHeader): Promise<TokenLog[]> {
  const { token } = service.chain.contracts;
  switch (service.readiness.proof) {
    case 'receipts':
      await blaming(service, asked(service), async () => requireOwnHash(header));
      return proveByAny(service, header);
    case 'agreement':
      return agreed(service, header);
    default:
      return blaming(service, asked(service), () => readTokenLogs(rpc, header, token));
  }
}

const asked = ({ rpc }: Vouching): ChainEndpoint | undefined => rpc.endpoints?.first();

/**
 * Reads from an endpoint. One whose answer fails is not trusted for some minutes. One that is asked first, and refuses, is left for a
 * while; others may only lack the newest block.
 */
async function blaming<T>(service: Vouching, endpoint: ChainEndpoint | undefined, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (endpoint && error instanceof Unproven) distrustEndpoint(service, endpoint, error.message);
    else if (endpoint === asked(service) && !(error instanceof RpcUnreachable))
      leaveEndpoint(service, endpoint, (error as Error).message);
    throw error;
  }
}

/** The first proven answer. */
async function proveByAny(service: Vouching, header: BlockHeader): Promise<TokenLog[]> {
  const errors: unknown[] = [];
  for (const { endpoint, client } of clientsOfAll(service.rpc)) {
    try {
      return await blaming(service, endpoint, () => proveTokenLogs(client, header, service.chain.contracts.token));
    } catch (error) {
      errors.push(error);
    }
  }
  throw worstOf(errors);
}

/** That an answer failed says more than that another was not given. */
const worstOf = (errors: readonly unknown[]): unknown => errors.find((error) => error instanceof Unproven) ?? errors[0];

type Answer = EndpointClient & { readonly logs: TokenLog[]; readonly text: string };

/**
 * The logs that two endpoints give alike. If only one has the block, its logs have to be what we expect. Throws {@link Unproven} if the
 * endpoints contradict each other, and no two agree.
 */
async function agreed(service: Vouching, header: BlockHeader): Promise<TokenLog[]> {
  const answers: Answer[] = [];
  const errors: unknown[] = [];
  for (const { endpoint, client } of clientsOfAll(service.rpc)) {
    try {
      const logs = await blaming(service, endpoint, () => readTokenLogs(client, header, service.chain.contracts.token));
      const text = textOfLogs(logs);
      const isAgreed = answers.some((answer) => answer.text === text);
      answers.push({ ...(endpoint && { endpoint }), client, logs, text });
      if (!isAgreed) continue;
      distrustOthers(service, answers, text, header);
      return logs;
    } catch (error) {
      errors.push(error);
    }
  }
  const [only, other] = answers;
  if (!only) throw worstOf(errors);
  if (other) throw new Unproven(`the endpoints give different logs of block ${header.number}`);
  await requireExpected(service, only.client, header, only.logs);
  return only.logs;
}

function distrustOthers(service: Vouching, answers: readonly Answer[], agreed: string, { number }: BlockHeader): void {
  for (const { endpoint, text } of answers) {
    if (endpoint && text !== agreed)
      distrustEndpoint(service, endpoint, `it gives other logs of block ${number} than two others`);
  }
}
