import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { asAddress, toChecksum } from '../../src/base/address.ts';
import { asHash, bytesToHex, type Hash } from '../../src/base/hex.ts';
import type { TransferId, UserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { readBalances } from '../../src/chain/balances.ts';
import type { Rpc } from '../../src/chain/rpc.ts';
import { type Authorization, authorizationDigest, carry, joinSignature } from '../../src/chain/token.ts';
import { openWeiReader } from '../../src/chain/wei.ts';
import { openSigner } from '../../src/custody/signer.ts';
import type { Tx } from '../../src/db/database.ts';
import { type AuditReport, auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { storedKeys } from '../../src/ledger/accounts.ts';
import { auditingAlone, lockAudit } from '../../src/ledger/audit-lock.ts';
import type { LogEntry, Service } from '../../src/service/service.ts';
import { perTier } from '../kit/run/tier.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService, type TestApp, type TestService } from '../kit/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { changeAccounts, removeAccounts, removePostings } from '../rows/ledger.ts';
import { changeRequests } from '../rows/requests.ts';
import { changeTransfers, insertOpenRows, insertTransferRows, reopenTransferRow } from '../rows/transfers.ts';

const pay = (s: TestService, app: TestApp, user: UserId, amount: number) =>
  payUser(s.service, asApp(app.id), { from: asAddress(app.address), amount, user });

async function payingService(t: Parameters<typeof startTestService>[0], options = {}) {
  const s = await startTestService(t, options);
  const app = await s.createApp();
  await s.issue(app.id, 100_000);
  const guest = await s.createGuest(app);
  return { s, app, guest };
}

/** Runs `quarters audit` on this service, as an operator types it. */
const command = (service: Service, ...options: string[]) => runCommand(service, 'audit', ...options);

/** The differences in a short form, such as `balance 0x… 105 100`. */
const inShort = (report: AuditReport) =>
  report.differences.map(({ kind, account, ledger, other }) => [kind, account, Number(ledger), Number(other)]);

/** Uses an account of ours as a stranger on this chain could: with its key, or as the sender of a transaction. */
async function authorize(s: TestService, authorization: Authorization) {
  const [key] = (await storedKeys(s.service.db, [authorization.from])).values();
  const signer = openSigner(s.service.vault, authorization.from, key!);
  const signature = joinSignature(signer.sign(authorizationDigest(s.service.chain.domain, authorization)));
  const { to, data } = carry(s.service.chain.contracts, [{ ...authorization, signature }]);
  return { to, data: bytesToHex(data) };
}

async function sendAsStranger(s: TestService, { to, data }: { to: string; data: string }): Promise<Hash> {
  const [from] = (await s.evm.rpc('eth_accounts')) as string[];
  const hash = asHash((await s.evm.rpc('eth_sendTransaction', [{ from, to, data, gas: '0x30000' }])) as string);
  await until('the transaction is mined', async () => (await s.evm.rpc('eth_getTransactionReceipt', [hash])) !== null);
  const receipt = (await s.evm.rpc('eth_getTransactionReceipt', [hash])) as { status: string };
  assert.equal(receipt.status, '0x1');
  await s.settled();
  return hash;
}

test('the audit of a settled service finds no difference, and the command says so', async (t) => {
  const { s, app, guest } = await payingService(t);
  await Promise.all(Array.from({ length: 20 }, (_, i) => pay(s, app, guest.userId, i + 1)));
  await s.settled();

  const report = await auditLedger(s.service);
  assert.deepEqual([report.differences, report.overdrawn], [[], []]);
  assert.equal(report.supply, s.service.settings.initialSupply);
  assert.equal(report.accounts, 3);

  const { code, out, err } = await command(s.service);
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  assert.match(out, /the ledger equals the chain/);
  const json = JSON.parse((await command(s.service, '--json')).out);
  assert.deepEqual([json.equal, json.differences, json.accounts], [true, [], 3]);
});

describe('the audit reports every kind of difference, and the command exits with 1', () => {
  type Scene = {
    s: TestService;
    app: TestApp;
    payer: string;
    guest: string;
    txHash: string;
    transferId: TransferId;
    requestId: string;
    block: number;
  };
  type Expected = (string | number | null)[][];
  const SUPPLY = 1_000_000_000_000;

  const cases: [
    name: string,
    corrupt: (tx: Tx, scene: Scene) => Promise<unknown>,
    expected: (scene: Scene) => Expected,
  ][] = [
    [
      'a balance that was raised',
      (tx, { guest }) => changeAccounts(tx, { address: guest }, { posted: 75 }),
      ({ guest }) => [
        ['supply', null, SUPPLY + 5, SUPPLY],
        ['balance', guest, 75, 70],
        ['postings', guest, 75, 70],
      ],
    ],
    [
      'a hold without a transfer, larger than the balance',
      (tx, { guest }) => changeAccounts(tx, { address: guest }, { held: 71 }),
      ({ guest }) => [['hold', guest, 71, 0]],
    ],
    [
      'a missing posting',
      (tx, { txHash }) => removePostings(tx, { txHash }),
      ({ payer, guest }) => [
        ...[
          ['postings', payer, 99_930, 100_000],
          ['postings', guest, 70, 0],
        ].sort(([, a], [, b]) => ((a ?? '') < (b ?? '') ? -1 : 1)),
        ['unpaid', payer, 70, 0],
      ],
    ],
    [
      'a missing account',
      (tx, { guest }) => removeAccounts(tx, { address: guest }),
      ({ guest }) => [
        ['supply', null, SUPPLY - 70, SUPPLY],
        ['postings', guest, 0, 70],
      ],
    ],
    [
      'a supply above the token’s',
      (tx) => changeAccounts(tx, { address: `0x${'0'.repeat(40)}` }, { posted: -SUPPLY - 9 }),
      () => [
        ['balance', `0x${'0'.repeat(40)}`, -SUPPLY - 9, -SUPPLY],
        ['postings', `0x${'0'.repeat(40)}`, -SUPPLY - 9, -SUPPLY],
      ],
    ],
    [
      'a completed transfer without a log',
      (tx, scene) => insertCompleted(tx, { ...scene, amount: 11, txHash: `0x${'ab'.repeat(32)}` }),
      ({ payer }) => [['unpaid', payer, 11, 0]],
    ],
    [
      'two completed transfers with one log',
      (tx, scene) => insertCompleted(tx, { ...scene, amount: 70 }),
      ({ payer }) => [['unpaid', payer, 140, 70]],
    ],
    [
      'a paid transfer that is stored as submitted, but not as open',
      (tx, { transferId }) => changeTransfers(tx, { id: transferId }, { status: 'submitted', decidedBlock: null }),
      ({ payer }) => [
        ['undecided', payer, 0, 70],
        ['open', payer, 70, 0],
        ['request', payer, 70, 70],
      ],
    ],
    [
      'a completed transfer that is listed as open',
      (tx, { transferId }) => reopenTransferRow(tx, transferId),
      ({ payer }) => [
        ['hold', payer, 0, 70],
        ['settled', payer, 70, 0],
        ['open', payer, 0, 70],
      ],
    ],
    [
      'a transfer that is listed as open and does not exist',
      (tx, { payer, guest }) => insertOpenRows(tx, [{ fromAddress: payer, toAddress: guest }]),
      ({ payer }) => [['open', payer, 0, 0]],
    ],
    [
      'a paid transfer that is stored as submitted',
      async (tx, { transferId }) => {
        await changeTransfers(tx, { id: transferId }, { status: 'submitted', decidedBlock: null });
        await reopenTransferRow(tx, transferId);
      },
      ({ payer }) => [
        ['hold', payer, 0, 70],
        ['undecided', payer, 0, 70],
        ['settled', payer, 70, 0],
        ['request', payer, 70, 70],
      ],
    ],
    [
      'a request of another amount than its transfer',
      (tx, { requestId }) => changeRequests(tx, { id: requestId }, { amount: 71 }),
      ({ payer }) => [['request', payer, 71, 70]],
    ],
    ...(['submitted', 'failed', 'pending'] as const).map((status): (typeof cases)[number] => [
      `a request that is stored as ${status} although its transfer is completed`,
      (tx, { requestId }) => changeRequests(tx, { id: requestId }, { status }),
      ({ payer }) => [['request', payer, 70, 70]],
    ]),
  ];

  it('each kind of difference is reported', async (t) => {
    const { s, app, guest } = await payingService(t);
    const { transferId, txHash, requestId } = await pay(s, app, guest.userId, 70);
    await s.settled();
    const payer = app.address.toLowerCase();
    const block = Number((await auditLedger(s.service)).block);
    const scene: Scene = {
      s,
      app,
      payer,
      guest: guest.address.toLowerCase(),
      txHash,
      transferId,
      requestId: requestId!,
      block,
    };

    const said = new Set<string>();
    for (const [name, corrupt, expected] of cases) {
      await t.test(name, () =>
        // Corrupted, audited and undone in one database transaction: the running follower sees nothing of it.
        undone(s.service, async (tx, service) => {
          await corrupt(tx, scene);
          // Pages so small that each border is between two rows that matter.
          const report = await auditLedger(service, { pageSize: 1 });
          assert.deepEqual(inShort(report), expected(scene));
          const kinds = new Set(report.differences.map(({ kind }) => kind));
          const { differences, found } = await auditLedger(service, { pageSize: 2, most: 1 });
          assert.deepEqual([differences.length, found.differences], [kinds.size, report.differences.length]);

          // The command is run where it has a kind to say that it has not said yet.
          if (kinds.isSubsetOf(said)) return;
          for (const kind of kinds) said.add(kind);
          const { code, out, err } = await command(service);
          assert.deepEqual({ code, err }, { code: 1, err: wordsFor(report.differences.length) });
          for (const { kind, account, ledger, other } of report.differences) {
            const line = out
              .split('\n')
              .find((row) => row.startsWith(kind) && row.includes(account ? toChecksum(account) : 'all'));
            assert.match(line ?? '', new RegExp(`\\s${ledger}\\s+${other}\\s+[+]?${ledger - other}\\b`), kind);
          }
          const json = JSON.parse((await command(service, '--json')).out);
          assert.equal(json.equal, false);
          assert.equal(json.differences.length, report.differences.length);
        }),
      );
    }
    await t.test('an account with less than its hold is reported as overdrawn', () =>
      undone(s.service, async (tx, service) => {
        await changeAccounts(tx, { address: scene.guest }, { held: 71 });
        const { overdrawn } = await auditLedger(service);
        assert.deepEqual(overdrawn, [{ account: scene.guest, posted: 70n, held: 71n }]);
        assert.match((await command(service)).out, /OVERDRAWN ACCOUNT/);
      }),
    );
    assert.deepEqual((await auditLedger(s.service)).differences, []);
  });

  const wordsFor = (count: number) => `The audit found ${count} ${count === 1 ? 'difference' : 'differences'}.\n`;

  function insertCompleted(tx: Tx, row: Pick<Scene, 'payer' | 'guest' | 'txHash' | 'block'> & { amount: number }) {
    const { payer: fromAddress, guest: toAddress, block: decidedBlock, amount, txHash } = row;
    return insertTransferRows(tx, [{ fromAddress, toAddress, amount, txHash, status: 'completed', decidedBlock }]);
  }

  /** Runs `work` on a transaction that is rolled back; the service it is given reads through that transaction. */
  async function undone(service: Service, work: (tx: Tx, service: Service) => Promise<void>): Promise<void> {
    const rollBack = new Error('roll back');
    await assert.rejects(
      service.db.transaction(async (tx) => {
        await work(tx, { ...service, db: { ...service.db, snapshot: (read) => read(tx) } });
        throw rollBack;
      }),
      rollBack,
    );
  }
});

test('the audit reports a payment signed with a stolen account key, although all balances match', async (t) => {
  const { s, app, guest } = await payingService(t);
  const stolen = await authorize(s, {
    from: asAddress(app.address),
    to: guest.address,
    amount: asQuarters(33),
    nonce: asHash(`0x${'17'.repeat(32)}`),
  });
  const txHash = await sendAsStranger(s, stolen);

  const { differences } = await auditLedger(s.service);
  assert.deepEqual(differences, [
    { kind: 'undecided', account: app.address.toLowerCase(), ledger: 0n, other: 33n, txHash, transfers: [] },
  ]);
  const { code, out } = await command(s.service);
  assert.equal(code, 1);
  assert.match(out, new RegExp(txHash));
});

test('the audit accepts what strangers may do: move nothing from our accounts, hold quarters, deposit', async (t) => {
  const { s, app, guest } = await payingService(t);
  const [stranger] = (await s.evm.rpc('eth_accounts')) as string[];
  const token = s.service.chain.contracts.token;
  const words = (...values: string[]) => values.map((value) => value.slice(2).toLowerCase().padStart(64, '0')).join('');
  // transferFrom(app, guest, 0) needs no allowance, and its log looks as if the app had paid.
  await sendAsStranger(s, { to: token, data: `0x23b872dd${words(app.address, guest.address, '0x0')}` });
  await s.issue(stranger!, 50);
  await sendAsStranger(s, { to: token, data: `0xa9059cbb${words(guest.address, '0x14')}` });

  const report = await auditLedger(s.service);
  assert.deepEqual([report.differences, report.accounts], [[], 4]);
});

test('the ether of many accounts is read in one call', async (t) => {
  const { s } = await payingService(t);
  const accounts = Array.from({ length: 100 }, (_, i) => asAddress(`0x${(i + 4_096).toString(16).padStart(40, '5')}`));
  const some = [1n, 10n ** 18n, 2n ** 256n - 1n, 2n ** 248n];
  for (const [i, wei] of some.entries())
    await s.evm.rpc('anvil_setBalance', [accounts[i * 33], `0x${wei.toString(16)}`]);
  const asked: string[] = [];
  const batch: Rpc['batch'] = (calls) => {
    asked.push(...calls.map(({ method }) => method));
    return s.service.rpc.batch(calls);
  };
  let head = asHash(`0x${'1'.repeat(64)}`);
  const read = openWeiReader({ batch } as Rpc, () => head);
  // One balance is compared with what the node says of it, once.
  for (const calls of [['eth_call', 'eth_getBalance'], ['eth_call']]) {
    const found = await Promise.all(accounts.map(read));
    assert.deepEqual(
      found,
      accounts.map((_, i) => (i % 33 === 0 ? some[i / 33] : 0n)),
    );
    assert.deepEqual(asked.splice(0), calls);
    head = asHash(`0x${'2'.repeat(64)}`);
  }
});

test('balances are exact over many calls, and a missing token is an error instead of zero', async (t) => {
  const { s, app } = await payingService(t);
  const { rpc, chain } = s.service;
  const { blockHash } = await auditLedger(s.service);
  const accounts = Array.from({ length: 3_000 }, (_, i) =>
    i % 7 === 0 ? asAddress(app.address) : asAddress(`0x${(i + 1).toString(16).padStart(40, '0')}`),
  );
  const balances = await readBalances(rpc, chain.contracts.token, blockHash, accounts);
  assert.deepEqual(
    balances,
    accounts.map((_, i) => (i % 7 === 0 ? 100_000n : 0n)),
  );
  assert.deepEqual(await readBalances(rpc, chain.contracts.token, blockHash, []), []);
  await assert.rejects(readBalances(rpc, asAddress(app.address), blockHash, accounts), /revert/);
  await assert.rejects(readBalances(rpc, chain.contracts.token, asHash(`0x${'12'.repeat(32)}`), accounts));
});

test('the audit raises no false alarm while transfers run', async (t) => {
  const { s, app } = await payingService(t, { env: { RELAYERS: '2' } });
  const guests = await Promise.all(Array.from({ length: 5 }, () => s.createGuest(app)));
  let running = true;
  let paid = 0;
  const payers = guests.map(async ({ userId }) => {
    while (running) {
      await pay(s, app, userId, 1);
      paid++;
    }
  });
  const blocks = new Set<bigint>();
  let onTheirWay = 0;
  try {
    await until('blocks are audited under load', async () => {
      const report = await auditLedger(s.service);
      assert.deepEqual(inShort(report), []);
      blocks.add(report.block);
      onTheirWay += report.onTheirWay;
      return blocks.size >= perTier({ usual: 4, all: 10 }) && onTheirWay > 0 && paid > 100;
    });
  } finally {
    running = false;
    await Promise.allSettled(payers);
  }
  await s.settled();
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});

test('accounts that are paid during the audit are compared as they were at its block', async (t) => {
  const { s, app, guest } = await payingService(t);
  const others = await Promise.all(Array.from({ length: 3 }, () => s.createGuest(app)));
  const blocks = new Set<string>();
  let paid = 0;
  const rpc: Rpc = {
    ...s.service.rpc,
    async call(method, params) {
      if (method === 'eth_call' && paid < 4) {
        blocks.add((params[1] as { blockHash: string }).blockHash);
        await pay(s, app, [guest, ...others][paid++]!.userId, 10);
        await s.settled();
      }
      return s.service.rpc.call(method, params);
    },
  };
  const report = await auditLedger({ ...s.service, rpc }, { pageSize: 2 });
  assert.deepEqual([inShort(report), report.overdrawn, blocks.size, paid], [[], [], 1, 4]);
  const last = await auditLedger(s.service);
  assert.ok(last.block > report.block);
});

test('the audit uses a newer block when a reorganisation drops the one it had chosen', async (t) => {
  const { s, app, guest } = await payingService(t);
  for (let i = 0; i < 3; i++) {
    await pay(s, app, guest.userId, 10 + i);
    await s.settled();
  }
  const asked: string[] = [];
  const rpc: Rpc = {
    ...s.service.rpc,
    async call(method, params) {
      if (method === 'eth_call') {
        if (asked.length === 0) await s.evm.rpc('anvil_reorg', [2, []]);
        asked.push((params[1] as { blockHash: string }).blockHash);
      }
      return s.service.rpc.call(method, params);
    },
  };
  const report = await auditLedger({ ...s.service, rpc });
  assert.deepEqual(inShort(report), []);
  assert.notEqual(asked[0], report.blockHash);
  await s.settled();
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});

test('a wrong balance is a difference only if the node repeats it', async (t) => {
  const { s } = await payingService(t);
  const lying = (times: number): Rpc => ({
    ...s.service.rpc,
    async call(method, params) {
      const answer = await s.service.rpc.call<never>(method, params);
      return method === 'eth_call' && times-- > 0 ? (String(answer).replace(/.$/, '7') as never) : answer;
    },
  });
  assert.deepEqual((await auditLedger({ ...s.service, rpc: lying(1) })).differences, []);
  assert.notDeepEqual((await auditLedger({ ...s.service, rpc: lying(100) })).differences, []);
});

test('the audit uses a newer block when the node has lost the state of its block', async (t) => {
  const { s, app, guest } = await payingService(t);
  let lost: string | undefined;
  const rpc: Rpc = {
    ...s.service.rpc,
    async call(method, params) {
      if (method !== 'eth_call') return s.service.rpc.call(method, params);
      const { blockHash } = params[1] as { blockHash: string };
      lost ??= blockHash;
      if (blockHash !== lost) return s.service.rpc.call(method, params);
      await pay(s, app, guest.userId, 1);
      throw new Error('missing trie node');
    },
  };
  const report = await auditLedger({ ...s.service, rpc });
  assert.notEqual(report.blockHash, lost);
  assert.deepEqual(report.differences, []);
});

test('a scheduled audit reports differences in the log and in metrics', async (t) => {
  const entries: { level: string; entry: LogEntry; message: string }[] = [];
  const level = (name: string) => (entry: LogEntry, message: string) =>
    void entries.push({ level: name, entry, message });
  const log = { info: level('info'), warn: level('warn'), error: level('error') };
  const { s, guest } = await payingService(t, { env: { AUDIT_EVERY_SECONDS: '1' }, log });
  const metric = async (name: string) => {
    const { body } = await s.app.inject('/metrics');
    const [, value] = new RegExp(`^quarters_${name} (\\S+)$`, 'm').exec(body) ?? [];
    return value && Number(value);
  };
  await until('an audit found no difference', async () => (await metric('audit_differences')) === 0);
  const before = await metric('audit_last_success_timestamp_seconds');
  assert.ok(Math.abs(Number(before) - Date.now() / 1000) < 60);

  await changeAccounts(s.service.db, { address: guest.address }, { held: 9 });
  await until('the metric shows the difference', async () => (await metric('audit_differences')) === 1);
  assert.equal(await metric('audit_overdrawn_accounts'), 1);
  const found = entries.find(({ message }) => message === 'the ledger differs from the chain');
  assert.equal(found?.level, 'error');
  assert.deepEqual(found?.entry.differences, [
    { account: toChecksum(guest.address), kind: 'hold', ledger: '9', other: '0' },
  ]);
  assert.doesNotThrow(() => JSON.stringify(entries));

  await changeAccounts(s.service.db, { address: guest.address }, { held: 0 });
  await until('the difference is gone', async () => (await metric('audit_differences')) === 0);
  assert.ok(Number(await metric('audit_last_success_timestamp_seconds')) > Number(before));
});

test('one process at a time runs the scheduled audit, and a command need not wait for it', async (t) => {
  const { s } = await payingService(t);
  await s.service.db.transaction(async (tx) => {
    assert.equal(await lockAudit(tx), true);
    assert.equal(await auditingAlone(s.service.db, () => auditLedger(s.service)), null);
    assert.deepEqual((await auditLedger(s.service)).differences, []);
  });
  assert.deepEqual((await auditingAlone(s.service.db, () => auditLedger(s.service)))?.differences, []);
});
