import { inTime } from '../../base/in-time.ts';
import { readChainId, readNewestBlock } from '../../chain/state.ts';
import { readCursor } from '../../ledger/blocks.ts';
import type { Said } from '../../membership/processes.ts';
import type { Readiness, Service } from '../../service/service.ts';
import { type EndpointView, listChainEndpoints } from '../../settlement/survey-chain-endpoints.ts';
import { type Finding, good, type HealthFact } from '../findings/finding.ts';
import { ageOf } from '../findings/spoken-age.ts';
import { saidByService } from './work-checks.ts';

/** A public chain has a block every few seconds. An embedded one has none while nothing happens. */
const OLD_HEAD_MS = 5 * 60_000;
/** Confirmed blocks that are not in the ledger, and since when the first of them could be: chains have blocks of a quarter of a second, or of twelve. */
const LAG = { warning: { blocks: 10n, ms: 60_000 }, bad: { blocks: 100n, ms: 180_000 } };

/** Shorter than the time that a check may take, so that the check itself says that the node does not answer. */
export const NODE_LIMIT_MS = 1_500;

const FAULTS: Readonly<Record<Exclude<Readiness['chain'], 'ok'>, string>> = {
  unknown: 'The node answers, and was not checked yet. Nothing is sent until it is.',
  foreign: 'The node is on another chain than the database. Nothing is sent to it.',
  'no-contracts': 'The node does not have our contracts. Nothing but their deployment is sent.',
  'no-effect': 'Transactions succeeded there and did nothing. Nothing more is sent.',
};

const PROOFS: Readonly<Record<Readiness['proof'], string>> = {
  auto: "the block's header, wherever it proves them (CHAIN_PROOF=auto)",
  receipts: "the block's header (CHAIN_PROOF=receipts)",
  agreement: 'an agreement of endpoints (CHAIN_PROOF=agreement)',
  node: 'the node alone (CHAIN_PROOF=node)',
};

const RUNBOOK = 'docs/operate/runbook.md';

/** Whether the node answers, is on our chain and has our contracts. */
export async function checkNode(service: Service): Promise<Finding> {
  const finding = await checkChosen(service);
  const endpoints = listChainEndpoints(service);
  if (endpoints.length < 2) return finding;
  const facts = [...(finding.facts ?? []), ...endpoints.map(endpointFact)];
  const faulty = endpoints.filter(({ state }) => state !== 'ok' && state !== 'unknown');
  if (finding.state !== 'good' || faulty.length === 0) return { ...finding, facts };
  const remedy = {
    says: 'Look at these nodes. If one is not to come back, take it out of CHAIN_RPC_URL.',
    docs: 'docs/operate/chain.md#several-endpoints',
  };
  const contradicting = faulty.some(({ state }) => state === 'contradicting');
  return {
    state: contradicting ? 'bad' : 'warning',
    says: contradicting
      ? 'An endpoint of the chain contradicts blocks of the ledger. It is not used.'
      : `Of ${endpoints.length} endpoints of the chain, ${faulty.length} ${faulty.length === 1 ? 'is' : 'are'} not in order.`,
    facts,
    remedy,
  };
}

const STATES: Readonly<Record<EndpointView['state'], string>> = {
  unknown: 'not looked at yet',
  ok: 'in order',
  unreachable: 'does not answer',
  behind: 'behind',
  forked: 'on another fork',
  contradicting: 'contradicts blocks',
  foreign: 'on another chain',
  'no-contracts': 'lacks our contracts',
};

function endpointFact({ number, host, state, head, isChosen }: EndpointView): HealthFact {
  const block = head === null ? '' : `, block ${head}`;
  return { name: `Endpoint ${number}`, value: `${host}: ${STATES[state]}${block}${isChosen ? ', used now' : ''}` };
}

/** For which blocks less than their headers vouched. */
function agreedFact({ blocks, last, reason }: NonNullable<Said['agreed']>): HealthFact {
  const value = `${blocks} since the start, the last one ${last}: ${reason} (CHAIN_PROOF=agreement says so for all)`;
  return { name: 'Blocks on which endpoints had to agree', value };
}

