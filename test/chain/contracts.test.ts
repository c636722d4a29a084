import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Abi,
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  keccak256,
  type PublicClient,
  parseEventLogs,
  parseSignature,
  type TransactionReceipt,
  toHex,
  zeroAddress,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { quartersBytecode, settlementBytecode } from '../../src/chain/contracts.generated.ts';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { DEV_MNEMONIC, type Evm, startEvm } from '../kit/service/evm.ts';
import { quartersAbi, settlementAbi } from '../kit/unit/contracts.generated.ts';
import { until } from '../kit/unit/until.ts';

const CAP = 2n ** 53n - 1n;
const SUPPLY = 1_000_000n;
const FOREVER = 2n ** 256n - 1n;
const GAS = 2_000_000n;

const people = Array.from({ length: 6 }, (_, addressIndex) => mnemonicToAccount(DEV_MNEMONIC, { addressIndex }));
type Person = (typeof people)[number];
const [admin, treasury, alice, bob, relayer, stranger] = people as [Person, Person, Person, Person, Person, Person];

type Simulated = { calls: { status: Hex; logs: TransactionReceipt['logs'] }[] }[];
type Terms = { from: Hex; to: Hex; value: bigint; nonce: Hex };
type Authorization = Terms & { v: number; r: Hex; s: Hex };

let evm: Evm;
let client: PublicClient;
let token: Hex;
let settlement: Hex;

before(async () => {
  evm = await startEvm();
  client = createPublicClient({ chain: foundry, transport: http(evm.url), cacheTime: 0 });
});
after(() => evm?.stop());

/** Mines one transaction with a fixed gas limit; if it reverts, its receipt has the status `reverted`. */
async function send(from: Person, to: Hex | undefined, data: Hex, gas = GAS): Promise<TransactionReceipt> {
  const call = { from: from.address, to, data, gas: toHex(gas) };
  const hash = (await evm.rpc('eth_sendTransaction', [call])) as Hex;
  // The node answers before the block exists.
  await until(`${hash} is mined`, async () => (await evm.rpc('eth_getTransactionReceipt', [hash])) !== null);
  return client.getTransactionReceipt({ hash });
}

async function deploy(initialSupply = SUPPLY): Promise<void> {
  const args = [admin.address, treasury.address, initialSupply] as const;
  const deployed = await send(
    admin,
    undefined,
    encodeDeployData({ abi: quartersAbi, bytecode: quartersBytecode, args }),
    5_000_000n,
  );
  token = getAddress(deployed.contractAddress!);
  const data = encodeDeployData({ abi: settlementAbi, bytecode: settlementBytecode, args: [token] });
  settlement = (await send(admin, undefined, data)).contractAddress!;
}

type Call = { address: Hex; abi: Abi; functionName: string; args: readonly unknown[] };
const call = (functionName: string, ...args: unknown[]): Call => ({
  address: token,
  abi: quartersAbi,
  functionName,
  args,
});
const settleCall = (...batch: Authorization[]): Call => ({
  address: settlement,
  abi: settlementAbi,
  functionName: 'settle',
  args: [batch],
});
const pay = (a: Authorization, how = 'transferWithAuthorization') =>
  call(how, a.from, a.to, a.value, 0n, FOREVER, a.nonce, a.v, a.r, a.s);

const run = (from: Person, c: Call, gas?: bigint) => send(from, c.address, encodeFunctionData(c), gas);

async function succeeds(from: Person, c: Call): Promise<TransactionReceipt> {
  const receipt = await run(from, c);
  assert.equal(receipt.status, 'success', c.functionName);
  return receipt;
}

/** The call reverts with this error of the contract, also in a real transaction. */
async function refused(from: Person, c: Call, errorName: string, gas = GAS): Promise<void> {
  const error = await client.simulateContract({ ...c, account: from.address, gas }).then(
    () => undefined,
    (thrown: BaseError) => thrown.walk((e) => e instanceof ContractFunctionRevertedError),
  );
  assert.equal((error as ContractFunctionRevertedError | undefined)?.data?.errorName, errorName, c.functionName);
  assert.equal((await run(from, c, gas)).status, 'reverted');
}

