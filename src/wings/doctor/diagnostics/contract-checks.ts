import { ZERO_ADDRESS } from '../../../base/address.ts';
import { withThousands } from '../../../base/quarters.ts';
import { readTotalSupply } from '../../../chain/balances.ts';
import { readHeader } from '../../../chain/blocks.ts';
import { missingInstructions } from '../../../chain/chain-rules.ts';
import { DEPLOYMENTS, type Installation } from '../../../chain/deployment.ts';
import { firstFees, GWEI, tipToOffer } from '../../../chain/fees.ts';
import { readGasPercent } from '../../../chain/learned-gas.ts';
import { readLearnedTip, readNodesTip } from '../../../chain/learned-tip.ts';
import { findOperator } from '../../../chain/relayers.ts';
import type { Rpc } from '../../../chain/rpc.ts';
import { readChainId, readNonce } from '../../../chain/state.ts';
import { hasSigningKeys } from '../../../custody/signing-keys.ts';
import type { Database } from '../../../db/database.ts';
import { type Finding, good } from '../../../diagnostics/findings/finding.ts';
import { judgeTip } from '../../../diagnostics/health/fee-checks.ts';
import { checkRelayers } from '../../../diagnostics/health/relayer-checks.ts';
import { findAccounts } from '../../../ledger/accounts.ts';
import { readCursor } from '../../../ledger/blocks.ts';
import { ownTip } from '../../../settlement/tips.ts';
import { type CodeState, compareCode, readTokenRights } from '../chain/deployed-code.ts';
import type { Examination } from './examination.ts';

const CHAIN = 'docs/operate/doctor.md#chain';
const RUNBOOK = 'docs/operate/runbook.md';

/** Whether the contracts are those that we deployed, belong to us, and have the supply that the ledger has. */
export async function checkContracts(examination: Examination): Promise<Finding | Finding[] | null> {
  const { rpc } = examination;
  const [db, installation] = [await examination.database(), await examination.installation()];
  if (!rpc || !db) return null;
  if (!installation) return beforeDeployment(rpc);
  const { chainId, contracts } = installation;
  // Of another chain, the check of the chain says so.
  if ((await readChainId(rpc)) !== chainId) return null;
  const code = await compareCode(rpc, chainId, contracts);
  const isAbsent = code.token === 'absent' || code.settlement === 'absent';
  const reasons = isAbsent ? [...(await ofInstructions(rpc)), ...(await ofDeployment(rpc, db))] : [];
  if (reasons.length > 0) return reasons;
  const found = [
    ...ofCode('token', code.token, contracts.token),
    ...ofCode('settlement', code.settlement, contracts.settlement),
  ];
  if (code.token === 'ours')
    found.push(...(await ofRights(rpc, db, installation)), ...(await ofSupply(rpc, db, installation)));
  if (found.length > 0) return found;
  return good('They are ours, and their supply equals the ledger.', [
    { name: 'Token', value: contracts.token },
    { name: 'Settlement', value: contracts.settlement },
  ]);
}

async function beforeDeployment(rpc: Rpc): Promise<Finding | Finding[]> {
  const lacking = await ofInstructions(rpc);
  return lacking.length > 0 ? lacking : good('The first start deploys the contracts. The chain can run them.');
}

async function ofInstructions(rpc: Rpc): Promise<Finding[]> {
  const missing = await missingInstructions(rpc);
  if (missing === null) return [];
  const remedy = {
    says: 'Use a chain that has had Ethereum’s Cancun upgrade. A development node may need another option.',
    docs: CHAIN,
  };
  return [{ state: 'bad', says: `The chain lacks ${missing}, which the contracts need.`, remedy }];
}

/** A first start whose deployment reverted. Once a start has seen the contracts, only the node can be wrong. */
async function ofDeployment(rpc: Rpc, db: Database): Promise<Finding[]> {
  if (await hasSigningKeys(db)) return [];
  const operator = await findOperator(db);
  if ((await readNonce(rpc, operator.address, 'latest')) < DEPLOYMENTS) return [];
  const says = 'The contracts’ deployment was mined and created nothing. They can never be at their addresses now.';
  const remedy = { says: 'Find out why from the operator’s first transactions, then start with an empty database.' };
  return [{ state: 'bad', says, remedy: { ...remedy, docs: CHAIN } }];
}

function ofCode(name: string, state: CodeState, address: string): Finding[] {
  if (state === 'ours') return [];
  if (state === 'unknown') {
    return [
      { state: 'unknown', says: `The code of the ${name} contract cannot be compared: the node refuses the call.` },
    ];
  }
  const says =
    state === 'absent'
      ? `There is no ${name} contract at ${address}.`
      : `The ${name} contract at ${address} has other code than ours.`;
  const remedy = { says: 'Use a node of the chain that the database belongs to, with its newest blocks.', docs: CHAIN };
  return [{ state: 'bad', says, remedy }];
}

