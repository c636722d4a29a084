import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Address, toChecksum } from '../../src/base/address.ts';
import { bytesToHex } from '../../src/base/hex.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { findOperator, listRelayers } from '../../src/chain/relayers.ts';
import { readBalanceWei } from '../../src/chain/state.ts';
import { authorizationDigest, carry, joinSignature } from '../../src/chain/token.ts';
import { nonceOfPayment } from '../../src/custody/payment-nonces.ts';
import type { KeyId } from '../../src/custody/seed.ts';
import { addressOfKey, openSigner } from '../../src/custody/signer.ts';
import { openDatabase } from '../../src/db/database.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { readHealth } from '../../src/diagnostics/health/read-health.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { closeAccountOfUser, mergeAccountOfGuest } from '../../src/ledger/closed-accounts.ts';
import { endSuspension, readSuspension, suspend } from '../../src/ledger/suspension.ts';
import { countLeftToMove, finishSweep, insertSweep, isMoving } from '../../src/ledger/sweeps.ts';
import { openService } from '../../src/process/open-service.ts';
import type { Service } from '../../src/service/service.ts';
import { wholeActivity } from '../../src/views/accounts/read-activity.ts';
import { readRecoveryKit } from '../../src/views/custody/read-kit.ts';
import { readTokenRights } from '../../src/wings/doctor/chain/deployed-code.ts';
import { noteEconomy } from '../../src/wings/economy/features/note-accounts.ts';
import { rollUpBite } from '../../src/wings/economy/features/roll-up.ts';
import { exportPostings } from '../../src/wings/economy/views/export-postings.ts';
import { asAdmin, PAUSE } from '../kit/service/admin.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { commit } from '../kit/service/crash-points.ts';
import { runCommandProcess } from '../kit/service/crash-service.ts';
import { createDatabase } from '../kit/service/database.ts';
import { statusOf } from '../kit/service/payment.ts';
import { newPlayer } from '../kit/service/player.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestService } from '../kit/service/service.ts';
import { freeze } from '../kit/service/stopping.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { changeAccounts, insertAccountRows, insertPostingRows } from '../rows/ledger.ts';
import { sealKeys } from '../rows/sealed-keys.ts';
import { approve, ask, balancesOf, isReady, isSuspended } from './drill.ts';
import { restored } from './restored.ts';

/** What each user, each app, the treasury and addresses that were left have, and whose new addresses these are. */
const HELD = `SELECT coalesce(user_id, app_id, kind) AS owner, kind, address, posted, key_id AS key FROM accounts
               WHERE kind NOT IN ('external') AND (user_id IS NOT NULL OR app_id IS NOT NULL OR kind IN ('treasury', 'swept'))`;
type Held = { owner: string; kind: string; address: Address; posted: bigint; key: Buffer | null };

const heldIn = ({ db }: Pick<Service, 'db'>) => db.query<Held>(HELD);
const sums = (rows: readonly Held[]) =>
  Object.fromEntries(rows.filter(({ kind }) => kind !== 'swept').map(({ owner, posted }) => [owner, posted]));

/** Opens the database for one command, while no service runs. */
async function stopped<T>(s: TestService, rpcUrl: string, work: (service: Service) => Promise<T>) {
  const { settings, house, publicUrl, log } = s.service;
  const place = { house, databaseUrl: s.databaseUrl, rpcUrls: [rpcUrl], publicUrl, development: false };
  const { service, close } = await openService(settings, place, log, null);
  try {
    return await work(service);
  } finally {
    await close();
  }
}

const THIEF = `0x${'7e'.repeat(20)}`;

/** An authorization that is signed with the key that the seed of before gives an account, while that seed is still in a process. */
function signedByThief(
  { vault, chain }: Service,
  { address: from, key }: Pick<Held, 'address' | 'key'>,
  amount: number,
) {
  const nonce = nonceOfPayment(vault.seed, from, Buffer.alloc(16, amount), null);
  const terms = { from, to: THIEF as Address, amount: asQuarters(amount), nonce };
  const { sign } = openSigner(vault, from, key!);
  return { ...terms, signature: joinSignature(sign(authorizationDigest(chain.domain, terms))) };
}

