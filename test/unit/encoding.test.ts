import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  concat,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  hashTypedData,
  keccak256,
  parseTransaction,
  serializeTransaction,
  stringToHex,
  toHex,
} from 'viem';
import { type Address, asAddress, toChecksum } from '../../src/base/address.ts';
import { asHash, bytesToHex, type Hex } from '../../src/base/hex.ts';
import type { TransferId } from '../../src/base/ids.ts';
import { asQuarters, MAX_QUARTERS } from '../../src/base/quarters.ts';
import { AbiWords } from '../../src/chain/abi-words.ts';
import { quartersBytecode, settlementBytecode } from '../../src/chain/contracts.generated.ts';
import { planDeployment } from '../../src/chain/deployment.ts';
import { rlpNumber } from '../../src/chain/rlp.ts';
import {
  authorizationDigest,
  cancel,
  cancellationDigest,
  carry,
  domainSeparator,
  formerNonce,
  joinSignature,
} from '../../src/chain/token.ts';
import { prepareTransaction, readTransaction, signTransaction } from '../../src/chain/transaction.ts';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { quartersAbi, settlementAbi } from '../kit/unit/contracts.generated.ts';

/*
 * viem, which has encoders of its own, is the reference for ours. One case checks one transaction with everything in it.
 * Bytes come from a number, because generating each one for itself would take most of the time.
 */
const CASES = perTier({ usual: 500, all: 2_000 });
const random = (salt: number, what: string, length: number): Buffer =>
  createHash('shake256', { outputLength: length }).update(`${salt} ${what}`).digest();

const FOREVER = 2n ** 256n - 1n;
/** Where the encoding of a number grows by a byte, or changes its form. */
const EDGES = [0n, 1n, 127n, 128n, 255n, 256n, 2n ** 32n - 1n, 2n ** 32n, MAX_QUARTERS];
const numberUpTo = (max: bigint) => fc.oneof(fc.constantFrom(...EDGES), fc.bigInt(0n, max));
/** r and s lose their leading zeros. */
const leadingZeros = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(1, 2, 31));
const signature = fc.record({ salt: fc.nat(), r: leadingZeros, s: leadingZeros, yParity: fc.constantFrom(0, 1) });

type Signature = { readonly rs: Buffer; readonly yParity: 0 | 1 };
function toSignature({ salt, r, s, yParity }: { salt: number; r: number; s: number; yParity: number }): Signature {
  const rs = random(salt, 'signature', 64)
    .fill(0, 0, r)
    .fill(0, 32, 32 + s);
  return { rs, yParity: yParity === 1 ? 1 : 0 };
}