async function ofRights(rpc: Rpc, db: Database, { contracts }: Installation): Promise<Finding[]> {
  const operator = await findOperator(db);
  const { isPaused, isAdmin, isMinter, isPauser } = await readTokenRights(rpc, contracts.token, operator.address);
  const found: Finding[] = [];
  if (isPaused) {
    const remedy = { says: 'Find out who paused it and why. Payments wait, and continue once it ends.', docs: CHAIN };
    found.push({ state: 'bad', says: 'The token is paused: no quarters move.', remedy });
  }
  const lacked = [isAdmin ? [] : 'an admin', isMinter ? [] : 'a minter', isPauser ? [] : 'a pauser'].flat();
  if (lacked.length > 0) {
    const says = `The operator’s account is not ${lacked.join(' or ')} of the token.`;
    const remedy = {
      says: 'If you moved its roles on purpose, ignore this. Otherwise somebody else has them.',
      docs: CHAIN,
    };
    found.push({ state: 'warning', says, remedy });
  }
  return found;
}

/** The source of all quarters is the zero account, which has what exists as a debt. */
async function ofSupply(rpc: Rpc, db: Database, { contracts }: Installation): Promise<Finding[]> {
  const { cursor, supply } = await db.snapshot(async (tx) => {
    const [zero] = await findAccounts(tx, { addresses: [ZERO_ADDRESS] });
    return { cursor: await readCursor(tx), supply: -(zero?.posted ?? 0n) };
  });
  // While a block is half posted, the ledger shows no block's state.
  if (!cursor?.complete) return [];
  const ofChain: bigint | null = await readTotalSupply(rpc, contracts.token, cursor.hash).catch(() => null);
  if (ofChain === null) {
    return [
      { state: 'unknown', says: `The supply cannot be compared: the node has no state of block ${cursor.number}.` },
    ];
  }
  if (ofChain === supply) return [];
  const says = `The ledger has ${withThousands(supply)} quarters, and the token ${withThousands(ofChain)}.`;
  const remedy = {
    says: 'See each difference before anything else.',
    command: 'quarters audit',
    docs: `${RUNBOOK}#quartersledgerdiffers`,
  };
  return [{ state: 'bad', says, remedy }];
}

/** Whether the chain's gas price is below our ceiling, and whether the relayers can pay it. */
export async function checkGas({
  rpc,
  settings,
  database,
  installation,
}: Examination): Promise<Finding | Finding[] | null> {
  const [db, installed] = [await database(), await installation()];
  if (!rpc || !db || !installed) return null;
  const head = await readHeader(rpc, 'latest').catch(() => null);
  if (!head) return null;
  // Tables of an earlier release lack it.
  const learned = await readLearnedTip(db).catch(() => ({ wei: 0n }));
  const ceiling = BigInt(settings.maxFeePerGasGwei) * GWEI;
  const gasPercent = await readGasPercent(db).catch(() => 100);
  const suggestedTip = await readNodesTip(rpc, head);
  const tip = tipToOffer(ownTip(settings, suggestedTip), learned.wei, ceiling);
  const fees = firstFees(head.baseFeePerGas, tip, ceiling);
  const limits = { fees, gasPercent, blockGasLimit: head.gasLimit, mostFee: null, mostGas: null, rollupFee: 0n };
  const relayers = await checkRelayers({ db, rpc, settings, settlement: limits });
  const price = (head.baseFeePerGas ?? 0n) + tip;
  const found = [judgeTip(settings, { learnedTip: learned.wei, suggestedTip }), ofPrice(price, ceiling)].filter(
    (each) => each !== null,
  );
  if (found.length === 0) return relayers;
  return relayers.state === 'good' ? found : [...found, relayers];
}

function ofPrice(price: bigint, ceiling: bigint): Finding | null {
  if (price * 2n <= ceiling) return null;
  const asGwei = (wei: bigint) => `${wei / GWEI} gwei`;
  const isAbove = price > ceiling;
  const says = isAbove
    ? `Gas costs ${asGwei(price)}, more than MAX_FEE_PER_GAS_GWEI (${asGwei(ceiling)}). Transfers wait.`
    : `Gas costs ${asGwei(price)}, more than half of MAX_FEE_PER_GAS_GWEI (${asGwei(ceiling)}).`;
  const remedy = { says: 'Raise MAX_FEE_PER_GAS_GWEI if you want to pay that.', docs: 'docs/operate/gas.md' };
  return { state: isAbove ? 'bad' : 'warning', says, remedy };
}
