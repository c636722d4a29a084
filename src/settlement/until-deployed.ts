import type { Address } from '../base/address.ts';
import { readHeader } from '../chain/blocks.ts';
import { DEPLOYMENTS } from '../chain/deployment.ts';
import { readGasPercent } from '../chain/learned-gas.ts';
import { readLearnedTip } from '../chain/learned-tip.ts';
import type { Relayer } from '../chain/relayers.ts';
import { pinned } from '../chain/rpc.ts';
import { hasCode, readCosts, readNonce } from '../chain/state.ts';
import type { Contracts } from '../chain/token.ts';
import type { Service } from '../service/service.ts';
import { updateChainHead } from './attach.ts';
import { broadcastFrom } from './broadcast.ts';
import { correctFaulty, replaceLowest } from './replace.ts';
import { unsettledAttempts } from './tables/transactions.ts';
import { askForTip } from './tips.ts';

type Core = Pick<Service, 'settings' | 'db' | 'rpc' | 'vault' | 'log'>;

const MINED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 50;
const LOOK_AT_LEAST_EVERY_MS = 3_000;
const LOOKS_PER_REPLACEMENT = 15;
/** So many looks take ten seconds. Behind one address of a provider may be nodes that lag by as much. */
const LOOKS_WITHOUT_CODE = 8;

/**
 * Sends the stored deployment until the chain has both contracts. Throws if they are not mined in time, or if the operator's
 * nonces are used up and the contracts are not there: then they can never be at their addresses.
 */
export async function untilDeployed(core: Core, contracts: Contracts, operator: Relayer): Promise<void> {
  const state = {
    head: 0n,
    headHash: null,
    blockGasLimit: 0n,
    fees: { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, isLegacy: false },
    baseFeePerGas: undefined,
    learnedTip: (await readLearnedTip(core.db)).wei,
    suggestedTip: null,
    gasPercent: await readGasPercent(core.db),
    mostFee: null,
    mostGas: null,
    raised: [],
    atFeeCeiling: new Map(),
  };
  const sending = { ...core, settlement: state };
  const deadline = performance.now() + MINED_WITHIN_MS;
  let looks = 0;
  let inVain = 0;
  for (let pause = LOOK_EVERY_MS; ; pause = Math.min(pause * 2, LOOK_AT_LEAST_EVERY_MS)) {
    const { onChain, areThere } = await look(core, contracts, operator.address);
    if (areThere) return;
    if (onChain >= DEPLOYMENTS) {
      await requireNoRevert(core, operator.address);
      if (++inVain === LOOKS_WITHOUT_CODE) throw deployedInVain('other transactions used the nonces of the deployment');
    }
    if (performance.now() > deadline) {
      throw new Error(
        'The contracts were not mined within two minutes: see the log for what the node says, and start again.',
      );
    }
    const head = await readHeader(core.rpc, 'latest');
    if (head) updateChainHead(sending, head);
    if (looks === 0) await askForTip(sending);
    // Sent again whatever we believe mined: a node restored to an older state may lack just these.
    const { faulty } = await broadcastFrom(core, operator.address, onChain);
    await correctFaulty(sending, operator, faulty);
    // Some nodes accept an underpriced transaction silently and keep it waiting.
    if (++looks % LOOKS_PER_REPLACEMENT === 0 && onChain < DEPLOYMENTS) await replaceLowest(sending, operator);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The nonce is read first, and from the same endpoint: code that is not there although it is used will never be. */
async function look({ rpc }: Core, { token, settlement }: Contracts, operator: Address) {
  const one = pinned(rpc);
  const onChain = await readNonce(one, operator, 'latest');
  return { onChain, areThere: (await hasCode(one, token)) && (await hasCode(one, settlement)) };
}

async function requireNoRevert({ db, rpc }: Core, operator: Address): Promise<void> {
  const attempts = await unsettledAttempts(db, operator, { from: 0n, below: BigInt(DEPLOYMENTS) });
  const costs = await readCosts(
    rpc,
    attempts.map(({ hash }) => hash),
  );
  for (const [i, cost] of costs.entries()) {
    if (cost?.isReverted) throw deployedInVain(`transaction ${attempts[i]!.hash} reverted in block ${cost.block}`);
  }
}

function deployedInVain(why: string): Error {
  return new Error(
    `The contracts were not created: ${why}. They can never be at their addresses now. Find out why from the transaction, then start with an empty database.`,
  );
}
