import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendForm } from '../kit/service/forms.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { startTestService } from '../kit/service/service.ts';

const BEGIN_AT_ONCE = 100;

test('a crowd behind one address waits behind others, and is refused if too many wait', async (t) => {
  const s = await startTestService(t, { env: { RATE_LIMIT_PER_ADDRESS: '0', RATE_LIMIT_PER_SECOND: '100' } });
  const game = await s.createApp();
  const call = () =>
    s.app.inject({
      url: '/v1/me',
      headers: { authorization: `Bearer ${guest.accessToken}` },
      remoteAddress: '192.0.2.1',
    });
  const guest = await s.createGuest(game);
  assert.equal((await call()).statusCode, 200);

  const order: string[] = [];
  const asked = async (who: string, answer: ReturnType<typeof call>) => {
    const { statusCode, headers } = await answer;
    if (statusCode === 503) assert.equal(headers['retry-after'], '1');
    else assert.equal(statusCode, 200);
    order.push(statusCode === 503 ? 'refused' : who);
  };
  const page = (remoteAddress: string) => s.app.inject({ url: '/sign-in', remoteAddress });
  const crowd = Array.from({ length: 1_500 }, () => asked('crowd', page('192.0.2.1')));
  const others = [asked('visitor', page('192.0.2.2')), asked('player', call())];
  const token = await s.app.inject({ method: 'POST', url: '/oauth/token', remoteAddress: '192.0.2.1' });
  await Promise.all([...crowd, ...others]);

  assert.deepEqual([token.statusCode, token.headers['retry-after']], [503, '1']);
  assert.equal(token.json().error, 'temporarily_unavailable');

  const answered = order.filter((who) => who !== 'refused');
  assert.ok(order.length - answered.length > 0);
  // Sent after all of the crowd. The call of a known caller takes no turn.
  for (const who of ['visitor', 'player'])
    assert.ok(answered.indexOf(who) < BEGIN_AT_ONCE, answered.indexOf(who).toString());
});

test('strangers who wait for the same rows leave half of the connections to payments', async (t) => {
  const s = await startTestService(t, { env: { RATE_LIMIT_PER_SECOND: '100' }, maxConnections: 6 });
  const game = await s.createApp();
  await s.issue(game.id, 100);
  const guest = await s.createGuest(game);
  const pay = () =>
    s.app.inject({
      method: 'POST',
      url: `/v1/accounts/${game.address}/transfer`,
      headers: { authorization: `Bearer ${game.serverKey}` },
      payload: { amount: 5, user: guest.userId },
    });
  // From now on the process knows the caller.
  assert.equal((await pay()).statusCode, 200);
  const strangers = Array.from({ length: 20 });
  const answers = await s.service.db.transaction(async ({ query }) => {
    await query('LOCK TABLE attempts IN EXCLUSIVE MODE');
    const waiting = strangers.map((_, i) => sendForm(s, '/forgot', { email: `${i}@example.com` }));
    await lockWaitersAre(s.service, 3);
    assert.equal((await pay()).statusCode, 200);
    return waiting;
  });
  const codes = (await Promise.all(answers)).map(({ statusCode }) => statusCode);
  // Who waits for a row for too long is told so.
  assert.ok(codes.filter((code) => code !== 503).length >= strangers.length - 3, codes.join());
  assert.deepEqual(
    [...new Set(codes)].filter((code) => ![200, 503].includes(code)),
    [],
  );
});
