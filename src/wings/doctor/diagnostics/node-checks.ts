import { type BlockHeader, readHeader } from '../../../chain/blocks.ts';
import type { Installation } from '../../../chain/deployment.ts';
import { connectRpc, type Rpc } from '../../../chain/rpc.ts';
import { readChainId, readNewestBlock } from '../../../chain/state.ts';
import { readTokenLogs } from '../../../chain/token-logs.ts';
import { isLoopback } from '../../../config/development.ts';
import type { Settings } from '../../../config/settings.ts';
import type { Database } from '../../../db/database.ts';
import { type Finding, good, type HealthFact } from '../../../diagnostics/findings/finding.ts';
import { ageOf } from '../../../diagnostics/findings/spoken-age.ts';
import { oldestPosting } from '../../../ledger/blocks.ts';
import { hasProof } from '../chain/has-proof.ts';
import { type Examination, NODE_ANSWERS_WITHIN_MS } from './examination.ts';

const DOWN = 'docs/operate/runbook.md#quarterschaindown';
const CHAIN = 'docs/operate/doctor.md#chain';
/** A public chain has a block every few seconds. */
const OLD_HEAD_MS = 5 * 60_000;
const FAR_BEHIND = 5n;
const SLOW_MS = 1_000;
/** What the follower asks for at once when it is behind. */
const BATCH = 64;

/** One endpoint, by itself. `host` is what may be shown: the path of an address may be a key. */
type Endpoint = { readonly host: string; readonly url: URL; readonly rpc: Rpc };

type Seen = Endpoint & {
  readonly chainId: number;
  readonly head: bigint;
  readonly minedAt: Date;
  /** Whether its newest blocks prove their receipts. */
  readonly isProving: boolean;
  /** Null if the node has no such tag. */
  readonly finalised: bigint | null;
  readonly milliseconds: number;
  readonly takesBatches: boolean;
};

/** Whether each endpoint of the chain works by itself, and whether they agree. */
export async function checkNodes(examination: Examination): Promise<Finding | Finding[] | null> {
  const { rpcUrls, embedded } = examination;
  if (rpcUrls.length === 0) return null;
  const endpoints = rpcUrls.map((url): Endpoint => {
    return {
      host: new URL(url).host,
      url: new URL(url),
      rpc: connectRpc([url], { timeoutMs: NODE_ANSWERS_WITHIN_MS }),
    };
  });
  const looks = await Promise.all(endpoints.map(look));
  const seen = looks.filter((each) => 'head' in each);
  const found = looks.flatMap((each) => ('reason' in each ? [unreachable(each)] : []));
  const [db, installation] = [await examination.database(), await examination.installation()];
  for (const each of seen) {
    found.push(...ofChainId(each, installation), ...ofNode(each, embedded.chain));
    if (db && installation && !embedded.chain) found.push(...(await ofHistory(each, db, installation)));
  }
  found.push(...(await ofDifferences(seen)));
  if (!embedded.chain) found.push(...ofProof(seen, examination.settings.chainProof));
  if (found.length > 0) return found;
  return good(summary(seen), seen.map(factOf));
}

async function look(endpoint: Endpoint): Promise<Seen | (Endpoint & { readonly reason: string })> {
  const { rpc } = endpoint;
  try {
    const since = performance.now();
    const chainId = await readChainId(rpc);
    const milliseconds = performance.now() - since;
    const { number, minedAt } = await readNewestBlock(rpc);
    const finalised = await readFinalised(rpc);
    const isProving = await hasProof(rpc);
    const replies = await rpc.batch(Array.from({ length: BATCH }, () => ({ method: 'eth_chainId', params: [] })));
    const takesBatches = replies.every(({ kind }) => kind === 'result');
    return { ...endpoint, chainId, head: number, minedAt, finalised, isProving, milliseconds, takesBatches };
  } catch (error) {
    return { ...endpoint, reason: (error as Error).message };
  }
}

async function readFinalised(rpc: Rpc): Promise<bigint | null> {
  const [reply] = await rpc.batch([{ method: 'eth_getBlockByNumber', params: ['finalized', false] }]);
  const block = reply?.kind === 'result' ? (reply.result as { number: string } | null) : null;
  return block && BigInt(block.number);
}

function unreachable({ host, reason }: Endpoint & { readonly reason: string }): Finding {
  const remedy = { says: 'Start the node, correct CHAIN_RPC_URL, or leave this endpoint out.', docs: DOWN };
  return { state: 'bad', says: `${host} does not answer: ${reason.replace(/^.*did not answer \w+: /, '')}.`, remedy };
}

function ofChainId({ host, chainId }: Seen, installation: Installation | null): Finding[] {
  if (!installation || installation.chainId === chainId) return [];
  const says = `${host} is on chain ${chainId}, but the database belongs to chain ${installation.chainId}.`;
  return [{ state: 'bad', says, remedy: { says: 'Use a node of the chain of this database.', docs: CHAIN } }];
}

