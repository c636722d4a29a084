import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Address } from '../../src/base/address.ts';
import { bytesToHex, type Hex } from '../../src/base/hex.ts';
import type { TransferId } from '../../src/base/ids.ts';
import { asQuarters, MAX_QUARTERS } from '../../src/base/quarters.ts';
import { selectorOf } from '../../src/chain/abi-words.ts';
import { USED } from '../../src/chain/block-replies.ts';
import { planDeployment } from '../../src/chain/deployment.ts';
import {
  authorizationDigest,
  type Contracts,
  cancel,
  cancellationDigest,
  carry,
  domainSeparator,
  formerNonce,
  gasFor,
  joinSignature,
} from '../../src/chain/token.ts';
import { handOverCalls } from '../../src/chain/token-roles.ts';
import { signTransaction } from '../../src/chain/transaction.ts';
import { createUserKey } from '../../src/custody/new-keys.ts';
import { openSigner, type Signer } from '../../src/custody/signer.ts';
import { type Evm, startEvm } from '../kit/service/evm.ts';
import { memoryVault } from '../kit/unit/signing.ts';
import { until } from '../kit/unit/until.ts';

/*
 * What transfers cost on a real node, in the transactions that the service makes. Each is sent with a tenth less than its
 * gas limit, so that the limits stay that far above what is needed. What is used stays what docs/operate/gas.md says.
 */
const MARGIN = { limit: 11n, sent: 10n };
const CHAIN_ID = 31337;
const FEES = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n, isLegacy: false };
/** Each byte that is not zero costs more. These have as many as nearly any amount. */
const AMOUNTS = { first: asQuarters(0x020202020202n), later: asQuarters(0x010101010101n) };

type Call = { readonly to?: Address; readonly data: Uint8Array; readonly gas: bigint };
type Receipt = { readonly status: Hex; readonly gasUsed: Hex; readonly logs: readonly { readonly topics: Hex[] }[] };

const vault = await memoryVault();
const [relayer, treasury] = [newAccount(), newAccount()];
let nextNonce = 0n;
let evm: Evm;
let contracts: Contracts;
let domain: Hex;

function newAccount(): Signer {
  const { address, keyId } = createUserKey(vault);
  return openSigner(vault, address, keyId);
}

before(async () => {
  evm = await startEvm();
  await evm.rpc('anvil_setBalance', [relayer.address, `0x${(10n ** 20n).toString(16)}`]);
});
after(() => evm?.stop());

async function mine({ gas, ...call }: Call): Promise<{ gasUsed: number; paid: number }> {
  const unsigned = {
    ...call,
    gas: (gas * MARGIN.sent) / MARGIN.limit,
    chainId: CHAIN_ID,
    nonce: nextNonce++,
    fees: FEES,
  };
  const { raw, hash } = signTransaction(unsigned, relayer.sign);
  assert.equal(await evm.rpc('eth_sendRawTransaction', [bytesToHex(raw)]), hash);
  const receipt = async () => (await evm.rpc('eth_getTransactionReceipt', [hash])) as Receipt | null;
  await until(`${hash} is mined`, async () => (await receipt()) !== null);
  const { status, gasUsed, logs } = (await receipt())!;
  assert.equal(status, '0x1', 'the gas limit less the margin suffices');
  return { gasUsed: Number(gasUsed), paid: logs.filter(({ topics }) => topics[0] === USED).length };
}

/** The gas of each transfer, all in one transaction. */
async function pay(amount: typeof AMOUNTS.first, pairs: readonly (readonly [Signer, Signer])[]): Promise<number> {
  const signed = pairs.map(([payer, { address: to }]) => {
    const nonce = formerNonce(randomUUID() as TransferId);
    const terms = { from: payer.address, to, amount, nonce };
    return { ...terms, signature: joinSignature(payer.sign(authorizationDigest(domain, terms))) };
  });
  const { gasUsed, paid } = await mine(carry(contracts, signed));
  assert.equal(paid, pairs.length);
  return gasUsed / pairs.length;
}

function assertNear(measured: number, documented: number, what: string): void {
  // A zero byte in a random address or signature makes a transfer 12 gas cheaper.
  assert.ok(Math.abs(measured / documented - 1) < 0.002, `${what}: ${measured}, documented as ${documented}`);
}

const page = readFileSync(new URL('../../docs/operate/gas.md', import.meta.url), 'utf8');

/** The numbers behind the first cell of a row in the document's tables. */
function documented(row: string | number): number[] {
  const cells = page.split('\n').find((line) => line.startsWith(`| ${row} |`));
  assert.ok(cells, `there is no row ${row}`);
  return (cells.slice(`| ${row} |`.length).match(/\d[\d,]*/g) ?? []).map((number) =>
    Number(number.replaceAll(',', '')),
  );
}

test('the deployment takes the documented gas, and its limits are a tenth above it', async () => {
  const plan = planDeployment(relayer.address, treasury.address, MAX_QUARTERS);
  contracts = plan.contracts;
  domain = domainSeparator(CHAIN_ID, contracts.token);
  for (const [i, row] of ['deployment of the token', 'deployment of `Settlement.sol`'].entries()) {
    const [gas, limit] = documented(row);
    assertNear((await mine(plan.deployments[i]!)).gasUsed, gas!, row);
    assert.equal(plan.deployments[i]!.gas, BigInt(limit!));
  }
});

for (const count of [1, 10, 50, 200]) {
  test(`transactions of ${count} take the documented gas a transfer, and their limit is a tenth above it`, async () => {
    const [toHolder, toNew, fromMany] = documented(count);
    const people = Array.from({ length: count }, newAccount);
    const fromTreasury = people.map((person) => [treasury, person] as const);
    assertNear(await pay(AMOUNTS.first, fromTreasury), toNew!, 'to new accounts');
    assertNear(await pay(AMOUNTS.later, fromTreasury), toHolder!, 'to accounts that have quarters');
    const fromThem = people.map((person) => [person, newAccount()] as const);
    assertNear(await pay(AMOUNTS.later, fromThem), fromMany!, 'to new accounts, each from another payer');
  });
}

test('a cancellation takes the documented gas, and its limit is a tenth above it', async () => {
  const nonce = formerNonce(randomUUID() as TransferId);
  const signature = joinSignature(treasury.sign(cancellationDigest(domain, treasury.address, nonce)));
  const call = cancel(contracts, treasury.address, nonce, signature);
  const [gas, limit] = documented('cancellation');
  assertNear((await mine(call)).gasUsed, gas!, 'a cancellation');
  assert.equal(call.gas, BigInt(limit!));
});

test('the limits of transfers are as documented, and the largest is one that Ethereum allows', () => {
  const [base, each] = documented('n transfers, from 2 to 200').map(BigInt);
  assert.deepEqual(documented('one transfer').map(BigInt), [gasFor(1)]);
  for (const count of [2, 200]) assert.equal(gasFor(count), base! + each! * BigInt(count));
  assert.ok(gasFor(200) <= 2n ** 24n, 'EIP-7825');
});

test('the roles of the token are handed over within a tenth less than the gas limit', async () => {
  await mine({ to: contracts.token, data: selectorOf('pause()'), gas: 100_000n });
  const gas: number[] = [];
  for (const call of handOverCalls(contracts.token, relayer.address, newAccount().address)) {
    gas.push((await mine(call)).gasUsed);
  }
  assert.ok(Math.max(...gas) < 55_000, `${gas}`);
});