test('a sweep gives every account another key and address, moves all quarters there, and loses nothing else', async (t) => {
  const { start, faulty, game, guest, pay } = await ranBefore(t, {}, 'economy');
  const first = await start();
  await isReady(first);
  const guests = await Promise.all(Array.from({ length: 4 }, () => first.createGuest(game)));
  const [frozen, merged, closed, old] = guests as [typeof guest, typeof guest, typeof guest, typeof guest];
  for (const [i, one] of guests.entries()) await pay(first, 100 + i, one);
  const player = await newPlayer(first, game, 1_000);
  await player.grant(50);
  const bought = await player.spend(60);
  await player.grant(25);
  const asked = await player.ask(30);
  await first.settled();
  await freeze(first.service, frozen.userId);
  await sealKeys(first.service.db, first.service.vault, 'accounts', [old.address.toLowerCase()]);
  // It is counted by addresses that the sweep leaves.
  while (await rollUpBite(first.service));
  const running = await runCommand(first.service, 'custody', 'sweep', '--yes');
  assert.deepEqual([running.code, /^The service runs: process \d+ on /.test(running.err)], [1, true], running.err);
  // What is accepted and not mined is on its way.
  faulty.proxy.reachable = false;
  await pay(first, 9);
  await first.stop();
  faulty.proxy.reachable = true;
  const sweep = (...options: string[]) =>
    stopped(first, faulty.proxy.url, (service) => runCommand(service, 'custody', 'sweep', ...options));
  assert.match((await sweep('--yes')).err, /^1 transfer is on their way/);
  const second = await start();
  await isReady(second);
  await second.settled();
  await second.stop();

  const stored = await stopped(first, faulty.proxy.url, async (service) => {
    const { db } = service;
    // Between the last settled transfer and the stop, so that what they have is still to be moved.
    await db.transaction((tx) => mergeAccountOfGuest(tx, merged.userId, player.user.userId));
    await db.transaction((tx) => closeAccountOfUser(tx, closed.userId));
    await suspend(db, { relayers: [], authorizations: [], authorizationsInAll: 0 });
    const refused = await runCommand(service, 'custody', 'sweep', '--yes');
    assert.match(refused.err, /^Payments are suspended, because the chain has payments/);
    const suspension = await readSuspension(db);
    await db.transaction((tx) => endSuspension(tx, suspension!));
    // Whoever knows the keys takes some of a guest's quarters, and pauses the token, which uses a nonce of the operator's.
    const before = await heldIn(service);
    const robbed = before.find(({ owner }) => owner === guest.userId)!;
    const { to, data } = carry(service.chain.contracts, [signedByThief(first.service, robbed, 4)]);
    await faulty.sendAs(THIEF, { to, data: bytesToHex(data) });
    await asAdmin({ service, faulty }, PAUSE);
    return { before, relayers: await listRelayers(db), operator: await findOperator(db) };
  });
  const shown = await sweep();
  assert.match(shown.err, /Accounts of players +6, with 1,412 quarters\n/);
  assert.match(shown.err, /Warning: the chain has payments that the database lacks/);
  assert.match(shown.err, /Nothing was done: there is no terminal/);
  const folder = mkdtempSync(join(tmpdir(), 'quarters-sweep-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, QUARTERS_DATA_DIR: folder },
    ...{ NODE_OPTIONS: process.env.NODE_OPTIONS, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    ...{ DATABASE_URL: first.databaseUrl, CHAIN_RPC_URL: faulty.proxy.url },
    MASTER_KEY: first.service.settings.masterKey?.toString('hex'),
  };
  const killed = await runCommandProcess(['custody', 'sweep', '--yes', '--json'], env, commit('before', 'INTO sweeps'));
  assert.doesNotMatch(killed, /rekeyed|error/);
  const { before, operator } = stored;
  await stopped(first, faulty.proxy.url, async (service) => {
    assert.deepEqual(await heldIn(service), before, 'a killed command, and a plan, change nothing');
  });

  const { code, out, err } = await sweep('--yes', '--json');
  assert.equal(code, 0, err);
  const report = JSON.parse(out);
  assert.match(await readFile(report.kitAt, 'utf8'), /^swept-after-block: \d+$/m);
  assert.deepEqual(
    [report.rekeyed, report.toMove.accounts],
    [before.length, before.filter((one) => one.posted > 0n).length],
  );
  await stopped(first, faulty.proxy.url, async (service) => {
    assert.deepEqual((await auditLedger(service)).differences, [], 'equal right after the sweep');
    assert.match(
      (await runCommand(service, 'custody', 'sweep', '--yes')).err,
      /^The quarters of the last sweep have not all moved/,
    );
  });

  // Until the quarters have moved, nobody is refused for lack of them.
  faulty.proxy.reachable = false;
  const s = await start();
  await until('it knows that quarters move', () => s.service.readiness.moving);
  const payout = { token: game.serverKey, body: { amount: 5, user: old.userId } };
  const from = `POST /v1/accounts/${game.address}/transfer`;
  const refused = await call(s.app, from, payout);
  assertProblem(refused, 503, 'payments-suspended');
  assert.equal(refused.headers['retry-after'], '60');
  const service = (await readHealth(s.service)).checks.find(({ part }) => part === 'Service');
  assert.match(service!.says, /^No payment is accepted while quarters move/);
  faulty.proxy.reachable = true;
  await until('all quarters have moved', () => !s.service.readiness.moving);
  await s.settled();

  const now = await heldIn(s.service);
  const keyed = now.filter(({ kind }) => kind !== 'swept');
  const left = now.filter(({ kind }) => kind === 'swept');
  const expected = { ...sums(before), [merged.userId]: 0n, [closed.userId]: 0n };
  expected[guest.userId]! -= 4n;
  expected[player.user.userId]! += 101n;
  expected.treasury! += 102n;
  await until('closed accounts are empty', async () => {
    const found = sums(await heldIn(s.service));
    return found[merged.userId] === 0n && found[closed.userId] === 0n;
  });
  await s.settled();
  assert.deepEqual(sums(await heldIn(s.service)), expected);
  assert.deepEqual(left.map(({ address }) => address).sort(), before.map(({ address }) => address).sort());
  assert.ok(
    left.every(({ posted }) => posted === 0n),
    'nothing is left at the old addresses',
  );
  const differences = async () =>
    (await auditLedger(s.service)).differences.map(({ kind, ledger, other }) => [kind, ledger, other]);
  const theft = [['undecided', 0n, 4n]];
  assert.deepEqual(await differences(), theft, 'what the thief has taken, and nothing else');
  assert.match((await runCommand(s.service, 'custody')).out, /all quarters had moved at/);

  const logged = await s.service.db.query<{ action: string; accounts: number }>(
    `SELECT action, (entry::jsonb #>> '{after,accounts}')::int AS accounts FROM operator_log
      WHERE action IN ('seed-replaced', 'sweep-finished') ORDER BY id`,
  );
  assert.deepEqual(logged, [
    { action: 'seed-replaced', accounts: before.length },
    { action: 'sweep-finished', accounts: report.toMove.accounts },
  ]);

  await t.test('the old seed opens no account, and signs nothing that moves quarters', async () => {
    const { vault } = first.service;
    for (const { address, key } of keyed) assert.notEqual(addressOfKey(vault, Buffer.from(key!) as KeyId), address);
    const { chain, rpc } = s.service;
    const treasury = before.find(({ kind }) => kind === 'treasury')!;
    const { to, data } = carry(chain.contracts, [signedByThief(first.service, treasury, 1)]);
    const [reply] = await rpc.batch([{ method: 'eth_call', params: [{ to, data: bytesToHex(data) }, 'latest'] }]);
    assert.equal(reply?.kind, 'error');
    assert.match(`${reply.data}`, /^0xe450d38c/, 'ERC20InsufficientBalance, after the signature was found right');
  });

  await t.test('the new operator has the roles of the token, and the ether', async () => {
    const { rpc, chain, db } = s.service;
    const all = { isPaused: false, isAdmin: true, isMinter: true, isPauser: true };
    const none = { isPaused: false, isAdmin: false, isMinter: false, isPauser: false };
    const successor = await findOperator(db);
    assert.deepEqual(await readTokenRights(rpc, chain.contracts.token, successor.address), all);
    assert.deepEqual(await readTokenRights(rpc, chain.contracts.token, operator.address), none);
    for (const { address } of stored.relayers) {
      const [before, after] = [await readBalanceWei(rpc, address), await readBalanceWei(rpc, successor.address)];
      assert.ok(before * 10n < after, `${address} has ${before}`);
    }
    const retired = await db.query<{ address: string; next: bigint; used: bigint }>(
      `SELECT address, next_nonce AS next FROM relayers WHERE purpose = 'retired'`,
    );
    assert.deepEqual(
      retired.map(({ address }) => address).sort(),
      stored.relayers.map(({ address }) => address).sort(),
    );
  });

  await t.test('games go on with the addresses that they know: payments, refunds, approvals', async () => {
    await ask(s, game, from, payout.body);
    await ask(s, game, from, {
      amount: 6,
      address: toChecksum(old.address.toLowerCase() as Address),
      user: old.userId,
    });
    await ask(s, game, `POST /v1/requests/${bought.id}/refunds`, { amount: 10 });
    await approve(s, asked);
    const kept = await call(s.app, `GET /v1/accounts/${player.user.address}/balance`, {
      token: player.user.accessToken,
    });
    assert.equal(kept.statusCode, 200, kept.body);
    await s.settled();
    assert.equal(await statusOf(s, asked.id), 'completed');
    const transfers = async (query: string) =>
      (await call(s.app, `GET /v1/transfers?${query}`, { token: game.serverKey })).json().data.length;
    assert.ok((await transfers('direction=out&limit=50')) >= 8, 'those from before, and those since');
    await issueQuarters(s.service, {
      recipient: toChecksum(old.address.toLowerCase() as Address),
      amount: asQuarters(3),
    });
    await until('what comes to an old address later is moved', async () => {
      return sums(await heldIn(s.service))[old.userId] === 103n + 5n + 6n + 3n;
    });
    assert.equal(s.service.readiness.moving, false);
    assert.equal(sums(await heldIn(s.service))[frozen.userId], 100n);
  });

  await t.test('history, figures and the ledger are whole', async () => {
    const kinds = async (userId: string) => {
      const found: string[] = [];
      for await (const piece of wholeActivity(s.service, { id: userId as never }))
        for (const one of piece) found.push(one.kind === 'request' ? one.request.source : one.posting.otherSide);
      return found.sort();
    };
    assert.deepEqual(await kinds(player.user.userId), ['guest', 'refund', 'treasury', 'user', 'user']);
    assert.deepEqual(await kinds(old.userId), ['payout', 'payout', 'payout', 'treasury']);
    await until('the economy is counted', async () => {
      await rollUpBite(s.service);
      const [row] = await s.service.db.query<{ isWhole: boolean }>(
        'SELECT whole_block >= (SELECT max(block_number) FROM postings) AS "isWhole" FROM economy_cursor',
      );
      return row!.isWhole;
    });
    assert.equal(await noteEconomy(s.service), true);
    const counted: string[] = [];
    for await (const page of await exportPostings(s.service, {
      from: new Date(0),
      until: new Date(Date.now() + 60_000),
    }))
      counted.push(...page.map(({ kind }) => kind));
    assert.deepEqual(
      [counted.filter((kind) => kind === 'sweep').length, counted.filter((kind) => kind === 'unexplained').length],
      [report.toMove.accounts + 1, 1],
    );
    const flows = await s.service.db.query<{ kind: string; count: bigint }>(
      `SELECT kind, sum(count)::bigint AS count FROM economy_flows WHERE step = 'hour' GROUP BY kind ORDER BY kind`,
    );
    assert.deepEqual(
      flows.map(({ kind }) => kind),
      ['issue', 'merge', 'mint', 'payment', 'payout', 'refund', 'return', 'reward', 'unexplained'],
    );
    const [payers] = await s.service.db.query<{ count: bigint }>(
      `SELECT count(*) FROM economy_payers WHERE app_id = ''`,
    );
    assert.equal(payers!.count, 1n, 'one player has paid, before and since');
    assert.deepEqual(await differences(), theft);
  });

  await t.test('without any backup, the new kit finds the accounts at their new addresses', async () => {
    const RECOVERY_KIT_FILE = join(folder, 'new-kit.txt');
    writeFileSync(RECOVERY_KIT_FILE, await readRecoveryKit(s.service));
    const before = await balancesOf(s);
    await s.stop();
    const again = await start(await createDatabase(t), false, { RECOVERY_KIT_FILE });
    await isSuspended(again);
    await restored(again);
    assert.deepEqual(await balancesOf(again), before);
  });
});

test('payments wait until each old address was emptied once, and for nothing that somebody sends there later', async (t) => {
  const db = openDatabase(await createDatabase(t));
  atEnd(t, () => db.close());
  const [treasury, old] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`];
  const sealedKey = new Uint8Array(1);
  await insertAccountRows(db, [
    { address: treasury, kind: 'treasury', sealedKey, mergedInto: null, posted: 0 },
    { address: old, kind: 'swept', sealedKey, mergedInto: treasury, posted: 10 },
  ]);
  const { accounts, quarters, finishedAt } = await db.transaction(insertSweep);
  assert.deepEqual([accounts, quarters, finishedAt, await isMoving(db)], [1n, 10n, null, true]);
  await assert.rejects(db.transaction(insertSweep), /one_open_sweep/);
  // Anybody may write that nothing has left it.
  await insertPostingRows(db, [{ fromAddress: old, toAddress: treasury, amount: 0 }]);
  assert.deepEqual(await countLeftToMove(db), { accounts: 1, quarters: 10n });
  assert.equal(await db.transaction(finishSweep), null);

  await insertPostingRows(db, [{ fromAddress: old, toAddress: treasury, amount: 10, blockNumber: 2 }]);
  await changeAccounts(db, { address: old }, { posted: 1 });
  assert.deepEqual(await countLeftToMove(db), { accounts: 0, quarters: 0n });
  assert.ok((await db.transaction(finishSweep))?.finishedAt);
  assert.deepEqual([await isMoving(db), await db.transaction(finishSweep)], [false, null]);
});