async function checkChosen(service: Service): Promise<Finding> {
  const { rpc, chain, readiness, settings } = service;
  const [seen, said] = await Promise.all([
    inTime(Promise.all([readChainId(rpc), readNewestBlock(rpc)]), NODE_LIMIT_MS),
    saidByService(service),
  ]);
  if (!seen) {
    return {
      state: 'bad',
      says: 'No chain node answers. Transfers are accepted and wait.',
      facts: [{ name: 'Chain id of the database', value: `${chain.chainId}` }],
      remedy: {
        says: 'Start the node, or set CHAIN_RPC_URL to one that answers.',
        docs: `${RUNBOOK}#quarterschaindown`,
      },
    };
  }
  const [chainId, head] = seen;
  const age = Date.now() - head.minedAt.getTime();
  const facts = [
    { name: 'Chain id', value: `${chainId}` },
    { name: 'Newest block', value: `${head.number}, ${ageOf(age)} old` },
    { name: 'Logs are vouched for by', value: PROOFS[readiness.proof] },
    ...said.flatMap(({ agreed }) => (agreed ? [agreedFact(agreed)] : [])),
  ];
  const fault = chainId === chain.chainId ? readiness.chain : 'foreign';
  if (fault !== 'ok') {
    const remedy = {
      says: 'Look at the node before anything else: what it says cannot be relied on.',
      docs: `${RUNBOOK}#quartersfollowerlags`,
    };
    return { state: 'bad', says: FAULTS[fault], facts, remedy };
  }
  const unproven = said.find((one) => one.unproven)?.unproven;
  if (unproven) {
    const { block, reason } = unproven;
    const remedy = {
      says: 'Use a node that gives all logs and receipts, or name a second one in CHAIN_RPC_URL. If it is like that with every node of this chain, set CHAIN_PROOF=agreement.',
      docs: 'docs/operate/chain.md#what-is-believed-of-a-node',
    };
    return {
      state: 'bad',
      says: `Nobody proves the logs of block ${block}, so payments wait: ${reason}.`,
      facts,
      remedy,
    };
  }
  if (age > OLD_HEAD_MS && settings.chainRpcUrls.length > 0) {
    const remedy = {
      says: 'See whether the node is in sync, or set CHAIN_RPC_URL to another one.',
      docs: `${RUNBOOK}#quarterschaindown`,
    };
    return { state: 'warning', says: `The node has had no new block for ${ageOf(age)}.`, facts, remedy };
  }
  return good('The node is on our chain and has our contracts.', facts);
}

/** How far the ledger is behind the chain's confirmed blocks. */
export async function checkFollower({ rpc, db, settings }: Service): Promise<Finding> {
  const [head, cursor] = await Promise.all([inTime(readNewestBlock(rpc), NODE_LIMIT_MS), readCursor(db)]);
  const posted = cursor?.number ?? 0n;
  const facts = [{ name: 'Last block in the ledger', value: `${posted}` }];
  if (!head) return { state: 'unknown', says: 'How far the ledger is behind is unknown: no node answers.', facts };
  const confirmed = head.number - BigInt(settings.completeAfter - 1);
  const lag = confirmed > posted ? confirmed - posted : 0n;
  // The block by which the first one that the ledger lacks was confirmed.
  const due = lag > 0n && (await inTime(readNewestBlock(rpc, posted + BigInt(settings.completeAfter)), NODE_LIMIT_MS));
  const ms = due ? head.minedAt.getTime() - due.minedAt.getTime() : 0;
  const isBeyond = (limit: { blocks: bigint; ms: number }) => lag >= limit.blocks || ms >= limit.ms;
  if (!isBeyond(LAG.warning)) return good('The ledger follows the chain.', facts);
  return {
    state: isBeyond(LAG.bad) ? 'bad' : 'warning',
    says: `The ledger is ${lag} confirmed ${lag === 1n ? 'block' : 'blocks'} behind the chain${due ? `, the first for ${ageOf(ms)}` : ''}. Payments complete that much later.`,
    facts,
    remedy: {
      says: 'See whether a process of the service runs, and what its log says about following.',
      docs: `${RUNBOOK}#quartersfollowerlags`,
    },
  };
}
