import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueKey } from '../../src/features/keys/keys.ts';
import { countChange } from '../../src/service/count-change.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { recordFailures } from '../../src/webhooks/webhook-endpoints.ts';
import { assertInvalid, assertProblem, call } from '../kit/service/call.ts';
import { createDeveloper, errorBeside, registerApp } from '../kit/service/developer.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService } from '../kit/service/service.ts';
import { addHook, cancelled } from '../kit/service/webhooks.ts';

const URL_1 = 'https://game.invalid/hook';
const SECRET = /whsec_[A-Za-z0-9+/]{43}=/;

test('managing webhook endpoints', async (t) => {
  const s = await startTestService(t);
  const { db } = s.service;
  const hooksOf = (appId: string) =>
    db.query<{ id: string; url: string; types: string[] | null; disabled_reason: string | null; rotated: boolean }>(
      `SELECT id, url, types, disabled_reason, previous_until IS NOT NULL AS rotated FROM webhook_endpoints
        WHERE app_id = $1 ORDER BY id`,
      [appId],
    );
  const newGame = async () => {
    const app = await s.createApp();
    const token = await issueKey(s.service, OPERATOR, app.id, {
      kind: 'server',
      scopes: ['webhooks'],
      payPerDay: null,
    });
    return { app, token };
  };

  await t.test('an app’s server manages its endpoints', async () => {
    const { app, token } = await newGame();
    const add = (body: object) => call(s.app, 'POST /v1/webhook-endpoints', { token, body });
    const added = await add({ url: URL_1, types: ['request.completed'] });
    assert.equal(added.statusCode, 201);
    const { secret, ...endpoint } = added.json();
    assert.match(secret, SECRET);
    assert.equal(added.headers.location, `/v1/webhook-endpoints/${endpoint.id}`);
    const { id, created } = endpoint;
    const facts = { url: URL_1, types: ['request.completed'], enabled: true, disabledReason: null, failingSince: null };
    assert.deepEqual(endpoint, { id, ...facts, created });
    const path = `/v1/webhook-endpoints/${id}`;
    assert.deepEqual((await call(s.app, `GET ${path}`, { token })).json(), endpoint);
    assert.deepEqual((await call(s.app, 'GET /v1/webhook-endpoints', { token })).json(), {
      data: [endpoint],
      next: null,
    });
    // Nobody can read the secret again, not even in the database.
    const stored = await db.query<{ row: string }>('SELECT webhook_endpoints::text AS row FROM webhook_endpoints');
    assert.ok(!JSON.stringify(stored).includes(Buffer.from(secret).toString('hex')));

    const changed = await call(s.app, `POST ${path}`, { token, body: { types: null, enabled: false } });
    assert.deepEqual(changed.json(), { ...endpoint, types: null, enabled: false, disabledReason: 'owner' });
    const rotated = (await call(s.app, `POST ${path}/rotate-secret`, { token })).json();
    assert.match(rotated.secret, SECRET);
    assert.notEqual(rotated.secret, secret);
    assert.ok(Math.abs(Date.parse(rotated.previousUntil.iso) - Date.now() - 86_400_000) < 60_000);

    for (const url of [
      'http://game.invalid/',
      'https://127.0.0.1/',
      'https://10.0.0.1/',
      'https://a:b@game.invalid/',
      'x',
    ]) {
      assertInvalid(await add({ url }), '/url');
      assertInvalid(await call(s.app, `POST ${path}`, { token, body: { url } }), '/url');
    }
    // A developer who tries their own machine is told how.
    for (const url of ['http://localhost:3000/hook', 'localhost:3000', 'https://localhost:3000', 'http://127.0.0.1/']) {
      const refused = await add({ url });
      assertInvalid(refused, '/url');
      const way = `. To receive events on your own machine, run: npx quarters listen --app ${app.id} --forward localhost:3000/hook.`;
      assert.ok(refused.json().message.endsWith(way), refused.json().message);
    }
    assert.equal((await add({ url: 'http://game.invalid' })).json().message, 'url must begin with https://.');
    for (const [types, pointer, sentence] of [
      [['request.imagined'], '/types/0', /^types\[0\] must be one of request\.approved, .*\.$/],
      ['request.completed', '/types', /^types must be a list of event types; null for all, including future ones\.$/],
    ] as const) {
      const refused = await add({ url: URL_1, types });
      assertInvalid(refused, pointer);
      assert.match(refused.json().message, sentence);
    }

    const other = await newGame();
    for (const what of [`GET ${path}`, `POST ${path}`, `DELETE ${path}`, `POST ${path}/rotate-secret`]) {
      const body = what.startsWith('POST') ? { body: {} } : {};
      assertProblem(await call(s.app, what, { token: other.token, ...body }), 404, 'not-found');
      assertProblem(await call(s.app, what.replace(id, 'x'), { token, ...body }), 404, 'not-found');
    }
    assert.equal((await call(s.app, `DELETE ${path}`, { token })).json().id, id);
    assert.deepEqual(await hooksOf(app.id), []);
  });

  await t.test('an app has at most five endpoints, even with concurrent calls', async () => {
    const { app, token } = await newGame();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call(s.app, 'POST /v1/webhook-endpoints', { token, body: { url: URL_1 } })),
    );
    assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 5);
    for (const answer of answers) if (answer.statusCode !== 201) assertProblem(answer, 409, 'limit-reached');
    assert.equal((await hooksOf(app.id)).length, 5);
  });

  await t.test('an app’s server changes its endpoints 1,000 times an hour, and no more', async () => {
    const { app, token } = await newGame();
    await db.transaction(async (tx) => {
      for (let i = 0; i < 1000; i++) await countChange(tx, app.id, 'rate-limited');
    });
    const answer = await call(s.app, 'POST /v1/webhook-endpoints', { token, body: { url: URL_1 } });
    assertProblem(answer, 429, 'rate-limited');
    assert.deepEqual(await hooksOf(app.id), []);
  });

  await t.test('an event is sent again to the endpoints that receive its type', async () => {
    const { app, token } = await newGame();
    await cancelled(s, app, await s.createGuest(app));
    const [event] = await db.query<{ id: string }>('SELECT id FROM events WHERE app_id = $1', [app.id]);
    const [all, fits, other] = [
      await addHook(s, app.id, URL_1),
      await addHook(s, app.id, URL_1, ['request.cancelled']),
      await addHook(s, app.id, URL_1, ['request.failed']),
    ];
    const again = (body?: object, key = token, id = event!.id) =>
      call(s.app, `POST /v1/events/${id}/redeliver`, { token: key, ...(body && { body }) });
    assert.deepEqual((await again()).json(), { id: event!.id, endpoints: [all.id, fits.id] });
    assert.deepEqual((await again({ endpoint: other.id })).json(), { id: event!.id, endpoints: [other.id] });
    const stranger = await newGame();
    assertProblem(await again(undefined, stranger.token), 404, 'not-found');
    assertProblem(await again(undefined, token, 'x'), 404, 'not-found');
    assertProblem(await again({ endpoint: (await addHook(s, stranger.app.id, URL_1)).id }), 404, 'not-found');
  });

  await t.test('endpoints are managed on the developer pages', async () => {
    const developer = await createDeveloper(s);
    const { id } = await registerApp(developer);
    const path = `/developer/apps/${id}/webhooks`;
    // Without an endpoint, the page says how to receive events without one.
    assert.ok(
      (await developer.get(path)).body.includes(`npx quarters listen --app ${id} --forward localhost:3000/hook`),
    );
    const added = await developer.post(path, { url: URL_1, 'request.failed': 'on' });
    const secret = SECRET.exec(added.body)?.[0];
    assert.ok(secret);
    const [hook] = await hooksOf(id);
    assert.deepEqual([hook!.url, hook!.types], [URL_1, ['request.failed']]);
    const own = `${path}/${hook!.id}`;
    assert.ok((await developer.get(path)).body.includes(`href="${own}"`));
    assert.ok(!(await developer.get(own)).body.includes(secret));

    const refused = await developer.post(path, { url: 'http://localhost:3000' });
    assert.equal(refused.statusCode, 400);
    const way = `The URL must begin with https://. To receive events on your own machine, run: npx quarters listen --app ${id} `;
    assert.ok(errorBeside(refused.body, 'url')?.startsWith(way));
    const changed = await developer.post(`${own}/change`, { url: `${URL_1}2` });
    assert.equal(changed.headers.location, `${own}?done=change`);
    await developer.post(`${own}/disable`);
    const [now] = await hooksOf(id);
    assert.deepEqual([now!.url, now!.types, now!.disabled_reason], [`${URL_1}2`, null, 'owner']);
    await developer.post(`${own}/enable`);
    assert.match((await developer.post(`${own}/rotate`)).body, SECRET);
    const [rotated] = await hooksOf(id);
    assert.deepEqual([rotated!.disabled_reason, rotated!.rotated], [null, true]);
    for (const done of ['constructor', '__proto__', 'x', 'rotate']) {
      assert.doesNotMatch((await developer.get(`${own}?done=${done}`)).body, /class="notice"/, done);
    }

    const stranger = await createDeveloper(s);
    const forms = { url: URL_1 };
    assert.equal((await stranger.get(own)).statusCode, 404);
    assert.equal((await developer.get(`${path}/x`)).statusCode, 404);
    for (const target of [
      path,
      ...['change', 'rotate', 'enable', 'disable', 'remove'].map((verb) => `${own}/${verb}`),
    ]) {
      assert.equal((await stranger.post(target, forms)).statusCode, 404, target);
      assert.equal((await developer.post(target, { ...forms, csrf: '' })).statusCode, 403, target);
      const stale = await (await createDeveloper(s, { minutesAgo: 60 })).post(target, forms);
      assert.match(String(stale.headers.location), /^\/sign-in\?again=true/);
    }
    assert.equal((await developer.post(`${own}/remove`)).headers.location, `${path}?done=remove`);
    assert.deepEqual(await hooksOf(id), []);
  });

  await t.test('endpoints are managed on the command line', async () => {
    const app = await s.createApp();
    const run = (...args: string[]) => runCommand(s.service, 'webhooks', ...args);
    assert.match((await run('list', app.id)).out, /no webhook endpoints/);
    const added = JSON.parse((await run('add', app.id, URL_1, '--type', 'request.failed', '--json')).out);
    assert.match(added.secret, SECRET);
    assert.match((await run('list', app.id)).out, new RegExp(`${added.id} +${URL_1} +enabled +request.failed`));
    await recordFailures(db, [added.id], [added.id]);
    assert.match((await run('list', app.id)).out, /disabled \(gone\)/);
    assert.match((await run('enable', app.id, added.id)).out, /^Enabled http/);
    await cancelled(s, app, await s.createGuest(app));
    const [event] = await db.query<{ id: string }>('SELECT id FROM events WHERE app_id = $1', [app.id]);
    assert.match((await run('redeliver', app.id, event!.id)).out, /for 0 endpoints/);
    assert.match((await run('redeliver', app.id, event!.id, '--endpoint', added.id)).out, /for 1 endpoint\./);
    assert.match((await run('remove', app.id, added.id)).out, /^Removed http/);
    for (const args of [
      ['list', 'nobody'],
      ['add', app.id, 'http://x'],
      ['remove', app.id, added.id],
      ['add', app.id, URL_1, '--type', 'x'],
    ]) {
      assert.notEqual((await run(...args)).code, 0, args.join(' '));
    }
    const NOTHING = 'x'.repeat(20);
    for (const args of [
      ['add', NOTHING, URL_1],
      ['remove', NOTHING, added.id],
      ['enable', NOTHING, added.id],
      ['redeliver', NOTHING, event!.id],
    ]) {
      assert.match((await run(...args)).err, /There is no app "x{20}"/, args.join(' '));
    }
  });
});