const read = (functionName: string, ...args: unknown[]): Promise<unknown> =>
  client.readContract(call(functionName, ...args));
const balance = async (of: { address: Hex } | Hex) =>
  (await read('balanceOf', typeof of === 'string' ? of : of.address)) as bigint;
const word = (text: string): Hex => keccak256(toHex(text));

const TERMS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const;
const domain = () => ({ name: 'Quarters', version: '1', chainId: foundry.id, verifyingContract: token });

async function split(signature: Promise<Hex>): Promise<{ v: number; r: Hex; s: Hex }> {
  const { r, s, yParity } = parseSignature(await signature);
  return { v: 27 + yParity, r, s };
}

async function authorize(
  signer: Person,
  terms: Omit<Terms, 'from'> & { from?: Hex },
  primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization' = 'TransferWithAuthorization',
): Promise<Authorization> {
  const full: Terms = { from: signer.address, ...terms };
  const message = { ...full, validAfter: 0n, validBefore: FOREVER };
  const types = { TransferWithAuthorization: TERMS, ReceiveWithAuthorization: TERMS };
  return { ...full, ...(await split(signer.signTypedData({ domain: domain(), types, primaryType, message }))) };
}

async function cancellation(signer: Person, nonce: Hex): Promise<Call> {
  const types = {
    CancelAuthorization: [
      { name: 'authorizer', type: 'address' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const;
  const message = { authorizer: signer.address, nonce };
  const signature = signer.signTypedData({ domain: domain(), types, primaryType: 'CancelAuthorization', message });
  const { v, r, s } = await split(signature);
  return call('cancelAuthorization', signer.address, nonce, v, r, s);
}

/** One word per authorization in order of the logs: `paid`, `skipped`, or the name of the token's error. */
function outcomes(receipt: Pick<TransactionReceipt, 'logs'>): string[] {
  return parseEventLogs({ abi: [...quartersAbi, ...settlementAbi], logs: receipt.logs }).flatMap((log) => {
    if (log.eventName === 'AuthorizationUsed') return 'paid';
    if (log.eventName === 'AuthorizationSkipped') return 'skipped';
    if (log.eventName !== 'AuthorizationFailed') return [];
    return decodeErrorResult({ abi: quartersAbi, data: log.args.reason }).errorName;
  });
}

describe('the Quarters token', () => {
  before(() => deploy());

  test('the token reports its name, decimals and EIP-712 domain', async () => {
    assert.deepEqual(await Promise.all(['name', 'symbol', 'decimals'].map((f) => read(f))), ['Quarters', 'Q', 0]);
    assert.deepEqual((await read('eip712Domain')) as unknown[], [
      '0x0f',
      'Quarters',
      '1',
      BigInt(foundry.id),
      token,
      toHex(0, { size: 32 }),
      [],
    ]);
    assert.deepEqual([await read('totalSupply'), await balance(treasury)], [SUPPLY, SUPPLY]);
  });

  test('each role can do its own work and no more', async () => {
    const role = async (name: string) => (await read(name)) as Hex;
    const [minter, pauser, root] = [
      await role('MINTER_ROLE'),
      await role('PAUSER_ROLE'),
      await role('DEFAULT_ADMIN_ROLE'),
    ];
    for (const each of [minter, pauser, root]) assert.equal(await read('hasRole', each, admin.address), true);
    const mint = call('mint', bob.address, 1n, word('roles'));
    const grant = (name: Hex) => call('grantRole', name, stranger.address);

    for (const c of [mint, call('pause'), call('unpause'), grant(root), grant(minter)])
      await refused(stranger, c, 'AccessControlUnauthorizedAccount');

    await succeeds(admin, call('grantRole', minter, alice.address));
    for (const c of [call('pause'), grant(minter)]) await refused(alice, c, 'AccessControlUnauthorizedAccount');
    await succeeds(alice, mint);

    await succeeds(admin, call('grantRole', pauser, bob.address));
    for (const c of [call('mint', bob.address, 1n, word('pauser')), grant(pauser)])
      await refused(bob, c, 'AccessControlUnauthorizedAccount');
    await succeeds(bob, call('pause'));
    await succeeds(bob, call('unpause'));

    await succeeds(admin, call('revokeRole', minter, alice.address));
    await refused(alice, call('mint', bob.address, 1n, word('revoked')), 'AccessControlUnauthorizedAccount');
  });

  test('an id is minted once', async () => {
    const [id, start] = [word('mint'), await balance(alice)];
    const receipt = await succeeds(admin, call('mint', alice.address, 25n, id));
    const [minted] = parseEventLogs({ abi: quartersAbi, logs: receipt.logs, eventName: 'Minted' });
    assert.deepEqual(minted?.args, { id, to: alice.address, amount: 25n });
    await refused(admin, call('mint', alice.address, 25n, id), 'MintAlreadyUsed');
    await refused(admin, call('mint', bob.address, 1n, id), 'MintAlreadyUsed');
    assert.equal(await balance(alice), start + 25n);
    assert.equal(await read('mintUsed', id), true);
  });

  test('the supply never exceeds 2^53-1', async () => {
    const supply = (await read('totalSupply')) as bigint;
    const id = word('cap');
    await refused(admin, call('mint', alice.address, CAP - supply + 1n, id), 'ERC20ExceededCap');
    await refused(admin, call('mint', alice.address, FOREVER - supply, id), 'ERC20ExceededCap');
    await refused(admin, call('mint', alice.address, FOREVER, id), 'Panic');
    assert.equal(await read('mintUsed', id), false);
    await succeeds(admin, call('mint', alice.address, CAP - supply, id));
    assert.equal(await read('totalSupply'), CAP);

    const args = [admin.address, treasury.address, CAP + 1n] as const;
    const data = encodeDeployData({ abi: quartersAbi, bytecode: quartersBytecode, args });
    assert.equal((await send(admin, undefined, data, 5_000_000n)).status, 'reverted');
  });

  test('a paused token refuses every movement, and the same authorization pays after the pause', async () => {
    const a = await authorize(treasury, { to: bob.address, value: 7n, nonce: word('paused') });
    const start = await balance(bob);
    await succeeds(admin, call('pause'));
    await refused(treasury, call('transfer', bob.address, 7n), 'EnforcedPause');
    await refused(relayer, pay(a), 'EnforcedPause');
    await refused(admin, call('mint', bob.address, 7n, word('mint while paused')), 'EnforcedPause');
    assert.deepEqual(outcomes(await succeeds(relayer, settleCall(a))), ['EnforcedPause']);
    assert.equal(await read('authorizationState', a.from, a.nonce), false);
    await succeeds(admin, call('unpause'));
    assert.deepEqual(outcomes(await succeeds(relayer, settleCall(a))), ['paid']);
    assert.equal(await balance(bob), start + 7n);
  });

  test('an approval by signature works once', async () => {
    const types = {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    } as const;
    const message = {
      owner: treasury.address,
      spender: bob.address,
      value: 9n,
      nonce: (await read('nonces', treasury.address)) as bigint,
      deadline: FOREVER,
    };
    const signature = treasury.signTypedData({ domain: domain(), types, primaryType: 'Permit', message });
    const { v, r, s } = await split(signature);
    const permit = call('permit', treasury.address, bob.address, 9n, FOREVER, v, r, s);
    await succeeds(stranger, permit);
    assert.equal(await read('allowance', treasury.address, bob.address), 9n);
    await refused(stranger, permit, 'ERC2612InvalidSigner');
    await succeeds(bob, call('transferFrom', treasury.address, stranger.address, 9n));
    assert.equal(await balance(stranger), 9n);
  });

  test('a cancelled authorization never pays, and only its payer cancels', async () => {
    const a = await authorize(treasury, { to: bob.address, value: 3n, nonce: word('cancelled') });
    const cancel = await cancellation(treasury, a.nonce);
    const forged = { ...(await cancellation(bob, a.nonce)) };
    forged.args = [treasury.address, ...forged.args.slice(1)];
    await refused(stranger, forged, 'ERC3009InvalidSignature');

    const receipt = await succeeds(stranger, cancel);
    const [log] = parseEventLogs({ abi: quartersAbi, logs: receipt.logs, eventName: 'AuthorizationCanceled' });
    assert.deepEqual(log?.args, { authorizer: treasury.address, nonce: a.nonce });
    await refused(relayer, pay(a), 'ERC3009UsedAuthorization');
    assert.deepEqual(outcomes(await succeeds(relayer, settleCall(a))), ['skipped']);
    await refused(stranger, cancel, 'ERC3009UsedAuthorization');
  });

  test('only the payee can use receiveWithAuthorization', async () => {
    const a = await authorize(
      treasury,
      { to: bob.address, value: 3n, nonce: word('receive') },
      'ReceiveWithAuthorization',
    );
    await refused(stranger, pay(a, 'receiveWithAuthorization'), 'ERC20InvalidReceiver');
    await refused(bob, pay(a), 'ERC3009InvalidSignature');
    await succeeds(bob, pay(a, 'receiveWithAuthorization'));
  });
});

describe('nonces of authorizations', () => {
  before(() => deploy());

  test('a nonce pays once, however and how often it is submitted', async () => {
    const ways = fc.constantFrom('direct', 'settle', 'twice in one settle', 'replay by a stranger', 'receive');
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.array(ways, { minLength: 2, maxLength: 6 }),
        async (bytes, order) => {
          const terms = { to: bob.address, value: 11n, nonce: keccak256(bytes) };
          const a = await authorize(treasury, terms);
          const b = await authorize(treasury, terms, 'ReceiveWithAuthorization');
          if (await read('authorizationState', a.from, a.nonce)) return;
          const start = await balance(bob);
          let used = 0;
          for (const way of order) {
            const receipt =
              way === 'direct'
                ? await run(relayer, pay(a))
                : way === 'receive'
                  ? await run(bob, pay(b, 'receiveWithAuthorization'))
                  : way === 'settle'
                    ? await run(relayer, settleCall(a))
                    : way === 'twice in one settle'
                      ? await run(relayer, settleCall(a, a))
                      : await run(stranger, settleCall(a));
            used += outcomes(receipt).filter((outcome) => outcome === 'paid').length;
          }
          assert.deepEqual([used, await balance(bob)], [1, start + 11n]);
        },
      ),
      { seed: seedOf('properties'), numRuns: perTier({ usual: 15, all: 40 }) },
    );
  });
});

describe('supply', () => {
  test('supply and balances follow the rules through random calls', async () => {
    const who = fc.nat({ max: 3 });
    const amount = fc.oneof(fc.constantFrom(0n, 1n, CAP, FOREVER), fc.bigInt(0n, 1000n), fc.bigInt(0n, SUPPLY));
    const id = fc.nat({ max: 5 });
    const step = fc.oneof(
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('transfer' as const), from: who, to: who, amount }) },
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('authorize' as const),
          via: fc.constantFrom('direct', 'settle', 'settle twice'),
          from: who,
          to: who,
          amount,
          id,
        }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('mint' as const), to: who, amount, id }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), from: who, id }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), on: fc.boolean() }) },
    );

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        await deploy();
        const holders = [treasury, alice, bob, stranger];
        const expected = [SUPPLY, 0n, 0n, 0n];
        const [used, minted] = [new Set<string>(), new Set<number>()];
        let paused = false;
        const move = (from: number, to: number, value: bigint) => {
          if (paused || expected[from]! < value) return false;
          expected[from]! -= value;
          expected[to]! += value;
          return true;
        };

        for (const s of steps) {
          const supply = expected.reduce((sum, each) => sum + each);
          if (s.kind === 'transfer') {
            const receipt = await run(holders[s.from]!, call('transfer', holders[s.to]!.address, s.amount));
            assert.equal(receipt.status === 'success', move(s.from, s.to, s.amount));
          } else if (s.kind === 'mint') {
            const receipt = await run(admin, call('mint', holders[s.to]!.address, s.amount, word(`${s.id}`)));
            const allowed: boolean = !paused && !minted.has(s.id) && supply + s.amount <= CAP;
            assert.equal(receipt.status === 'success', allowed);
            if (allowed) {
              minted.add(s.id);
              expected[s.to]! += s.amount;
            }
          } else if (s.kind === 'pause') {
            const receipt = await run(admin, call(s.on ? 'pause' : 'unpause'));
            assert.equal(receipt.status === 'success', paused !== s.on);
            paused = s.on;
          } else if (s.kind === 'cancel') {
            await run(stranger, await cancellation(holders[s.from]!, word(`${s.id}`)));
            used.add(`${s.from} ${s.id}`);
          } else {
            const key = `${s.from} ${s.id}`;
            const terms = { to: holders[s.to]!.address, value: s.amount, nonce: word(`${s.id}`) };
            const a = await authorize(holders[s.from]!, terms);
            const batch = s.via === 'settle twice' ? settleCall(a, a) : settleCall(a);
            const receipt = await run(relayer, s.via === 'direct' ? pay(a) : batch);
            const pays = !used.has(key) && move(s.from, s.to, s.amount);
            assert.equal(outcomes(receipt).filter((outcome) => outcome === 'paid').length, pays ? 1 : 0);
            if (pays) used.add(key);
          }
        }
        assert.deepEqual(await Promise.all(holders.map(balance)), expected);
        assert.equal(
          await read('totalSupply'),
          expected.reduce((sum, each) => sum + each),
        );
      }),
      { seed: seedOf('properties'), numRuns: perTier({ usual: 15, all: 40 }) },
    );
  });
});

