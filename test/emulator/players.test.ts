import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshEmulator, newGame, type Player, taken } from './kit.ts';

const OUTSIDE = `0x${'ab'.repeat(20)}`;

test('a new guest has tokens that work and quarters that can be spent at once', async () => {
  const emulator = await freshEmulator();
  const game = await newGame(emulator);
  const guest = await game.newPlayer({ quarters: 321 });
  assert.deepEqual([guest.kind, guest.refreshToken, guest.email], ['guest', null, null]);
  assert.equal(await game.quarters(guest), 321);
  const request = await game.ask(guest, 321);
  const page = await fetch(
    `${emulator.url}/requests/${request}?${new URLSearchParams({ firebase_token: guest.pageToken! })}`,
  );
  assert.equal(page.status, 200);
  const { outcome, txId } = await game.act(guest, 'approve', { request });
  assert.equal(outcome, 'approved');
  assert.match(txId, /^0x[0-9a-f]{64}$/);
  await emulator.call('POST', '/settle');
  assert.deepEqual([await game.status(request), await game.quarters(guest)], ['completed', 0]);
});

test('a new full user has agreed to the app, and their tokens are those of a code that the app has redeemed', async () => {
  const emulator = await freshEmulator();
  for (const publicClient of [false, true]) {
    const game = await newGame(emulator, { publicClient });
    const given = { guest: false, email: `ada-${publicClient}@game.example`, displayName: 'Ada' };
    const ada = await game.newPlayer(given);
    const me = taken(await emulator.api(ada.accessToken, 'GET', '/me'));
    assert.deepEqual([me.userId, me.email, me.displayName], [ada.id, given.email, 'Ada']);
    assert.equal(await game.quarters(ada), 500);
    // A server may ask those who agreed.
    const request = await game.ask(ada, 5);
    assert.equal((await game.act(ada, 'approve', { request })).outcome, 'approved');
    const again = await emulator.refused('POST', '/players', { app: game.id, ...given });
    assert.deepEqual([again.status, again.code], [409, 'refused']);
    assert.match(again.message, /somebody's already/);
  }
});

test('a full user of the emulator signs in on the pages with the password that it says', async () => {
  const emulator = await freshEmulator();
  const { newPlayer } = await newGame(emulator);
  const { email, password } = await newPlayer({ guest: false });
  const form = await fetch(`${emulator.url}/sign-in`);
  assert.equal(form.status, 200);
  const answer = await fetch(`${emulator.url}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: emulator.url },
    body: new URLSearchParams({ email: email!, password: password! }),
  });
  assert.equal(answer.status, 303, await answer.text());
});

test('a decision is the only one, and refusals of the page come out as the problems that they are', async () => {
  const emulator = await freshEmulator();
  const game = await newGame(emulator);
  const [guest, other] = [await game.newPlayer(), await game.newPlayer({ guest: false, quarters: 10 })];
  const request = await game.ask(guest, 100);
  const approve = (player: Pick<Player, 'id'>, id: string) =>
    emulator.refused('POST', `/players/${player.id}/approve`, { request: id });
  assert.equal((await approve(other, request)).code, 'not-found');
  assert.equal((await game.act(guest, 'decline', { request })).outcome, 'declined');
  assert.deepEqual([await game.status(request), await game.quarters(guest)], ['declined', 500]);
  assert.equal((await approve(guest, request)).code, 'request-decided');
  assert.equal((await approve(other, await game.ask(other, 11))).code, 'insufficient-quarters');
  assert.equal((await approve(other, 'nothing')).code, 'not-found');
  assert.equal((await approve({ id: 'nobody' }, request)).code, 'not-found');
});

test('an allowed amount pays without asking, until the player wants to be asked', async () => {
  const emulator = await freshEmulator();
  const game = await newGame(emulator, { autoApprove: true });
  const player = await game.newPlayer({ guest: false, approves: 30 });
  const take = async (quarters: number) => {
    const path = `/requests/${await game.ask(player, quarters)}/autoApprove`;
    const body = { clientId: game.id, userId: player.id, address: player.address };
    const answer = await emulator.api(player.accessToken, 'POST', path, body);
    return answer.status < 400 ? 'taken' : answer.body.code;
  };
  assert.deepEqual([await take(30), await take(1)], ['taken', 'auto-approve-limit']);
  await game.act(player, 'approve', { request: await game.ask(player, 1), limit: 50 });
  assert.deepEqual([await take(19), await take(2)], ['taken', 'auto-approve-limit']);
  await game.act(player, 'approve', { request: await game.ask(player, 1), askEveryTime: true });
  assert.equal(await take(1), 'auto-approve-not-granted');
  const plain = await newGame(emulator);
  const refused = await emulator.refused('POST', '/players', { app: plain.id, approves: 5 });
  assert.match(refused.message, /make the app with autoApprove/);
});

test('reported problems are counted as those of the page, and the request stays as it is', async () => {
  const emulator = await freshEmulator();
  const game = await newGame(emulator);
  const guest = await game.newPlayer();
  const request = await game.ask(guest, 5);
  const report = { request, reason: 'pretends', text: 'Not my game' };
  for (let reports = 0; reports < 5; reports++) await game.act(guest, 'reports-problem', report);
  // As many as a player may send at a time.
  const refused = await emulator.refused('POST', `/players/${guest.id}/reports-problem`, report);
  assert.deepEqual([refused.status, refused.code], [429, 'too-many-tries']);
  assert.equal(await game.status(request), 'pending');
});

test('a guest who signs up stays the same account, and the game hears of it', async () => {
  const emulator = await freshEmulator();
  const game = await newGame(emulator);
  const guest = await game.newPlayer();
  const signedUp = await game.act(guest, 'sign-up', { email: 'new@game.example' });
  assert.deepEqual(
    [signedUp.id, signedUp.kind, signedUp.address, signedUp.email],
    [guest.id, 'full', guest.address, 'new@game.example'],
  );
  assert.equal(await game.quarters(signedUp), 500);
  await assert.rejects(game.quarters(guest), /token-invalid/);
  const { data } = taken(await game.server('/events'));
  assert.deepEqual(
    data.map(({ type }: { type: string }) => type),
    ['guest.converted'],
  );
  assert.match((await emulator.refused('POST', `/players/${guest.id}/sign-up`)).message, /full user already/);
});

test('what a guest cannot do on the pages is refused in a sentence', async () => {
  const emulator = await freshEmulator();
  const game = await newGame(emulator);
  const guest = await game.newPlayer();
  for (const [act, body] of [['closes-account'], ['withdraws', { to: OUTSIDE, amount: 1 }]] as const) {
    const refused = await emulator.refused('POST', `/players/${guest.id}/${act}`, body);
    assert.deepEqual([refused.status, /signs up first/.test(refused.message)], [409, true]);
  }
});

test('a player withdraws to an address outside, and closes the account', async () => {
  const emulator = await freshEmulator();
  const game = await newGame(emulator);
  const player = await game.newPlayer({ guest: false });
  const { txId } = await game.act(player, 'withdraws', { to: OUTSIDE, amount: 120 });
  assert.match(txId, /^0x[0-9a-f]{64}$/);
  await game.act(player, 'withdraws', { to: OUTSIDE, amount: 80 });
  await emulator.call('POST', '/settle');
  assert.equal(await game.quarters(player), 300);
  const tooMuch = await emulator.refused('POST', `/players/${player.id}/withdraws`, { to: OUTSIDE, amount: 301 });
  assert.equal(tooMuch.code, 'invalid-input');
  await game.act(player, 'closes-account');
  await assert.rejects(game.quarters(player), /token-invalid/);
  const gone = await emulator.refused('POST', `/players/${player.id}/closes-account`);
  assert.match(gone.message, /is closed/);
});

test('a guest that the game has made itself decides like any other, and its tokens go on working', async () => {
  const emulator = await freshEmulator();
  const game = await newGame(emulator);
  const [made] = taken(await game.server('/new-guest', {}));
  const guest = { id: made.user_id, address: made.address, accessToken: made.access_token };
  await game.act(guest, 'decline', { request: await game.ask(guest, 5) });
  // After a reset the tokens that the emulator had for it are gone.
  await emulator.call('POST', '/snapshots', { name: 'guest' });
  const request = await game.ask(guest, 5);
  await game.act(guest, 'decline', { request });
  await emulator.call('POST', '/reset', { to: 'guest' });
  await game.act(guest, 'decline', { request: await game.ask(guest, 5) });
  assert.equal(await game.quarters(guest), 0);
});
