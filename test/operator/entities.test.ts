import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { newUserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { listReportsOf } from '../../src/requests/reports.ts';
import { attemptsFor } from '../../src/settlement/tables/transaction-attempts.ts';
import { findTransfersOfRequests } from '../../src/settlement/tables/transfers.ts';
import { readEventsOfRequest } from '../../src/webhooks/request-events.ts';
import { refusalsOf } from '../../src/wings/economy/store/refusals.ts';
import { createDeveloper, type Developer } from '../kit/service/developer.ts';
import { approve, askFor } from '../kit/service/history.ts';
import { createOperator } from '../kit/service/operator.ts';
import { grantReward } from '../kit/service/operator-acts.ts';
import { createPerson } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { MISTYPED } from '../kit/unit/mistyped.ts';
import { until } from '../kit/unit/until.ts';
import { insertReportRows } from '../rows/requests.ts';
import { insertMinedAttempts } from '../rows/transfers.ts';

const FOREIGN_RELAYER = `0x${'ab'.repeat(20)}`;
let nonce = 0;

/** A player who was asked by a game and has paid it, with a reward, a report, and a transaction that another one replaced. */
async function openWorld(s: TestService) {
  const { db } = s.service;
  const name = `Zoe${newUserId().slice(0, 12)}`;
  const player = await createPerson(s, { displayName: name });
  const quest = `Quest ${newUserId().slice(0, 12)}`;
  const game = await s.createApp({ name: quest });
  await s.issue(player.userId, 100);
  const asked = await askFor(s, game, player, 40, 'A golden shield');
  const paid = await approve(s, asked);
  await s.settled();
  const [transfer] = await findTransfersOfRequests(db, [asked.id]);
  const reward = await grantReward(s.service, { user: player.userId, amount: asQuarters(7) });
  const [event] = await readEventsOfRequest(db, asked.id, [new Date()], 60_000);
  await insertReportRows(db, [{ appId: game.id, userId: player.userId }]);
  const [report] = await listReportsOf(db, player.userId, 1);
  await insertMinedAttempts(db, transfer!.id, [{ relayer: FOREIGN_RELAYER, nonce: nonce++, createdAt: new Date(0) }]);
  const [replaced] = await attemptsFor(db, transfer!.id);
  return {
    name,
    quest,
    player,
    game,
    asked,
    paid,
    transfer: transfer!,
    reward,
    event: event!,
    report: report!,
    replaced: replaced!,
  };
}

/** Where a search leads: the page of its only hit. Follows the redirects that keep names and addresses out of the address. */
async function searchFor(operator: Developer, q: string): Promise<string> {
  const first = await operator.post('/operator/search', { q });
  if (first.statusCode === 307) {
    const found = await operator.post(`${first.headers.location}`, { q });
    return `${found.headers.location ?? found.body}`;
  }
  const found = await operator.get(`${first.headers.location}`);
  return `${found.headers.location ?? found.body}`;
}

describe('the pages of the operators’ console', () => {
  test('exist for an operator with a passkey and for nobody else', async (t) => {
    const s = await sharedService(t);
    const player = await createDeveloper(s);
    const byPassword = await createOperator(s, { methods: ['pwd'] });
    const routes = s.routes.filter(
      ({ url, method }) => url.startsWith('/operator') && /^(GET|POST)$/.test(`${method}`),
    );
    assert.ok(routes.length > 8);
    for (const { url, method } of routes) {
      const path = url.replace(/:\w+/g, 'x');
      const call = (who: Developer) => (method === 'POST' ? who.post(path) : who.get(path));
      const [asPlayer, asPassword] = await Promise.all([call(player), call(byPassword)]);
      assert.equal(asPlayer.statusCode, 404, `${method} ${url} for a player`);
      assert.equal(asPassword.statusCode, 403, `${method} ${url} with a password`);
      if (method === 'POST') continue;
      assert.match(`${(await s.app.inject({ url: path })).headers.location}`, /^\/sign-in\?/, `${url} signed out`);
    }
  });

  test('a player’s page and a search for people ask an operator who signed in long ago', async (t) => {
    const s = await sharedService(t);
    const { userId } = await createPerson(s);
    const late = await createOperator(s, { minutesAgo: 20 });
    assert.match(`${(await late.get(`/operator/users/${userId}`)).headers.location}`, /^\/sign-in\?again=true/);
    const search = await late.post('/operator/search/people', { q: 'ada@mail.example' });
    assert.match(`${search.headers.location}`, /^\/sign-in\?again=true/);
    assert.doesNotMatch(`${search.headers.location}`, /ada/);
    assert.equal((await late.get('/operator/apps')).statusCode, 200);
  });

  test('a search finds everything by each of its names', async (t) => {
    const s = await sharedService(t);
    const operator = await createOperator(s);
    const { name, quest, player, game, asked, paid, transfer, reward, report, event, replaced } = await openWorld(s);
    const user = `/operator/users/${player.userId}`;
    const app = `/operator/apps/${game.id}`;
    const payment = `/operator/payments/${asked.id}`;
    const { address } = player;
    const page = `/operator/addresses/${address}`;
    const cases: [typed: string, page: string][] = [
      [player.userId, user],
      [player.email, user],
      [player.email.toUpperCase(), user],
      [name.toLowerCase().slice(0, 10), user],
      [name.slice(2, 12), user],
      [player.email.slice(4, 20), user],
      [reward.id, user],
      [game.id, app],
      [quest.toLowerCase().slice(0, 14), app],
      [quest.slice(3, 14), app],
      [report.id, app],
      [asked.id.toUpperCase(), payment],
      [event.id, payment],
      [transfer.id, `/operator/transfers/${transfer.id}`],
      [paid.txHash, `/operator/transactions/${paid.txHash}`],
      [` ${replaced.hash.toUpperCase().replace('0X', '0x')} `, `/operator/transactions/${replaced.hash}`],
      [address, page],
      [toChecksum(address), page],
      [address.toUpperCase().replace('0X', '0x'), page],
    ];
    for (const [typed, expected] of cases) assert.equal(await searchFor(operator, typed), expected, typed);
    assert.match(await searchFor(operator, MISTYPED), /checksum of this address is wrong/);
    assert.match(await searchFor(operator, 'nobody@mail.example'), /There is no player whose e-mail address is this/);
    assert.match(await searchFor(operator, newUserId()), /There is no user with this id/);
    assert.match(await searchFor(operator, `0x${'12'.repeat(32)}`), /There is no transaction with this hash/);
    assert.match(await searchFor(operator, '%'), /at least two characters/);
    assert.match(
      await searchFor(operator, '%%'),
      /There is no player, guest or app with this in the name/,
      'no wildcard',
    );
  });

  test('show the whole life of what they are about', async (t) => {
    const s = await sharedService(t);
    const { service } = s;
    const operator = await createOperator(s);
    const { name, quest, player, game, asked, paid, transfer, replaced } = await openWorld(s);
    const textOf = async (path: string) => {
      const { statusCode, body } = await operator.get(path);
      assert.equal(statusCode, 200, path);
      return body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    };
    await assert.rejects(approve(s, await askFor(s, game, player, 4_000)), { code: 'insufficient-quarters' });
    await until('it is written', async () => (await refusalsOf(service.db, player.userId, 1)).length === 1);
    const opened = service.security.counts.get('personal-data-opened')!;
    const user = await textOf(`/operator/users/${player.userId}`);
    assert.equal(service.security.counts.get('personal-data-opened'), opened + 1);
    assert.doesNotMatch(user, /found account/, 'nothing was restored here');
    for (const part of [
      name,
      player.email,
      toChecksum(player.address),
      '60 quarters',
      '7 quarters',
      'Issued by the operator',
      '−40',
      '1 session',
      `${quest} Approval by the player insufficient-quarters`,
    ]) {
      assert.ok(user.includes(part), part);
    }
    assert.match(await textOf('/operator/apps'), new RegExp(quest));
    const app = await textOf(`/operator/apps/${game.id}?guests=count`);
    for (const part of ['40 quarters', 'Not verified', game.id, 'Server key', 'Open reports 1'])
      assert.ok(app.includes(part), part);
    assert.match(await textOf(`/operator/apps/${game.id}/payments?q=golden`), /A golden shield/);
    const payment = await textOf(`/operator/payments/${asked.id}`);
    for (const part of ['completed', 'Approved by the player', player.userId, transfer.id])
      assert.ok(payment.includes(part), part);
    assert.match(await textOf(`/operator/transfers/${transfer.id}`), new RegExp(`${replaced.hash}.*${paid.txHash}`));
    const transaction = await textOf(`/operator/transactions/${paid.txHash}`);
    for (const part of ['What it carries', 'What it moved', 'Gas used', 'mined in block'])
      assert.ok(transaction.includes(part), part);
    const address = await textOf(`/operator/addresses/${player.address}`);
    for (const part of ['60 quarters, 0.00 ether', 'Treasury', 'Player']) assert.ok(address.includes(part), part);
    const outside = await textOf(`/operator/addresses/0x${'12'.repeat(20)}`);
    assert.match(outside, /Outside address No quarters came from it or went to it/);
    for (const page of ['users', 'apps', 'payments', 'transfers', 'transactions', 'addresses']) {
      assert.equal((await operator.get(`/operator/${page}/x`)).statusCode, 404, page);
    }
  });

  test('a transaction of somebody else is shown as such', async (t) => {
    const s = await sharedService(t);
    const operator = await createOperator(s);
    const [from] = (await s.evm.rpc('eth_accounts')) as string[];
    const hash = (await s.evm.rpc('eth_sendTransaction', [
      { from, to: `0x${'34'.repeat(20)}`, value: '0x1' },
    ])) as string;
    await s.evm.rpc('evm_mine');
    const { statusCode, body } = await operator.get(`/operator/transactions/${hash}`);
    assert.equal(statusCode, 200);
    assert.match(body, /It is not one of ours, and moved no quarters/);
  });
});
