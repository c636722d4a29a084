import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newUserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { seenDaysOf, storeSeen } from '../../src/identity/seen-players.ts';
import { findUser } from '../../src/identity/users.ts';
import { openSeenPlayers, writeSeen } from '../../src/wings/operators-console/features/note-seen.ts';
import { call } from '../kit/service/call.ts';
import type { Developer } from '../kit/service/developer.ts';
import { makeGuests } from '../kit/service/guests.ts';
import { approve, askFor, move, pay } from '../kit/service/history.ts';
import { createOperator } from '../kit/service/operator.ts';
import { grantReward } from '../kit/service/operator-acts.ts';
import { createPerson } from '../kit/service/people.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { changeUsers } from '../rows/users.ts';

/** The ids of the players whom a page lists, in its order. */
const playersIn = (body: string) =>
  [...body.matchAll(/<td data-label="(?:Name|Player)"><div><a href="\/operator\/users\/(\w+)"/g)].map(([, id]) => id);

/** Whom a search for people finds: those in its list, or the one whose page it leads to. */
async function find(operator: Developer, q: string): Promise<(string | undefined)[]> {
  const { headers, body } = await operator.post('/operator/search/people', { q });
  const [, only] = /^\/operator\/users\/(\w+)$/.exec(`${headers.location}`) ?? [];
  return only === undefined ? playersIn(body) : [only];
}

const letters = () => newUserId().replaceAll(/\d/g, 'x').slice(0, 9).toLowerCase();

describe('a search for people', () => {
  test('finds a player by any part of the name or the e-mail address, in any script, without case and accents', async (t) => {
    const s = await sharedService(t);
    const operator = await createOperator(s);
    const [middle, local, domain, han, arabic] = [letters(), letters(), letters(), letters(), letters()];
    const email = `Zoe.${local}+games@${domain}.example`;
    const [zoe, hanako, ali] = [
      await createPerson(s, { displayName: `Zoë ${middle.toUpperCase()} O'Neill`, email }),
      await createPerson(s, { displayName: `田中${han}花子` }),
      await createPerson(s, { displayName: `عَلِي ${arabic} محمد` }),
    ];
    const cases: [typed: string, found: Developer['userId']][] = [
      [middle, zoe.userId],
      [`zoe ${middle}`, zoe.userId],
      [`${middle.slice(3)} o'n`, zoe.userId],
      [local.slice(2), zoe.userId],
      [`${local}+GAMES@`, zoe.userId],
      [`@${domain}`, zoe.userId],
      [`${domain}.EX`, zoe.userId],
      [email.toLowerCase(), zoe.userId],
      [`中${han}花`, hanako.userId],
      [`علي ${arabic}`, ali.userId],
      [`${arabic} مح`, ali.userId],
    ];
    for (const [typed, found] of cases) assert.deepEqual(await find(operator, typed), [found], typed);
    for (const typed of [
      `${middle}%`,
      `${middle}_`,
      `${local}@${domain}`,
      `${middle}${local}`,
      'a\u0301',
      '\u0301\u0301',
    ]) {
      assert.deepEqual(await find(operator, typed), [], typed);
    }
    const { out } = await runCommand(s.service, 'users', 'find', `中${han}`, '--json');
    assert.deepEqual(JSON.parse(out).found, [{ what: 'Player', name: `田中${han}花子`, id: hanako.userId }]);
  });

  test('finds a guest by the name that they and the console see, and by its second word', async (t) => {
    const s = await startTestService(t);
    const operator = await createOperator(s);
    const game = await s.createApp({ name: 'Quest of Dragons' });
    const { userId, accessToken } = await s.createGuest(game);
    const { displayName } = (await call(s.app, 'GET /v1/me', { token: accessToken })).json<{ displayName: string }>();
    assert.match((await operator.get(`/operator/users/${userId}`)).body, new RegExp(`<h1>${displayName}</h1>`));
    const code = displayName.replace('Guest ', '');
    for (const typed of [displayName, displayName.toLowerCase(), code, 'guest']) {
      assert.deepEqual(await find(operator, typed), [userId], typed);
    }
    // The operator's address may have these two letters, too.
    assert.ok((await find(operator, code.slice(0, 2))).includes(userId));
    const { out } = await runCommand(s.service, 'users', 'find', displayName, '--json');
    assert.deepEqual(JSON.parse(out).found, [{ what: 'Guest', name: displayName, id: userId }]);
    const app = await operator.post('/operator/search/people', { q: 'of dragons' });
    assert.equal(app.headers.location, `/operator/apps/${game.id}`, 'an app by a part of its name');
  });

  test('finds what few have among many, and the newest of what many have', async (t) => {
    const s = await startTestService(t);
    const operator = await createOperator(s);
    const many: string[] = [];
    for (let i = 0; i < 22; i++) many.push((await createPerson(s, { displayName: `Ada Byron ${i}` })).userId);
    const oldest = await createPerson(s, { displayName: 'Grace Hopper' });
    for (const id of [oldest.userId, ...many.slice(0, 5)])
      await changeUsers(s.service.db, { id }, { becameFullAt: new Date(0) });
    assert.deepEqual(await find(operator, 'hopp'), [oldest.userId]);
    const found = await find(operator, 'byron');
    assert.deepEqual(found.slice(0, 17), many.slice(5).reverse());
    assert.equal(found.length, 20);
  });
});

