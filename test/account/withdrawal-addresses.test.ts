import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { toChecksum, ZERO_ADDRESS } from '../../src/base/address.ts';
import type { Problem } from '../../src/base/problems.ts';
import { listRelayers } from '../../src/chain/relayers.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { removePasskey } from '../../src/features/credentials/passkeys.ts';
import { performAction } from '../../src/features/operator-actions/perform-action.ts';
import { addressUse, addWithdrawalAddress, removeWithdrawalAddress } from '../../src/features/withdrawals/addresses.ts';
import { listWithdrawalAddresses } from '../../src/identity/withdrawal-addresses.ts';
import { findTreasury } from '../../src/ledger/accounts.ts';
import { refusalText } from '../../src/words/words.ts';
import { en } from '../../words/en.ts';
import { createOperator } from '../kit/service/operator.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { softPasskey } from '../kit/service/soft-passkey.ts';
import { freeze } from '../kit/service/stopping.ts';
import { mailTo, send, visit } from '../kit/service/visits.ts';
import { newWithdrawer, outsideAddress, readyWithdrawer } from '../kit/service/withdrawer.ts';
import { endStopLinks, readyAddresses } from '../rows/withdrawals.ts';

const NOBODY = { cookie: '', csrf: '' };
const refusal = (act: Promise<unknown>) =>
  act.then(
    () => 'added',
    (error: { code: string; faults?: readonly { reason?: { code: string } }[] }) =>
      error.faults?.[0]?.reason?.code ?? error.code,
  );

