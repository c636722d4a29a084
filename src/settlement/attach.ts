import { type BlockHeader, readHeader } from '../chain/blocks.ts';
import { isUnusable } from '../chain/chain-endpoints.ts';
import { createdAddress, DEPLOYMENTS } from '../chain/deployment.ts';
import type { StoredTransaction } from '../chain/outgoing.ts';
import { listActiveRelayers, listRelayers, nextNonce } from '../chain/relayers.ts';
import { hasCode, readChainId, readNonce, readSeenNonce } from '../chain/state.ts';
import { readDomainSeparator } from '../chain/token.ts';
import { readShownAuthorizations, type ShownAuthorization } from '../chain/token-logs.ts';
import { authorizationsOfOurs } from '../ledger/accounts.ts';
import { readCursor } from '../ledger/blocks.ts';
import { type Findings, suspend } from '../ledger/suspension.ts';
import { currentAddresses } from '../ledger/swept-accounts.ts';
import type { LogEntry, Readiness, Service, Settlement } from '../service/service.ts';
import { broadcastFrom } from './broadcast.ts';
import type { Engine } from './engine.ts';
import { refreshSuspension } from './readiness.ts';
import { correctFaulty } from './replace.ts';
import { lastSharedBlock } from './rewind.ts';
import { mayBeShown } from './shown.ts';
import { surveyEndpoints } from './survey-chain-endpoints.ts';
import { carryingUnsettled } from './tables/transactions.ts';
import { authorizationsWithoutTransfer } from './tables/unknown-authorizations.ts';
import { askForTip, feesNow } from './tips.ts';

/** How many transactions one log entry names. */
const NAMED = 20;

/**
 * Checks once whether this installation may send to the node and follow it: the node is on its chain, has its contracts
 * and, once per process and database server, is not ahead of the database. Stores the result in `readiness.chain` and returns true if all
 * is well. Throws if the node does not answer. `forCommand`: as {@link compareDatabase}.
 */
export async function checkChain(service: Engine, forCommand = false): Promise<boolean> {
  const { rpc, chain, readiness, settlement } = service;
  // An earlier check is still running.
  if (readiness.compared === 'under-way') return false;
  await surveyEndpoints(service);
  if (await isForeign(service)) return false;
  const head = await readHeader(rpc, 'latest');
  if (!head) throw new Error('The chain node has no blocks');
  updateChainHead(service, head);
  await askForTip(service);
  if (!(await hasOurContracts(service))) {
    note(service, 'no-contracts', { ...chain.contracts, block: Number(head.number) });
    return false;
  }
  await compareDatabase(service, head.number, forCommand);
  readiness.chainSince = head.number;
  // Transfers stranded in the meantime are sent at once.
  settlement.strandedSuspected = true;
  note(service, 'ok', { block: Number(head.number) });
  return true;
}

/**
 * Looks at all endpoints, as {@link surveyEndpoints}. If none is on our chain with our contracts, stores that in
 * `readiness.chain`: nothing is sent until a check finds one, and the check has missing contracts deployed again.
 */
export async function watchEndpoints(service: Engine): Promise<void> {
  const { endpoints } = service.rpc;
  await surveyEndpoints(service);
  if (!endpoints?.all.every(isUnusable)) return;
  const { state } = endpoints.chosen;
  const entry = { endpoints: endpoints.all.map((endpoint) => endpoint.state) };
  if (state === 'foreign' || state === 'no-contracts') note(service, state, entry);
}

/**
 * The check that a service makes. A node restored to an older state may lack the contracts: it is sent their deployment
 * again, and a later check sees it mined.
 */
export async function attachToChain(service: Engine): Promise<boolean> {
  if (await checkChain(service)) return true;
  if (service.readiness.chain === 'no-contracts') await deployAgain(service);
  return false;
}

/**
 * Whether the node is on another chain than this installation. Following that chain would rewind the whole ledger, so
 * nothing is sent or followed until a check finds the right chain.
 */
export async function isForeign(service: Engine): Promise<boolean> {
  const { rpc, chain } = service;
  const chainId = await readChainId(rpc);
  if (chainId === chain.chainId) return false;
  note(service, 'foreign', { node: chainId, database: chain.chainId });
  return true;
}

/** Stores what signing needs from the newest block: its number, how much fits into a block, what gas costs. */
export function updateChainHead(
  {
    settings,
    settlement,
  }: Pick<Service, 'settings'> & {
    settlement: Pick<Settlement, 'head' | 'headHash' | 'blockGasLimit' | 'fees' | 'baseFeePerGas'> &
      Pick<Settlement, 'learnedTip' | 'suggestedTip'>;
  },
  head: BlockHeader,
): void {
  settlement.head = head.number;
  settlement.headHash = head.hash;
  settlement.blockGasLimit = head.gasLimit;
  settlement.baseFeePerGas = head.baseFeePerGas;
  settlement.fees = feesNow({ settings, settlement });
}

/** The code alone could be anybody's: the token must have the domain that our authorizations are signed for. */
async function hasOurContracts({ rpc, chain }: Service): Promise<boolean> {
  const { token, settlement } = chain.contracts;
  if (!(await hasCode(rpc, token)) || !(await hasCode(rpc, settlement))) return false;
  return (await readDomainSeparator(rpc, token)) === chain.domain;
}

async function deployAgain(service: Service): Promise<void> {
  const { token } = service.chain.contracts;
  // The operator of then, who may be retired. A database that was made from a recovery kit may not have them.
  const deployer = (await listRelayers(service.db)).find(({ address }) => createdAddress(address, 0n) === token);
  if (!deployer) return;
  const onChain = await readNonce(service.rpc, deployer.address, 'latest');
  if (onChain >= DEPLOYMENTS) return;
  const { faulty } = await broadcastFrom(service, deployer.address, onChain, DEPLOYMENTS - Number(onChain));
  await correctFaulty(service, deployer, faulty);
}

