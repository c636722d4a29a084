import type { Address } from '../base/address.ts';
import { readHeader } from '../chain/blocks.ts';
import { missingInstructions } from '../chain/chain-rules.ts';
import {
  type Installation,
  insertInstallation,
  lockInstallation,
  planDeployment,
  readInstallation,
} from '../chain/deployment.ts';
import type { Fees } from '../chain/fees.ts';
import { readNodesTip } from '../chain/learned-tip.ts';
import { insertRelayer, listActiveRelayers, raiseNextNonce } from '../chain/relayers.ts';
import { readChainId } from '../chain/state.ts';
import { domainSeparator } from '../chain/token.ts';
import { signTransaction } from '../chain/transaction.ts';
import { createServiceKey } from '../custody/new-keys.ts';
import type { KitFacts } from '../custody/recovery-kit.ts';
import { openSigner } from '../custody/signer.ts';
import { hasSigningKeys } from '../custody/signing-keys.ts';
import type { Queries, Tx } from '../db/database.ts';
import { openAccount } from '../ledger/accounts.ts';
import type { ChainFacts, Service } from '../service/service.ts';
import { depthAtStart } from './finality.ts';
import { installFromKit } from './install-from-kit.ts';
import { insertTransactions } from './tables/transactions.ts';
import { feesNow } from './tips.ts';
import { untilDeployed } from './until-deployed.ts';

/** `kit`: what a new database begins with instead of contracts of its own; null: nothing. */
type Core = Pick<Service, 'settings' | 'db' | 'rpc' | 'vault' | 'log'> & { readonly kit?: KitFacts | null };

/** Makes sure that these accounts can pay for gas, or throws an Error that names those that cannot. */
export type EnsureGas = (addresses: readonly Address[]) => Promise<void>;

/**
 * A chain shorter than this is read from its first block. That is cheap, and a development chain may be started again.
 */
const SHORT_CHAIN = 10_000n;

/**
 * Prepares the chain for the database. For a new database it creates keys for operator, treasury and relayers, and
 * signs and stores the contracts' deployment before anything is sent, as for every transaction. Only this first start
 * requires the node. Later starts know the chain from the database, and `checkChain` checks the node.
 *
 * `ensureGas` null: only looks up what a service has prepared, for a command beside it.
 *
 * Throws if nothing is prepared, or if gas or the chain's answer is missing at a first start.
 */
export async function prepareChain(core: Core, ensureGas: EnsureGas | null): Promise<ChainFacts> {
  const known = await readFacts(core.db);
  if (!ensureGas) {
    if (!known) throw new Error('Nothing is set up here yet: start the service first.');
    return known;
  }
  if (!known || !(await wasOpened(core.db))) return firstStart(core, ensureGas);
  await core.db.transaction(async (tx) => {
    await lockInstallation(tx);
    await addRelayers(core, tx);
  });
  return known;
}

async function firstStart(core: Core, ensureGas: EnsureGas): Promise<ChainFacts> {
  const chainId = await readChainId(core.rpc).catch((error: Error) => {
    throw new Error(`CHAIN_RPC_URL: ${error.message}.`);
  });
  await requireOneChain(core.rpc, chainId);
  await requireInstructions(core.rpc);
  const head = await readHeader(core.rpc, 'latest');
  if (!head) throw new Error('The chain node has no blocks.');
  const { baseFeePerGas } = head;
  const known = { baseFeePerGas, learnedTip: 0n, suggestedTip: await readNodesTip(core.rpc, head) };
  const fees = feesNow({ settings: core.settings, settlement: known });

  const startBlock = startOf(head.number, await depthAtStart(core, head.number));
  const facts = await core.db.transaction(async (tx) => {
    await lockInstallation(tx);
    const known = await readFacts(tx);
    if (!known) return install(core, tx, chainId, startBlock, fees);
    if (known.chainId !== chainId) throw foreignChain(known, chainId);
    await addRelayers(core, tx);
    return known;
  });
  const relayers = await listActiveRelayers(core.db);
  await ensureGas(relayers.map(({ address }) => address));
  const operator = relayers.find(({ purpose }) => purpose === 'operator');
  await untilDeployed(core, facts.contracts, operator!);
  return facts;
}