function ofNode({ host, url, minedAt, milliseconds, takesBatches }: Seen, isEmbedded: boolean): Finding[] {
  const found: Finding[] = [];
  const warn = (says: string, remedy: string, docs = CHAIN) =>
    void found.push({ state: 'warning', says, remedy: { says: remedy, docs } });
  const age = Date.now() - minedAt.getTime();
  // An embedded chain makes no blocks while nothing happens.
  if (age > OLD_HEAD_MS && !isEmbedded) {
    warn(`${host} has had no new block for ${ageOf(age)}.`, 'See whether the node is in sync.', DOWN);
  }
  if (milliseconds > SLOW_MS) {
    warn(`${host} takes ${Math.round(milliseconds)} ms to answer.`, 'Use a node that is closer.');
  }
  if (!takesBatches) {
    warn(`${host} does not answer ${BATCH} calls at once.`, 'Raise its limits for batches or calls a second.');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    warn(
      `Calls to ${host} are not encrypted, so they can be changed on their way.`,
      'Use https.',
      'docs/operate/start.md#encryption',
    );
  }
  return found;
}

/** A node that has dropped old logs cannot show the whole ledger, as an audit or a restored backup may need. */
async function ofHistory({ host, rpc }: Seen, db: Database, { contracts, chainId }: Installation): Promise<Finding[]> {
  const first = await oldestPosting(db);
  if (!first || (await readChainId(rpc)) !== chainId) return [];
  const logs = await readHeader(rpc, first.number)
    .then((header) => (header && header.hash === first.hash ? readTokenLogs(rpc, header, contracts.token) : []))
    .catch(() => []);
  if (logs.length > 0) return [];
  const says = `${host} has no logs of block ${first.number}, where our first quarters are.`;
  const remedy = { says: 'Use a node that keeps all logs. A restored backup needs them.', docs: CHAIN };
  return [{ state: 'warning', says, remedy }];
}

const BELIEF = 'docs/operate/chain.md#what-is-believed-of-a-node';

/** Whether the logs of blocks can be proven as `CHAIN_PROOF` wants it. */
function ofProof(seen: readonly Seen[], wanted: Settings['chainProof']): Finding[] {
  const isProving = seen.some((each) => each.isProving);
  if (seen.length === 0 || wanted === 'node' || (wanted !== 'agreement' && isProving)) return [];
  if (wanted === 'receipts') {
    const says =
      'No endpoint proves the receipts of its blocks, as CHAIN_PROOF=receipts wants it, so no payment is completed.';
    const remedy = { says: 'Use a node with eth_getBlockReceipts, or set CHAIN_PROOF=agreement.', docs: BELIEF };
    return [{ state: 'bad', says, remedy }];
  }
  if (seen.length > 1) return [];
  const says = 'Only one endpoint vouches for the logs of blocks.';
  return [{ state: 'warning', says, remedy: { says: 'Name a second endpoint in CHAIN_RPC_URL.', docs: BELIEF } }];
}

async function ofDifferences(seen: readonly Seen[]): Promise<Finding[]> {
  const [first, ...others] = seen;
  if (!first || others.length === 0) return [];
  const docs = CHAIN;
  const foreign = others.find(({ chainId }) => chainId !== first.chainId);
  if (foreign) {
    const says = `The endpoints are on different chains: ${first.host} on ${first.chainId}, ${foreign.host} on ${foreign.chainId}.`;
    return [{ state: 'bad', says, remedy: { says: 'Name endpoints of one chain only.', docs } }];
  }
  const newest = seen.reduce((most, { head }) => (head > most ? head : most), 0n);
  const found = seen
    .filter(({ head }) => newest - head > FAR_BEHIND)
    .map(({ host, head }): Finding => {
      const says = `${host} is ${newest - head} blocks behind the other endpoints.`;
      return { state: 'warning', says, remedy: { says: 'See whether the node is in sync.', docs } };
    });
  const shared = seen.reduce((least, { head }) => (head < least ? head : least), newest);
  const headers = await Promise.all(seen.map(({ rpc }) => readHeader(rpc, shared).catch(() => null)));
  const given = headers.filter((header): header is BlockHeader => header !== null);
  if (given.some(({ hash }) => hash !== given[0]!.hash)) {
    const says = `The endpoints have different blocks ${shared}.`;
    const remedy = { says: 'Run this again. If it stays so, one of them is on a fork: leave it out.', docs };
    found.push({ state: 'warning', says, remedy });
  }
  return found;
}

function summary(seen: readonly Seen[]): string {
  const [{ chainId, head } = { chainId: 0, head: 0n }] = seen;
  if (seen.length === 1) return `The node is on chain ${chainId}, at block ${head}.`;
  return `${seen.length} endpoints agree on chain ${chainId}, at block ${head}.`;
}

function factOf({ host, head, minedAt, finalised, isProving, milliseconds }: Seen): HealthFact {
  const final = finalised === null ? 'no finalised tag' : `finalised up to ${finalised}`;
  const age = ageOf(Date.now() - minedAt.getTime());
  const proof = isProving ? 'headers prove the logs' : 'headers prove no logs';
  return {
    name: host,
    value: `block ${head}, ${age} old, ${final}, ${proof}, answers in ${milliseconds.toFixed(0)} ms`,
  };
}