/**
 * `empty`: our mined transactions that succeeded without a log. If one carries a transfer that no other transaction has
 * settled, what we send has no effect, as at an address without code. Sending then stops until a check finds the chain
 * in order.
 */
export async function suspectNoEffect(service: Engine, empty: readonly StoredTransaction[]): Promise<void> {
  if (empty.length === 0) return;
  const hashes = await carryingUnsettled(service.db, empty);
  if (hashes.length === 0) return;
  note(service, 'no-effect', {
    count: hashes.length,
    transactions: hashes.slice(0, NAMED),
    ...service.chain.contracts,
  });
}

/**
 * For a command that works with the chain: whether that is in order. It waits for a first look that goes on, as beside a slow node, or while
 * much is compared.
 */
export async function isChainInOrder({ readiness }: Pick<Service, 'readiness'>): Promise<boolean> {
  await readiness.looked;
  return readiness.chain === 'ok';
}

const WORDS: Readonly<Record<Exclude<Readiness['chain'], 'unknown'>, string>> = {
  ok: 'the node is on our chain, with our contracts',
  foreign: 'the node is on another chain than the database: nothing is sent to it, and it is not followed',
  'no-contracts':
    'the node does not have our contracts: nothing but their deployment is sent to it, and it is not followed',
  'no-effect': 'transactions succeed and do nothing: nothing more is sent until the node is found in order',
};

/** Logs changes only, and not the usual case of a start that finds all in order. */
function note({ readiness, log }: Engine, seen: keyof typeof WORDS, entry: LogEntry): void {
  const before = readiness.chain;
  readiness.chain = seen;
  if (before === seen || (before === 'unknown' && seen === 'ok')) return;
  log[seen === 'ok' ? 'info' : 'error'](entry, WORDS[seen]);
}

/** How many payments are named; the total is reported besides. */
const NAMED_AUTHORIZATIONS = 100;

/**
 * Checks, once per process and database server, whether the chain has seen more of our transactions than the database knows, as after a
 * restored backup. If so, payments are suspended in all processes until the operator accepts the loss. Until the check has ended, nothing acts
 * on a database that is not trusted (`may-act.ts`).
 *
 * `forCommand`: only this process is suspended. What the database says is left to services, because somebody may be looking at a copy.
 *
 * The chain is read first and the database afterwards: a running process stores everything before it sends it.
 */
export async function compareDatabase(service: Engine, head: bigint, forCommand = false): Promise<void> {
  const { readiness } = service;
  const before = readiness.compared;
  if (before === 'done' || before === 'under-way') return;
  readiness.compared = 'under-way';
  // Another server may take over meanwhile, and then even the latest answers are out of date.
  const isUnderWay = () => readiness.compared === 'under-way';
  try {
    const relayers = await relayersAhead(service);
    const { named, inAll, shared } = await authorizationsAhead(service, head);
    const isOlder = relayers.length + inAll > 0;
    if (isOlder && !forCommand) {
      const authorizations = named.map(({ authorizer, kind, nonce, txHash, block }) => {
        return { account: authorizer, kind, nonce, txId: txHash, block: Number(block) };
      });
      await suspend(service.db, { relayers, authorizations, authorizationsInAll: inAll }, shared);
    }
    await refreshSuspension(service);
    if (isOlder) readiness.suspended = true;
    if (isUnderWay()) readiness.compared = 'done';
  } finally {
    if (isUnderWay()) readiness.compared = before;
  }
}

async function relayersAhead({ db, rpc }: Service): Promise<Findings['relayers']> {
  // What somebody else sends with the key of a retired one says nothing of the database.
  const relayers = await listActiveRelayers(db);
  // Transactions in the pool count: if a standby lacked the last commits, all that is lost may wait there.
  const onChain = await Promise.all(relayers.map(({ address }) => readSeenNonce(rpc, address)));
  const stored = await Promise.all(relayers.map(({ address }) => nextNonce(db, address)));
  return relayers.flatMap(({ address }, i) =>
    onChain[i]! > stored[i]! ? [{ relayer: address, chain: Number(onChain[i]), database: Number(stored[i]) }] : [],
  );
}

/** Looks at blocks that the follower has not reached, and at those that replaced what it has; it has compared the earlier ones itself. */
async function authorizationsAhead(service: Engine, head: bigint) {
  const { db, rpc, chain } = service;
  const cursor = await readCursor(db);
  const shared = cursor ? await lastSharedBlock(service, cursor) : chain.startBlock - 1n;
  const named: ShownAuthorization[] = [];
  let inAll = 0;
  for await (const shown of readShownAuthorizations(rpc, chain.contracts.token, shared + 1n, head)) {
    if (service.readiness.stopping) throw new Error('The comparison was ended, as the process ends');
    const unknown = await authorizationsWithoutTransfer(db, await ofCurrent(db, shown), async () => shared);
    // A single one that the chain has suspends payments, so the others are not proven.
    if (inAll === 0 && !(await mayBeShown(service, unknown))) continue;
    named.push(...unknown.slice(0, NAMED_AUTHORIZATIONS - named.length));
    inAll += unknown.length;
  }
  return { named, inAll, shared };
}

/** Those of our accounts, but not of addresses that were left: somebody else knows their keys. Relayers show whether our own moves are known. */
async function ofCurrent(db: Service['db'], shown: readonly ShownAuthorization[]): Promise<ShownAuthorization[]> {
  const ours = await authorizationsOfOurs(db, shown);
  const left = await currentAddresses(
    db,
    ours.map(({ authorizer }) => authorizer),
  );
  return ours.filter(({ authorizer }) => !left.has(authorizer));
}
