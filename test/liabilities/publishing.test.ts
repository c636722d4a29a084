import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, asAddress, toChecksum } from '../../src/base/address.ts';
import { hexToBytes } from '../../src/base/hex.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { nextPublication, publishLiabilities } from '../../src/wings/liabilities/features/publish.ts';
import { findPublication } from '../../src/wings/liabilities/store/publications.ts';
import { proofJson, proveAccount } from '../../src/wings/liabilities/views/prove.ts';
import { grantReward } from '../kit/service/operator-acts.ts';
import { createPerson } from '../kit/service/people.ts';
import { newPlayer } from '../kit/service/player.ts';
import { finalBlockAfterPayments, publishNow } from '../kit/service/publishing-at.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { asApp } from '../kit/unit/callers.ts';
import { changeAccounts } from '../rows/ledger.ts';
import { changeLiabilityLeaves } from '../rows/liabilities.ts';
import { verify } from './verifier.ts';

const SHELL = { kind: 'shell', osUser: 'tester' } as const;

async function proofOf({ service }: TestService, address: Address) {
  const found = (await proveAccount(service, address))!;
  return found.proof && proofJson(found.publication, found.proof);
}

test('a publication of a service with payments', async (t) => {
  const s = await startTestService(t, { env: { FINAL_AFTER: '1' } });
  const { db } = s.service;
  const game = await s.createApp({ redirectUris: ['https://game.example/'] });
  await s.issue(game.id, 10_000);
  const player = await newPlayer(s, game, 500);
  await player.grant(70);
  const ada = await createPerson(s);
  const guest = await s.createGuest(game);
  await payUser(s.service, asApp(game.id), { from: asAddress(game.address), amount: 33, user: guest.userId });
  await player.spend(20);
  const published = await publishNow(s);
  const { root } = published;
  const rpc = ['--rpc', s.evm.url];

  await t.test('its sums are what everybody has, and the rewards that nobody has used', async () => {
    const { accounts, overdrawn, balances, rewards, supply, inTreasury } = published;
    assert.deepEqual([accounts, overdrawn, rewards], [4, 0, 50n]);
    assert.equal(balances, 10_500n + 20n);
    assert.equal(inTreasury, supply - balances);
  });

  await t.test('everybody’s proof holds, and the script says so', async () => {
    const everybody: [Address, number, number][] = [
      [asAddress(game.address), 10_000 - 33 + 20, 0],
      [asAddress(player.user.address), 500, 50],
      [asAddress(guest.address), 33, 0],
      [ada.address, 0, 0],
    ];
    for (const [address, balance, rewards] of everybody) {
      const proof = (await proofOf(s, address))!;
      assert.deepEqual([proof.leaf.balance, proof.leaf.rewards], [balance, rewards]);
      const { token } = s.service.chain.contracts;
      const known = ['--address', toChecksum(address), '--token', token, '--chain', String(s.service.chain.chainId)];
      const { code, out } = await verify(t, proof, '--root', root, ...rpc, ...known);
      assert.equal(code, 0, out);
      assert.match(out, new RegExp(`Your balance: ${balance} quarters\\n[\\s\\S]*The proof holds`));
    }
  });

  await t.test('the script refuses another account, token, chain or root, and says what it cannot check', async () => {
    const proof = (await proofOf(s, ada.address))!;
    const check = (...options: string[]) => verify(t, proof, '--root', root, ...options);
    const cases: [string[], number, RegExp][] = [
      [['--address', guest.address], 1, /Your address: the proof is of/],
      [['--token', guest.address], 1, /Token: the proof is of/],
      [['--chain', '1'], 1, /Chain id: the proof is of 31337/],
      [[], 3, /Chain: NOT CHECKED/],
      [['--rpc', 'http://127.0.0.1:9'], 3, /Your balance: NOT CHECKED[\s\S]*not all was checked/],
      [['--rpc'], 2, /Usage/],
    ];
    for (const [options, code, says] of cases) {
      const answer = await check(...options);
      assert.equal(answer.code, code, answer.out);
      assert.match(answer.out, says);
    }
    const other = await verify(t, proof, '--root', `0x${'0'.repeat(64)}`, ...rpc);
    assert.deepEqual([other.code, /published root/.test(other.out)], [1, true]);
  });

  await t.test('a repeated publication of a block is the same one', async () => {
    const again = await publishLiabilities(s.service, SHELL, published.block);
    assert.deepEqual([again.replayed, again.publication.root], [true, root]);
  });

  await t.test('an account that is younger has no proof yet', async () => {
    const robin = await createPerson(s);
    assert.equal(await proofOf(s, robin.address), null);
  });

  await t.test('a balance that was lowered in the database is found out by its owner', async () => {
    await changeAccounts(db, { address: guest.address.toLowerCase() }, { posted: 30 });
    const lowered = await publishNow(s);
    assert.equal(lowered.balances, published.balances - 3n);
    const proof = await proofOf(s, asAddress(guest.address));
    const { code, out } = await verify(t, proof, '--root', lowered.root, ...rpc);
    assert.deepEqual([code, /Your balance: the chain shows 33, the proof says 30/.test(out)], [1, true], out);
  });

  await t.test('a balance below zero counts as zero, and is counted', async () => {
    await changeAccounts(db, { address: guest.address.toLowerCase() }, { posted: -5 });
    const { overdrawn, balances } = await publishNow(s);
    assert.deepEqual([overdrawn, balances], [1, published.balances - 33n]);
    await changeAccounts(db, { address: guest.address.toLowerCase() }, { posted: 33 });
  });

  await t.test('nothing is published while the ledger has another treasury than the chain', async () => {
    const { treasury, inTreasury } = await nextPublication(s.service);
    await changeAccounts(db, { address: treasury }, { posted: inTreasury - 1n });
    await assert.rejects(publishNow(s), /ledger differs from the chain/);
    await changeAccounts(db, { address: treasury }, { posted: inTreasury });
  });

  await t.test('a reward on its way counts until the chain has paid it', async () => {
    await grantReward(s.service, { user: ada.userId, amount: asQuarters(9) });
    const before = await publishNow(s);
    await finalBlockAfterPayments(s);
    await player.spend(40);
    await s.settled();
    // At that block nothing of the payment had happened, neither of the reward nor of what the reward did not cover.
    const { publication } = await publishLiabilities(s.service, SHELL, before.block + 1n);
    assert.notEqual(publication.root, before.root);
    assert.deepEqual([publication.rewards, publication.balances], [before.rewards, before.balances]);
    const after = await publishNow(s);
    assert.deepEqual([after.rewards, after.balances], [before.rewards - 40n, before.balances + 40n]);
  });

  await t.test('a publication whose leaves somebody changed proves nothing', async () => {
    const { root, block } = (await proveAccount(s.service, ada.address))!.publication;
    const [row] = await db.query<{ root: Buffer; leaves: Buffer }>(
      'SELECT root, leaves FROM liability_leaves WHERE root = $1',
      [hexToBytes(root)],
    );
    // The last byte of the first leaf's balance.
    row!.leaves[27]! ^= 1;
    await changeLiabilityLeaves(db, { root: row!.root }, { leaves: row!.leaves });
    await assert.rejects(proveAccount(s.service, ada.address), /do not lead to its root/);
    assert.equal((await findPublication(db, block))?.root, root);
  });

  await t.test('the command publishes after --yes only, lists, shows and proves', async () => {
    await finalBlockAfterPayments(s);
    const shown = await runCommand(s.service, 'liabilities', 'publish');
    assert.deepEqual([shown.code, shown.out], [2, '']);
    assert.match(shown.err, /become public/);
    const listed = async () => JSON.parse((await runCommand(s.service, 'liabilities', 'list', '--json')).out);
    const before = (await listed()).publications.length;
    const made = JSON.parse((await runCommand(s.service, 'liabilities', 'publish', '--yes', '--json')).out);
    assert.equal((await listed()).publications.length, before + 1);
    const one = JSON.parse((await runCommand(s.service, 'liabilities', 'show', `${made.block}`, '--json')).out);
    assert.deepEqual(one, made);
    const proof = JSON.parse((await runCommand(s.service, 'liabilities', 'prove', guest.address)).out);
    const { code, out } = await verify(t, proof, '--root', made.root, ...rpc);
    assert.equal(code, 0, out);
  });
});