test('withdrawal addresses', async (t) => {
  const s = await sharedService(t, { env: { WITHDRAWALS: 'on', FINAL_AFTER: '1' } });
  const { service } = s;
  const { db, chain } = service;
  /** The path of the link that was mailed to somebody. */
  const linkTo = async (email: string) =>
    /(\/withdrawals\/stop\?token=\S+)/.exec(await mailTo(s, email, 'withdrawal address'))![1]!;
  const tokenIn = (link: string) => new URL(link, s.origin).searchParams.get('token')!;

  await t.test('only an address with its checksum is taken', async () => {
    const { add } = await newWithdrawer(s);
    // An example of EIP-55.
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const wrong = address.replace(/[a-fA-F]/, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const typed of [address.toLowerCase(), wrong, address.slice(2), `${address}0`, ZERO_ADDRESS, 'ada.eth', '']) {
      assert.equal(await refusal(add(typed)), 'address-unusable', typed);
    }
    assert.equal(await refusal(add(` ${address} `)), 'added');
    assert.equal(await refusal(add(address)), 'address-known');
    // As wallets copy it.
    const { chainId } = chain;
    for (const form of [`ethereum:${address}`, `ethereum:pay-${address}@${chainId}`, `eip155:${chainId}:${address}`]) {
      assert.equal(await refusal(add(form)), 'address-known', form);
      assert.equal(await refusal(add(form.toLowerCase())), 'address-unusable', form);
    }
    for (const form of [`eth:${address}`, `ethereum:${address}@1`, `eip155:1:${address}`, `nowhere:${address}`])
      assert.equal(await refusal(add(form)), 'address-elsewhere', form);
    assert.equal(await refusal(add(`ethereum:${address}/transfer?address=${address}`)), 'address-more');
  });

  await t.test('a page names the chain of an address that is not on ours', async () => {
    const { add } = await newWithdrawer(s);
    for (const [prefix, chain] of [
      ['base', 'Base (8453)'],
      ['eip155:250', 'eip155:250'],
      ['ftm', 'ftm'],
    ]) {
      const typed = `${prefix}:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed`;
      const refused = await add(typed).catch((problem: Problem) => problem);
      assert.equal(
        refusalText(en, refused as Problem),
        `This is an address on ${chain}, and quarters are on eip155:31337. Add one that is yours there.`,
      );
    }
  });

  await t.test('no contract and no account of this service is taken, whoever has it', async () => {
    const { person, add } = await newWithdrawer(s);
    const other = await createPerson(s);
    const app = await s.createApp();
    const [relayer] = await listRelayers(db);
    const { address: treasury } = await findTreasury(db);
    const { token, settlement } = chain.contracts;
    for (const ours of [token, settlement, treasury, relayer!.address, person.address, other.address]) {
      assert.equal(await refusal(add(toChecksum(ours))), 'address-ours');
    }
    assert.equal(await refusal(add(app.address)), 'address-ours');
  });

  await t.test('it waits for 24 hours, and five are the most', async () => {
    const { user, add } = await newWithdrawer(s);
    for (let i = 0; i < 5; i++) await add(toChecksum(outsideAddress()));
    assert.equal(await refusal(add(toChecksum(outsideAddress()))), 'addresses-full');
    const all = await listWithdrawalAddresses(db, user.id);
    assert.deepEqual([...new Set(all.map(({ state }) => state))], ['waiting']);
    await removeWithdrawalAddress(service, user, toChecksum(all[0]!.address));
    assert.equal(await refusal(add(toChecksum(outsideAddress()))), 'added');
  });

  await t.test('a passkey of its owner confirms it, and it goes with that passkey', async () => {
    const { person, user, passkey, add } = await newWithdrawer(s);
    const other = await newWithdrawer(s);
    const typed = toChecksum(outsideAddress());
    for (const answer of [{}, await other.passkey.answer(addressUse(person.session, typed))]) {
      const attempt = addWithdrawalAddress(service, user, person.session, { typed, answer });
      assert.equal(await refusal(attempt), 'passkey-not-theirs');
    }
    await add(typed);
    const second = await softPasskey(s, user.id, 'Key');
    const kept = toChecksum(outsideAddress());
    const answer = await second.answer(addressUse(person.session, kept));
    await addWithdrawalAddress(service, user, person.session, { typed: kept, answer });
    await removePasskey(service, user, person.session, passkey.id);
    const left = await listWithdrawalAddresses(db, user.id);
    assert.deepEqual(
      left.map(({ address }) => toChecksum(address)),
      [kept],
    );
  });

  await t.test('a frozen player adds none, and removes them', async () => {
    const { person, user, add } = await newWithdrawer(s);
    const address = toChecksum(outsideAddress());
    await add(address);
    await freeze(service, user.id);
    assert.equal(await refusal(add(toChecksum(outsideAddress()))), 'account-frozen');
    assert.equal((await visit(s, person, '/account/withdraw/addresses')).status, 403);
    assert.equal((await send(s, person, '/account/withdraw/addresses/remove', { address })).status, 303);
    assert.deepEqual(await listWithdrawalAddresses(db, user.id), []);
  });

  await t.test('the mailed link stops it, without signing in, once somebody presses the button', async () => {
    const { person, user, take, to } = await readyWithdrawer(s, 10);
    const link = await linkTo(person.email);
    const asked = await visit(s, null, link);
    assert.equal(asked.status, 200);
    assert.ok(asked.body.includes(toChecksum(to)));
    assert.equal((await listWithdrawalAddresses(db, user.id))[0]!.state, 'ready', 'opening the link stops nothing');
    const stopped = await send(s, NOBODY, '/withdrawals/stop', { token: tokenIn(link) });
    assert.match(stopped.body, /The address is stopped/);
    assert.equal((await listWithdrawalAddresses(db, user.id))[0]!.state, 'stopped');
    assert.match((await visit(s, null, link)).body, /The address is stopped/);
    assert.equal(await refusal(take(1, to)), 'address-not-ready');
    assert.match((await visit(s, person, '/account/withdraw')).body, /Stopped\. Nothing can be sent there/);
    // Stopping is for good: only a new wait makes it usable.
    assert.equal(
      (await send(s, person, '/account/withdraw/addresses/remove', { address: toChecksum(to) })).status,
      303,
    );
    assert.equal((await visit(s, null, link)).status, 410);
  });

  await t.test('a link from elsewhere, and one that is unknown or too old, stop nothing', async () => {
    const { person, user, add } = await newWithdrawer(s);
    await add(toChecksum(outsideAddress()));
    const token = tokenIn(await linkTo(person.email));
    const foreign = await send(
      s,
      NOBODY,
      '/withdrawals/stop',
      { token },
      { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' },
    );
    assert.equal(foreign.status, 403);
    assert.equal((await send(s, NOBODY, '/withdrawals/stop', { token: 'qw_unknown' })).status, 410);
    await endStopLinks(db, user.id);
    assert.equal((await send(s, NOBODY, '/withdrawals/stop', { token })).status, 410);
    assert.equal((await listWithdrawalAddresses(db, user.id))[0]!.state, 'waiting');
  });

  await t.test('after a new password, and in the profile, its owner sees it', async () => {
    const { person, add } = await newWithdrawer(s);
    const address = toChecksum(outsideAddress());
    await add(address);
    assert.ok((await visit(s, person, '/account/check')).body.includes(address));
    assert.ok((await visit(s, person, '/account/export-profile.csv')).body.includes(address));
  });

  await t.test('operators see it on the player’s page, and it is erased with the account', async () => {
    const { person, user, add } = await newWithdrawer(s);
    await add(toChecksum(outsideAddress()));
    const operator = await createOperator(s);
    assert.match((await visit(s, operator, `/operator/users/${user.id}`)).body, /Withdrawal addresses/);
    assert.ok(await closeAccount(service, user, person.session));
    assert.deepEqual(await listWithdrawalAddresses(db, user.id), []);
  });

  await t.test('an operator stops one of them, and the player is not frozen', async () => {
    const { person, user, take, to, add } = await readyWithdrawer(s, 10);
    const other = outsideAddress();
    await add(toChecksum(other));
    await readyAddresses(db, user.id);
    const stop = (address: string) =>
      performAction(
        service,
        { kind: 'shell', osUser: 'deploy' },
        {
          id: randomUUID(),
          kind: 'stop-address',
          params: { user: user.id, address },
          reason: 'A test',
        },
      );
    await assert.rejects(stop(toChecksum(outsideAddress())), { code: 'not-found' });
    await assert.rejects(stop('ada.eth'), { code: 'invalid-input' });
    await stop(toChecksum(to));
    assert.equal(await refusal(take(1, to)), 'address-not-ready');
    assert.equal(await refusal(take(1, other)), 'added');
    assert.match((await visit(s, person, '/account/withdraw')).body, /Stopped\. Nothing can be sent there/);
  });

  await t.test('without a passkey the pages ask for one first', async () => {
    const person = await createPerson(s);
    for (const path of ['/account/withdraw', '/account/withdraw/addresses']) {
      const { status, body } = await visit(s, person, path);
      assert.deepEqual([status, body.includes('Only a passkey can confirm')], [200, true], path);
    }
  });
});