describe('the Settlement contract', () => {
  beforeEach(() => deploy());

  const EXPECTED = {
    good: 'paid',
    used: 'skipped',
    cancelled: 'skipped',
    'bad signature': 'ECDSAInvalidSignature',
    'high s': 'ECDSAInvalidSignatureS',
    "another's signature": 'ERC3009InvalidSignature',
    'changed amount': 'ERC3009InvalidSignature',
    'short balance': 'ERC20InsufficientBalance',
    'to nobody': 'ERC20InvalidReceiver',
  } as const;
  type Kind = keyof typeof EXPECTED;

  async function make(kind: Kind, seed: string): Promise<Authorization> {
    const terms = { to: `0x${word(seed).slice(26)}` as Hex, value: 5n, nonce: word(`nonce ${seed}`) };
    const a = await authorize(treasury, terms);
    if (kind === 'used') await succeeds(stranger, pay(a));
    if (kind === 'cancelled') await succeeds(stranger, await cancellation(treasury, a.nonce));
    if (kind === 'bad signature') return { ...a, v: 99 };
    if (kind === 'high s') return { ...a, s: toHex(2n ** 256n - 1n) };
    if (kind === "another's signature") return authorize(stranger, { ...terms, from: treasury.address });
    if (kind === 'changed amount') return { ...a, value: 6n };
    if (kind === 'short balance') return authorize(treasury, { ...terms, value: SUPPLY + 1n });
    if (kind === 'to nobody') return authorize(treasury, { ...terms, to: zeroAddress });
    return a;
  }

  /**
   * One after the other, because the node gives two transactions that one account sends at the same time the same
   * nonce.
   */
  async function makeAll(kinds: readonly Kind[], seed: string): Promise<Authorization[]> {
    const batch: Authorization[] = [];
    for (const [i, kind] of kinds.entries()) batch.push(await make(kind, `${seed} ${i}`));
    return batch;
  }

  test('a bad authorization does not affect the others, and its reason is reported', async () => {
    const kinds = Object.keys(EXPECTED) as Kind[];
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray<Kind>([...kinds, ...kinds, 'good'], { minLength: 1 }), async (mix) => {
        round += 1;
        const batch = await makeAll(mix, `mix ${round}`);
        const receipt = await succeeds(relayer, settleCall(...batch));
        assert.deepEqual(
          outcomes(receipt),
          mix.map((kind) => EXPECTED[kind]),
        );
        for (const [i, kind] of mix.entries())
          if (kind === 'good') assert.equal(await balance(batch[i]!.to), 5n, 'the payee has it');
      }),
      { seed: seedOf('properties'), numRuns: 30, examples: [[kinds]] },
    );
  });

  test('a refusal reports its details, and the authorization stays valid', async () => {
    const a = await make('short balance', 'details');
    const { logs } = await succeeds(relayer, settleCall(a));
    const [failed] = parseEventLogs({ abi: settlementAbi, logs, eventName: 'AuthorizationFailed' });
    assert.deepEqual([failed?.args.from, failed?.args.nonce], [a.from, a.nonce]);
    const { args } = decodeErrorResult({ abi: quartersAbi, data: failed!.args.reason });
    assert.deepEqual(args, [treasury.address, await balance(treasury), SUPPLY + 1n]);
    assert.equal(await read('authorizationState', a.from, a.nonce), false);
  });

  test('at any gas limit, everything is undone or every good authorization is paid', async () => {
    const kinds: Kind[] = ['good', 'good', 'used', 'short balance', 'good'];
    const batch = await makeAll(kinds, 'gas');
    const wanted = kinds.map((kind) => EXPECTED[kind]);
    const { address: to, ...rest } = settleCall(...batch);
    const attempt = async (gas: bigint): Promise<boolean> => {
      const calls = [{ from: relayer.address, to, data: encodeFunctionData(rest), gas: toHex(gas) }];
      const blocks = (await evm.rpc('eth_simulateV1', [{ blockStateCalls: [{ calls }] }, 'latest'])) as Simulated;
      const { status, logs } = blocks[0]!.calls[0]!;
      if (status === '0x1') assert.deepEqual(outcomes({ logs }), wanted, `gas ${gas}`);
      return status === '0x1';
    };

    let [low, high] = [60_000n, 700_000n];
    const seen = new Set<boolean>();
    for (let gas = low; gas <= high; gas += 10_007n) seen.add(await attempt(gas));
    assert.deepEqual([...seen], [false, true], 'the sweep covers both, and more gas never turns success into failure');
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      if (await attempt(middle)) high = middle;
      else low = middle;
    }
    for (let gas = high - 40n * 509n; gas <= high + 8_000n; gas += 509n) assert.equal(await attempt(gas), gas >= high);
    await fc.assert(
      fc.asyncProperty(fc.bigInt(60_000n, 700_000n), async (gas) => (await attempt(gas)) === gas >= high),
      { seed: seedOf('properties'), numRuns: 30 },
    );

    await refused(relayer, settleCall(...batch), 'NotEnoughGas', high - 1n);
    assert.deepEqual(outcomes(await run(relayer, settleCall(...batch), high)), wanted);
  });

  // Stand-ins for the token, in bytes: authorizationState (short call data) answers false, everything else ends with
  // `end`.
  const standIn = (end: string): Hex =>
    `0x3660501160${(7 + end.length / 2).toString(16).padStart(2, '0')}57${end}5b60206000f3`;

  test('a reason is cut to 256 bytes', async () => {
    const a = await make('good', 'cut');
    await evm.rpc('anvil_setCode', [token, standIn('620186a06000fd')]); // revert with 100,000 bytes
    const receipt = await succeeds(relayer, settleCall(a, a));
    const failed = parseEventLogs({ abi: settlementAbi, logs: receipt.logs, eventName: 'AuthorizationFailed' });
    assert.deepEqual(
      failed.map((log) => log.args.reason),
      [`0x${'00'.repeat(256)}`, `0x${'00'.repeat(256)}`],
    );
  });

  test('a failure without a reason undoes the whole transaction', async () => {
    const a = await make('good', 'no reason');
    await evm.rpc('anvil_setCode', [token, standIn('fe')]); // burn all the gas, as a token that costs more would
    await refused(relayer, settleCall(a), 'NotEnoughGas');
  });

  test('a refusal counts only if the token had enough gas to pay', async () => {
    const a = await make('good', 'starved');
    await evm.rpc('anvil_setCode', [token, standIn('60206000fd')]); // refuse with 32 bytes, for almost no gas
    await refused(relayer, settleCall(a), 'NotEnoughGas', 100_000n);
    const { logs } = await succeeds(relayer, settleCall(a));
    assert.equal(parseEventLogs({ abi: settlementAbi, logs, eventName: 'AuthorizationFailed' }).length, 1);
  });

  test('the settlement contract needs a token that is a contract', async () => {
    const data = encodeDeployData({ abi: settlementAbi, bytecode: settlementBytecode, args: [stranger.address] });
    assert.equal((await send(admin, undefined, data)).status, 'reverted');
    assert.equal(await client.readContract({ address: settlement, abi: settlementAbi, functionName: 'token' }), token);
  });
});