describe('the list of players', () => {
  /** All pages of an order. */
  async function listed(operator: Developer, by: string): Promise<(string | undefined)[]> {
    const ids: (string | undefined)[] = [];
    for (let path: string | undefined = `/operator/users?by=${by}`; path !== undefined; ) {
      const { statusCode, body } = await operator.get(path);
      assert.equal(statusCode, 200, path);
      ids.push(...playersIn(body));
      path = /href="([^"]+)" rel="next"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    return ids;
  }

  test('has everybody once in each order, page by page, and nobody who has closed their account', async (t) => {
    const s = await startTestService(t);
    const operator = await createOperator(s);
    const game = await s.createApp();
    const guests = await makeGuests(s.service.db, game.id, 60);
    const newest = guests.map(({ id }) => id).reverse();
    assert.deepEqual(await listed(operator, 'newest'), [operator.userId, ...newest]);

    const rich = await createPerson(s);
    const [first, second] = [await s.createGuest(game), await s.createGuest(game)];
    await s.issue(first.userId, 5);
    await s.issue(rich.userId, 100);
    await s.issue(second.userId, 20);
    assert.deepEqual(await listed(operator, 'largest'), [rich.userId, second.userId, first.userId]);

    const leaving = await createPerson(s);
    for (const { accessToken } of [first, second]) await call(s.app, 'GET /v1/me', { token: accessToken });
    await s.app.inject({ url: '/account', headers: { cookie: leaving.cookie } });
    await writeSeen(s.service);
    const seen = [operator.userId, first.userId, second.userId, leaving.userId];
    assert.deepEqual(await listed(operator, 'seen'), seen.sort().reverse());
    const today = new Date().toISOString().slice(0, 10);
    assert.match(
      (await operator.get(`/operator/users/${first.userId}`)).body,
      new RegExp(`Last seen</dt><dd>${today}`),
    );

    const user = await findUser(s.service.db, leaving.userId);
    await closeAccount(s.service, user!, leaving.session);
    await writeSeen(s.service);
    assert.equal((await seenDaysOf(s.service.db, [leaving.userId])).size, 0, 'nothing personal stays');
    for (const by of ['newest', 'seen']) assert.ok(!(await listed(operator, by)).includes(leaving.userId), by);
    const { body } = await operator.get('/operator/users?by=nonsense&after=%00');
    assert.equal(playersIn(body).length, 50, 'unknown values count as missing');
  });

  test('asks an operator who signed in long ago, because it shows many names', async (t) => {
    const s = await sharedService(t);
    const late = await createOperator(s, { minutesAgo: 20 });
    assert.match(`${(await late.get('/operator/users')).headers.location}`, /^\/sign-in\?again=true/);
  });

  test('noting players waits for nobody who pays at that moment, and keeps nobody waiting', async (t) => {
    const s = await sharedService(t);
    const { db } = s.service;
    const [paying, other] = [await createPerson(s), await createPerson(s)].map(({ userId }) => userId);
    const ids = [paying!, other!];
    await db.transaction(async (tx) => {
      await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [paying]);
      assert.deepEqual(await db.transaction((another) => storeSeen(another, ids)), [paying]);
    });
    assert.deepEqual([...(await seenDaysOf(db, ids)).keys()], [other]);
    assert.deepEqual(await db.transaction((tx) => storeSeen(tx, ids)), []);
    assert.equal((await seenDaysOf(db, ids)).size, 2);
  });

  test('a player is noted once a day', () => {
    const players = openSeenPlayers();
    const [ada, bob] = [newUserId(), newUserId()];
    const day = 86_400_000;
    players.note(ada, day);
    players.note(ada, day + 1);
    players.note(bob, day + 2);
    assert.deepEqual(players.take(), [ada, bob]);
    players.note(ada, 2 * day - 1);
    assert.deepEqual(players.take(), []);
    players.note(ada, 2 * day);
    const taken = players.take();
    assert.deepEqual(taken, [ada]);
    players.putBack(taken);
    assert.deepEqual(players.take(), [ada]);
  });
});

