import { type BlockHeader, readHeader } from '../chain/blocks.ts';
import type { ChainEndpoint, Endpoints } from '../chain/endpoints.ts';
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
import { requireExpected } from './expectation.ts';
import type { Engine } from './service.ts';

/** How many of the newest blocks are searched for one with transactions. */
const SEARCHED = 16n;

/**
 * Decides what vouches for the logs of blocks, once in a process: what `CHAIN_PROOF` says or, if that is `auto`, the header if this chain's
 * headers and receipts have the form of Ethereum's. The embedded chain is a part of this service, so its word is enough.
 */
export async function chooseProof(service: Engine, head: BlockHeader): Promise<void> {
  const { readiness, settings, rpc, log } = service;
  if (readiness.proof) return;
  if (settings.chainProof !== 'auto') readiness.proof = settings.chainProof;
  else if (settings.chainRpcUrls.length === 0) readiness.proof = 'node';
  else {
    const clients = rpc.endpoints
      ? clientsOfAll({ ...rpc, endpoints: rpc.endpoints }).map(({ client }) => client)
      : [rpc];
    const answers = await Promise.all(clients.map((client) => hasProof(client, head.number)));
    readiness.proof = answers.includes(true) ? 'receipts' : 'agreement';
    if (readiness.proof === 'agreement')
      log.warn({}, 'the headers of this chain do not prove its logs, so endpoints have to agree on them (CHAIN_PROOF)');
  }
}

/** Whether a recent block of this endpoint proves its receipts. */
export async function hasProof(client: Rpc, newest: bigint): Promise<boolean> {
  try {
    for (let number = newest; number >= 0n && number > newest - SEARCHED; number--) {
      const header = await readHeader(client, number);
      if (!header) return false;
      requireOwnHash(header);
      const { transactions } = header.raw;
      if (!Array.isArray(transactions) || transactions.length === 0) continue;
      await proveReceipts(client, header);
      return true;
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
  const { chain, readiness } = service;
  const { token } = chain.contracts;
  const endpoints = service.rpc.endpoints;
  const asked = endpoints?.first();
  if (readiness.proof === 'receipts') {
    try {
      requireOwnHash(header);
    } catch (error) {
      if (asked) distrustEndpoint(service, asked, (error as Error).message);
      throw error;
    }
    return proveByAny(service, clientsOf(service.rpc, rpc), header);
  }
  if (readiness.proof === 'agreement' && endpoints) return agreed(service, { ...service.rpc, endpoints }, header);
  return readTokenLogs(rpc, header, token).catch((error: Error) => {
    blame(service, asked, error);
    throw error;
  });
}

type Asked = { readonly endpoint?: ChainEndpoint; readonly client: Rpc };

const clientsOf = (rpc: Rpc, only: Rpc): readonly Asked[] =>
  rpc.endpoints && rpc.endpoints.all.length > 1
    ? clientsOfAll({ ...rpc, endpoints: rpc.endpoints })
    : [{ client: only }];

/** The first proven answer. Those who gave a false one before are distrusted, whoever gave none is left for a while. */
async function proveByAny(service: Vouching, asked: readonly Asked[], header: BlockHeader): Promise<TokenLog[]> {
  const errors: Error[] = [];
  for (const { endpoint, client } of asked) {
    try {
      return await proveTokenLogs(client, header, service.chain.contracts.token);
    } catch (error) {
      blame(service, endpoint, error as Error);
      errors.push(error as Error);
    }
  }
  throw errors.find((error) => error instanceof Unproven) ?? errors[0]!;
}

function blame(service: Vouching, endpoint: ChainEndpoint | undefined, error: Error): void {
  if (error instanceof Unproven) {
    if (endpoint) distrustEndpoint(service, endpoint, error.message);
  } else if (!(error instanceof RpcUnreachable)) leaveEndpoint(service, endpoint, error.message);
}

type Answer = EndpointClient & { readonly logs: TokenLog[]; readonly text: string };

/**
 * The logs that two endpoints give alike. If only one has the block, its logs have to be what we expect. Throws {@link Unproven} if the
 * endpoints contradict each other, and no two agree.
 */
async function agreed(
  service: Vouching,
  rpc: Rpc & { readonly endpoints: Endpoints },
  header: BlockHeader,
): Promise<TokenLog[]> {
  const answers: Answer[] = [];
  const errors: Error[] = [];
  for (const one of clientsOfAll(rpc)) {
    try {
      const logs = await readTokenLogs(one.client, header, service.chain.contracts.token);
      const text = textOfLogs(logs);
      const isAgreed = answers.some((answer) => answer.text === text);
      answers.push({ ...one, logs, text });
      if (!isAgreed) continue;
      for (const { endpoint } of answers.filter((answer) => answer.text !== text)) {
        distrustEndpoint(service, endpoint, `it gives other logs of block ${header.number} than two others`);
      }
      return logs;
    } catch (error) {
      blame(service, one.endpoint, error as Error);
      errors.push(error as Error);
    }
  }
  const [only, other] = answers;
  if (!only) throw errors.find((error) => error instanceof Unproven) ?? errors[0]!;
  if (other) throw new Unproven(`the endpoints give different logs of block ${header.number}`);
  await requireExpected(service, only.client, header, only.logs);
  return only.logs;
}