/** At the first start an endpoint of another chain is a wrong setting. Later it may be an accident, and is not used. */
async function requireOneChain({ endpoints }: Core['rpc'], chainId: number): Promise<void> {
  for (const { number, host, ask } of endpoints?.all ?? []) {
    const [reply] = await ask([{ method: 'eth_chainId', params: [] }]);
    if (reply?.kind !== 'result' || Number(reply.result) === chainId) continue;
    throw new Error(
      `CHAIN_RPC_URL: endpoint ${number} (${host}) is on chain ${Number(reply.result)}, and another on chain ${chainId}.`,
    );
  }
}

/** A deployment there would be mined and revert, and use up the addresses of the contracts. */
async function requireInstructions(rpc: Core['rpc']): Promise<void> {
  const missing = await missingInstructions(rpc);
  if (missing === null) return;
  throw new Error(
    `CHAIN_RPC_URL: the chain lacks ${missing}, which the contracts need. Nothing was deployed. Use a chain that has had Ethereum's Cancun upgrade. A development node may need another option, as anvil --hardfork cancun.`,
  );
}

export function foreignChain({ chainId }: ChainFacts, ofNode: number): Error {
  return new Error(`The database belongs to chain ${chainId}, but the node is on chain ${ofNode}.`);
}

/**
 * Whether an earlier start has seen the contracts deployed. That start created the first signing keys right afterwards,
 * and they stay for ever. The followed blocks would show the same, but they all go if a node comes back as an empty
 * chain.
 */
const wasOpened = hasSigningKeys;

/** A reorganisation may put the deployment into a block below the current head. */
function startOf(head: bigint, depth: number): bigint {
  return head < SHORT_CHAIN + BigInt(depth) ? 0n : head - BigInt(depth);
}

async function readFacts(queries: Queries): Promise<ChainFacts | null> {
  const installed = await readInstallation(queries);
  return installed && toFacts(installed);
}

function toFacts(installed: Installation): ChainFacts {
  return { ...installed, domain: domainSeparator(installed.chainId, installed.contracts.token) };
}

async function install(
  { settings, vault, ...core }: Core,
  tx: Tx,
  chainId: number,
  startBlock: bigint,
  fees: Fees,
): Promise<ChainFacts> {
  const operator = { ...createServiceKey(vault, 'operator'), purpose: 'operator' as const };
  const treasury = createServiceKey(vault, 'treasury');
  await insertRelayer(tx, operator);
  await openAccount(tx, treasury.address, { kind: 'treasury' }, treasury.keyId);
  await addRelayers({ settings, vault, ...core }, tx);
  if (core.kit) return toFacts(await installFromKit(tx, settings, core.kit, chainId, { operator, treasury }));

  const { contracts, deployments } = planDeployment(operator.address, treasury.address, settings.initialSupply);
  const { sign } = openSigner(vault, operator.address, operator.keyId);
  await insertTransactions(
    tx,
    deployments.map((deployment) => ({
      ...signTransaction({ ...deployment, chainId, fees }, sign),
      relayer: operator.address,
      nonce: deployment.nonce,
      payload: [],
    })),
  );
  await raiseNextNonce(tx, operator.address, deployments.length);
  const installed = { chainId, contracts, startBlock };
  await insertInstallation(tx, installed);
  return toFacts(installed);
}

async function addRelayers({ settings, vault }: Core, tx: Tx): Promise<void> {
  const existing = (await listActiveRelayers(tx)).filter(({ purpose }) => purpose === 'settlement').length;
  for (let i = existing; i < (settings.relayers ?? 1); i++) {
    await insertRelayer(tx, { ...createServiceKey(vault, `relayer ${i}`), purpose: 'settlement' });
  }
}