describe('the list of payments', () => {
  /** The payments that a page of the list shows. */
  async function paymentsIn(operator: Developer, query: string): Promise<(string | undefined)[]> {
    const { statusCode, body } = await operator.get(`/operator/payments?${query}`);
    assert.equal(statusCode, 200, query);
    const places = /<td data-label="Time"><div><a href="\/operator\/(?:payments|transfers)\/([^"]+)"/g;
    return [...body.matchAll(places)].map(([, id]) => id);
  }

  /** A game that a player has paid 40 and 250 with a reward of 30, and that has paid 40. */
  async function openWorld(s: TestService) {
    const game = await s.createApp();
    const player = await createPerson(s);
    await s.issue(player.userId, 500);
    await s.issue(game.address, 100);
    const shield = await askFor(s, game, player, 40, 'A golden Shield');
    await approve(s, shield);
    await s.settled();
    await grantReward(s.service, { user: player.userId, amount: asQuarters(30) });
    const dragon = await askFor(s, game, player, 250, '青い竜, 100%');
    await approve(s, dragon);
    await s.settled();
    const payout = await pay(s, game, player, 40);
    await s.settled();
    const declined = await askFor(s, game, player, 40, 'A golden hat');
    await move(s, declined.id, 'decline');
    return { game, player, shield, dragon, payout, declined };
  }

  test('finds a payment by its amount, its description and its day, whichever app it is of', async (t) => {
    const s = await startTestService(t);
    const operator = await createOperator(s);
    const { shield, dragon, payout, player, game } = await openWorld(s);
    assert.equal((await paymentsIn(operator, '')).length, 5, 'with what the operator issued');
    const paid = (await paymentsIn(operator, 'amount=40'))[0];
    assert.equal(paid, payout.requestId);
    assert.deepEqual(await paymentsIn(operator, 'amount=40'), [paid, shield.id]);
    assert.deepEqual(await paymentsIn(operator, 'amount=40&q=golden+shield'), [shield.id]);
    assert.deepEqual(await paymentsIn(operator, 'amount=250'), [dragon.id], 'a payment that a reward pays in part');
    assert.deepEqual(await paymentsIn(operator, `q=${encodeURIComponent('竜')}`), [dragon.id]);
    assert.deepEqual(await paymentsIn(operator, 'q=100%25'), [dragon.id], 'no wildcard');
    assert.deepEqual(await paymentsIn(operator, 'q=g_lden'), [], 'no wildcard');
    assert.deepEqual(await paymentsIn(operator, 'amount=41'), []);
    const today = new Date().toISOString().slice(0, 10);
    assert.deepEqual(await paymentsIn(operator, `amount=250&from=${today}`), [dragon.id]);
    assert.deepEqual(await paymentsIn(operator, 'amount=250&to=2001-01-01'), []);
    const search = await operator.get('/operator/search?q=');
    assert.match(search.body, /href="\/operator\/payments"/);
    const { body } = await operator.post('/operator/search/people', { q: '1,250' });
    assert.match(body, /href="\/operator\/payments\?amount=1250"/);

    const ofApp = await operator.get(`/operator/apps/${game.id}/payments?amount=250`);
    assert.match(ofApp.body, new RegExp(dragon.id));
    assert.doesNotMatch(ofApp.body, new RegExp(shield.id));
    for (const whose of [[], ['--app', game.id], ['--user', player.userId]]) {
      const args = ['transfers', 'list', '--amount', '250', '--text', '竜', '--json', ...whose];
      const { out } = await runCommand(s.service, ...args);
      const { transfers } = JSON.parse(out) as { transfers: { requestId: string }[] };
      assert.deepEqual(new Set(transfers.map(({ requestId }) => requestId)), new Set([dragon.id]), whose.join(' '));
    }
  });
});