const parts = ({ rs, yParity }: Signature) => ({
  r: bytesToHex(rs.subarray(0, 32)),
  s: bytesToHex(rs.subarray(32)),
  yParity,
  v: BigInt(27 + yParity),
});
const address = (salt: number, what: string): Address => asAddress(bytesToHex(random(salt, what, 20)));
const hex32 = (salt: number, what: string) => asHash(bytesToHex(random(salt, what, 32)));
const uuid = (salt: number) =>
  random(salt, 'id', 16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as TransferId;

const authorization = fc
  .record({ salt: fc.nat(), amount: numberUpTo(MAX_QUARTERS), signature })
  .map(({ salt, amount, signature }) => ({
    from: address(salt, 'from'),
    to: address(salt, 'to'),
    amount: asQuarters(amount),
    nonce: formerNonce(uuid(salt)),
    signature: toSignature(signature),
  }));
type Case = typeof authorization extends fc.Arbitrary<infer T> ? T : never;

const contracts = { token: address(0, 'token'), settlement: address(0, 'settlement') };

/** What a transaction calls, by us and by viem. */
type Called = { readonly to?: Address; readonly ours: Uint8Array; readonly reference: Hex };

function carried(authorizations: readonly Case[]): Called {
  const signed = authorizations.map((one) => ({ ...one, signature: joinSignature(one.signature) }));
  const { to, data } = carry(contracts, signed);
  const terms = authorizations.map(({ from, to, amount, nonce, signature }) => {
    const { r, s, yParity } = parts(signature);
    return { from, to, value: amount, nonce, v: 27 + yParity, r, s };
  });
  const [only] = terms;
  if (terms.length !== 1 || !only) {
    const reference = encodeFunctionData({ abi: settlementAbi, functionName: 'settle', args: [terms] });
    return { to, ours: data, reference };
  }
  const { from, value, nonce, v, r, s } = only;
  const args = [from, only.to, value, 0n, FOREVER, nonce, v, r, s] as const;
  const reference = encodeFunctionData({ abi: quartersAbi, functionName: 'transferWithAuthorization', args });
  return { to, ours: data, reference };
}

function cancelled({ from, nonce, signature }: Case): Called {
  const { to, data } = cancel(contracts, from, nonce, joinSignature(signature));
  const { r, s, yParity } = parts(signature);
  const args = [from, nonce, 27 + yParity, r, s] as const;
  return {
    to,
    ours: data,
    reference: encodeFunctionData({ abi: quartersAbi, functionName: 'cancelAuthorization', args }),
  };
}

/** Data of any length, to an address or for the creation of a contract. */
const anything = (length: number): fc.Arbitrary<Called> =>
  fc.tuple(fc.nat(), fc.boolean()).map(([salt, creates]) => {
    const data = random(salt, 'data', length);
    return { ...(!creates && { to: address(salt, 'to') }), ours: data, reference: bytesToHex(data) };
  });
const many = (minLength: number, maxLength: number) => fc.array(authorization, { minLength, maxLength });
const called: fc.Arbitrary<Called> = fc.oneof(
  { weight: 40, arbitrary: many(1, 1).map(carried) },
  { weight: 30, arbitrary: many(2, 12).map(carried) },
  { weight: 1, arbitrary: many(190, 200).map(carried) },
  { weight: 10, arbitrary: authorization.map(cancelled) },
  // Lengths around which RLP changes its form.
  { weight: 20, arbitrary: fc.oneof(fc.constantFrom(0, 1, 55, 56, 255, 256), fc.nat(300)).chain(anything) },
  { weight: 1, arbitrary: fc.constantFrom(65_535, 65_536).chain(anything) },
);

describe('our encoders give the same bytes as viem:', () => {
  test('transactions and the calls in them, unsigned, signed and read again', () => {
    const unsigned = fc.record({
      chainId: fc.oneof(fc.constantFrom(1, 127, 128), fc.integer({ min: 1, max: 2 ** 31 })),
      nonce: numberUpTo(MAX_QUARTERS),
      gas: numberUpTo(2n ** 64n - 1n),
      tip: numberUpTo(2n ** 64n - 1n),
      aboveTip: numberUpTo(2n ** 128n),
      isLegacy: fc.boolean(),
    });
    fc.assert(
      fc.property(unsigned, called, signature, ({ tip, aboveTip, isLegacy, ...fields }, call, signedBy) => {
        const maxFeePerGas = tip + aboveTip;
        const fees = { maxPriorityFeePerGas: isLegacy ? maxFeePerGas : tip, maxFeePerGas, isLegacy };
        const { to, ours, reference } = call;
        assert.equal(bytesToHex(ours), reference);

        const transaction = { ...fields, ...(to && { to }), data: ours, fees };
        const priced = isLegacy
          ? ({ type: 'legacy', gasPrice: maxFeePerGas } as const)
          : ({ type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: tip } as const);
        const same = { ...fields, ...priced, to, data: reference, nonce: Number(fields.nonce) };
        const prepared = prepareTransaction(transaction);
        assert.equal(bytesToHex(prepared.digest), keccak256(serializeTransaction(same)));

        const made = toSignature(signedBy);
        const signed = prepared.finish(made);
        const raw = serializeTransaction(same, parts(made));
        assert.deepEqual([bytesToHex(signed.raw), signed.hash], [raw, keccak256(raw)]);
        assert.deepEqual(
          signTransaction(transaction, () => made),
          signed,
        );

        const again = readTransaction(signed.raw);
        assert.deepEqual({ ...again, data: bytesToHex(again.data) }, { ...transaction, data: reference });
      }),
      { seed: seedOf('encoding'), numRuns: CASES },
    );
  });

  test('what payers sign, and the nonces of authorizations', () => {
    const TERMS = ['address from', 'address to', 'uint256 value', 'uint256 validAfter', 'uint256 validBefore'];
    const asType = (fields: string[]) =>
      [...fields, 'bytes32 nonce'].map((field) => ({ type: field.split(' ')[0]!, name: field.split(' ')[1]! }));
    const types = { TransferWithAuthorization: asType(TERMS), CancelAuthorization: asType(['address authorizer']) };
    fc.assert(
      fc.property(fc.integer({ min: 1 }), fc.nat(), authorization, (chainId, salt, { signature: _, ...terms }) => {
        const token = address(salt, 'token');
        const domain = { name: 'Quarters', version: '1', chainId, verifyingContract: token };
        const separator = domainSeparator(chainId, token);
        const { from, to, amount, nonce } = terms;
        const transfer = { from, to, value: amount, validAfter: 0n, validBefore: FOREVER, nonce };
        assert.deepEqual(
          [authorizationDigest(separator, terms), cancellationDigest(separator, from, nonce)].map(bytesToHex),
          [
            hashTypedData({ domain, types, primaryType: 'TransferWithAuthorization', message: transfer }),
            hashTypedData({ domain, types, primaryType: 'CancelAuthorization', message: { authorizer: from, nonce } }),
          ],
        );
        const id = uuid(salt);
        const derived = concat([stringToHex('quarters.transfer.v1'), `0x${id.replaceAll('-', '')}`]);
        assert.equal(formerNonce(id), keccak256(derived));
      }),
      { seed: seedOf('encoding'), numRuns: 200 },
    );
  });

  test('the deployment and its addresses', () => {
    const [deployer, treasury] = [address(1, 'deployer'), address(1, 'treasury')];
    const { contracts, deployments } = planDeployment(deployer, treasury, MAX_QUARTERS);
    const token = getContractAddress({ from: deployer, nonce: 0n });
    assert.deepEqual([contracts.token, contracts.settlement].map(toChecksum), [
      token,
      getContractAddress({ from: deployer, nonce: 1n }),
    ]);
    assert.deepEqual(
      deployments.map(({ data }) => bytesToHex(data)),
      [
        encodeDeployData({ abi: quartersAbi, bytecode: quartersBytecode, args: [deployer, treasury, MAX_QUARTERS] }),
        encodeDeployData({ abi: settlementAbi, bytecode: settlementBytecode, args: [token] }),
      ],
    );
  });

  test('the spelling of addresses', () => {
    for (let i = 0; i < 200; i++) assert.equal(toChecksum(address(i, 'any')), getAddress(address(i, 'any')));
  });
});

test('what does not fit its place is refused, never cut', () => {
  const one = () => new AbiWords(Buffer.alloc(4), 1);
  const whole = address(0, 'any');
  for (const wrong of [whole.slice(0, -1), whole.slice(0, -2), `${whole.slice(0, -1)}g`, `${whole}00`, toHex(0)])
    assert.throws(() => one().address(asAddress(wrong)), /has not 20 bytes/, wrong);
  for (const wrong of [whole, `${hex32(0, 'any').slice(0, -1)}x`] as Hex[])
    assert.throws(() => one().bytes32(wrong), /has not 32 bytes/, wrong);
  for (const wrong of [-1n, 2n ** 64n]) assert.throws(() => one().uint(wrong), RangeError);
  assert.throws(() => rlpNumber(-1n), RangeError);
  assert.throws(() => one().done(), /32 bytes were not written/);
});

test('a legacy transaction is that of the example in EIP-155', () => {
  const transaction = {
    chainId: 1,
    nonce: 9n,
    to: asAddress(`0x${'35'.repeat(20)}`),
    data: Buffer.alloc(0),
    value: 10n ** 18n,
    gas: 21_000n,
    fees: { maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 20n * 10n ** 9n, isLegacy: true },
  };
  const { digest, finish } = prepareTransaction(transaction);
  assert.equal(bytesToHex(digest), '0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53');
  const [r, s] = [
    '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276',
    '67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83',
  ];
  const { raw } = finish({ rs: Buffer.from(r + s, 'hex'), yParity: 0 });
  const call = `09 8504a817c800 825208 94 ${'35'.repeat(20)} 880de0b6b3a7640000 80`.replaceAll(' ', '');
  assert.equal(raw.toString('hex'), `f86c${call}25a0${r}a0${s}`);
  assert.deepEqual(readTransaction(raw), transaction);
});

test('bytes that are neither a type 2 transaction nor a legacy one of a chain are not read as one', () => {
  const { raw } = prepareTransaction({
    chainId: 1,
    nonce: 0n,
    data: Buffer.alloc(100),
    gas: 1n,
    fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, isLegacy: false },
  }).finish({ rs: random(0, 'signature', 64), yParity: 0 });
  assert.equal(parseTransaction(bytesToHex(raw) as `0x02${string}`).chainId, 1);
  const others = ['02', '01c0', 'c0', 'c9800101808080801b0101'].map((digits) => Buffer.from(digits, 'hex'));
  for (const wrong of [raw.subarray(1), raw.subarray(0, -1), Buffer.concat([raw, Buffer.alloc(1)]), ...others])
    assert.throws(() => readTransaction(wrong), /The bytes/);
});
