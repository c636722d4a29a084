import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import type { AppId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import type { Settings } from '../../src/config/settings.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { showApp } from '../../src/views/apps/show-app.ts';
import { quartersHint } from '../../src/wings/developers-console/pages/quarters-hint.ts';
import { addMember, createDeveloper, errorBeside, registerApp } from '../kit/service/developer.ts';
import { enableAutoApproval } from '../kit/service/operator-acts.ts';
import { sendForm } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

test('an app without quarters says who gives them, and how', async () => {
  const hint = async (supportUrl: string | undefined, balance = asQuarters(0)) =>
    String(await quartersHint({ settings: { supportUrl } as Settings }, { id: 'x' as AppId }, balance));
  assert.match(
    await hint('https://help.example/?a&b'),
    /<a href="https:\/\/help.example\/\?a&amp;b" rel="noreferrer">Ask/,
  );
  assert.match(await hint(undefined), /issues them\. Ask the operator to run:[\s\S]*npx quarters issue x 1000</);
  assert.equal(await hint(undefined, asQuarters(1)), 'false');
});

/** What a page shows to copy, in its order, as text. */
function commandsOn(body: string): string[] {
  const signs = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return [...body.matchAll(/<pre [^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code = '']) =>
    Object.entries(signs).reduce((text, [entity, sign]) => text.replaceAll(entity, sign), code),
  );
}

test('the commands of the overview and the tour, run as printed, lead a new app to its first payment', async (t) => {
  const s = await sharedService(t, { development: true });
  const developer = await createDeveloper(s);
  for (const page of ['overview', 'tour']) {
    const { id, serverKey, answer } = await registerApp(developer);
    await s.settled();
    const address = /0x[0-9a-fA-F]{40}/.exec(answer.body)![0];
    const overview = async () => (await developer.get(`/developer/apps/${id}`)).body;
    const [name, ...steps] = commandsOn(page === 'overview' ? await overview() : (await s.app.inject('/tour')).body);
    const own = name!.replace('qk_…', serverKey).replace('APP=…', `APP=${id}`).replace('0x…', address);
    const outcome = steps.pop()!;

    const shell = spawn('bash', { env: { PATH: process.env.PATH }, stdio: ['pipe', 'pipe', 'inherit'] });
    atEnd(t, () => shell.kill());
    let printed = '';
    shell.stdout.on('data', (text) => {
      printed += text;
    });
    shell.stdin.write(`${[own, ...steps].join('\n')}\n`);
    const shown = () => /^http\S+\/requests\/\S+$/m.exec(printed)?.[0];
    await until(
      'the address of the page is printed',
      () => shown() !== undefined,
      () => printed,
    );
    assert.match(await overview(), /Your first payment/, 'the steps stay until they are done');
    const { pathname, search } = new URL(shown()!);
    const approval = await s.app.inject(pathname + search);
    assert.match(approval.body, /A shield/);
    await s.settled();
    const token = /name="page_token" value="([^"]+)"/.exec(approval.body)![1]!;
    const requestId = pathname.split('/').at(-1)!;
    await sendForm(s, requestId, { page_token: token, decision: 'approve' });
    shell.stdin.end(`${outcome}\n`);
    await once(shell, 'close');
    assert.match(printed, new RegExp(`"id":"${requestId}".*"status":"(approved|submitted|completed)"`), page);
    await s.settled();
    assert.doesNotMatch(await overview(), /Your first payment/);
  }
});

test('in development mode a button gives more test quarters, once for each form, and nowhere else', async (t) => {
  const s = await sharedService(t, { development: true });
  const developer = await createDeveloper(s);
  const viewer = await createDeveloper(s);
  const { id } = await registerApp(developer);
  await addMember(s, id, viewer, 'viewer');
  const path = `/developer/apps/${id}`;
  const { body } = await developer.get(path);
  const form = { form: /name="form" value="([^"]+)"/.exec(body)![1]! };
  assert.match(body, /<button class="secondary">More test quarters<\/button>/);
  for (let i = 0; i < 2; i++) {
    const answer = await developer.post(`${path}/test-quarters`, form);
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, `${path}?given=true`]);
  }
  await s.settled();
  const { balance } = await showApp(s.service, OPERATOR, id);
  assert.equal(balance, 20_000n);
  assert.match((await developer.get(`${path}?given=true`)).body, /10,000 quarters are on their way/);
  assert.doesNotMatch((await viewer.get(path)).body, /More test quarters/);
  assert.equal((await viewer.post(`${path}/test-quarters`, form)).statusCode, 403);
  assert.equal((await developer.post(`${path}/test-quarters`, { form: 'x' })).statusCode, 400);

  const earnest = await sharedService(t);
  const other = await createDeveloper(earnest);
  const { id: its } = await registerApp(other);
  assert.doesNotMatch((await other.get(`/developer/apps/${its}`)).body, /More test quarters/);
  assert.equal((await other.post(`/developer/apps/${its}/test-quarters`, form)).statusCode, 404);
});

test('a developer registers and changes apps', async (t) => {
  const service = await sharedService(t);
  const developer = await createDeveloper(service);
  const stranger = await createDeveloper(service);

  await t.test('a signed-out developer is sent to sign in and back', async () => {
    for (const path of ['/developer', '/developer/webhooks', '/developer/apps/new', '/developer/apps/x']) {
      const answer = await service.app.inject(path);
      assert.equal(answer.statusCode, 303);
      assert.equal(answer.headers.location, `/sign-in?${new URLSearchParams({ return_to: path })}`);
    }
  });

  await t.test('a new app’s secrets are shown once, with an example call', async () => {
    const { id, serverKey, clientSecret, answer } = await registerApp(developer, {
      redirect_uris: ' https://Game.example:443/back \r\n\r\nCom.Example.game://back\r\nhttps://game.example/back',
      frame_ancestors: 'HTTPS://GAME.example',
      result_origins: 'App:',
      top_up_url: ' HTTPS://Game.example/shop?Tab=1 ',
    });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.match(
      answer.body,
      new RegExp(`export QUARTERS_SERVER_KEY=${serverKey}\ncurl -X POST ${service.origin}/v1/new-guest `),
    );
    assert.match(answer.body, new RegExp(`client_secret=${clientSecret}`));
    assert.match(answer.body, new RegExp(`npx quarters issue ${id} 1000<`));

    const list = (await developer.get('/developer')).body;
    const keys = (await developer.get(`/developer/apps/${id}/keys`)).body;
    const page = (await developer.get(`/developer/apps/${id}/settings`)).body;
    for (const body of [list, keys, page, (await developer.get(`/developer/apps/${id}`)).body]) {
      assert.match(body, new RegExp(id));
      assert.match(body, /Space Race/);
      assert.ok(!body.includes(serverKey) && !body.includes(clientSecret));
    }
    assert.match(keys, /0x[0-9a-fA-F]{40}/);
    assert.match(page, />https:\/\/game\.example\/back\ncom\.example\.game:\/\/back<\/textarea>/);
    assert.match(page, />https:\/\/game\.example<\/textarea>/);
    assert.match(page, />app:<\/textarea>/);
    assert.match(page, /value="https:\/\/game\.example\/shop\?Tab=1"/);

    const made = await service.app.inject({
      method: 'POST',
      url: '/v1/new-guest',
      headers: { authorization: `Bearer ${serverKey}` },
    });
    assert.equal(made.statusCode, 201);
  });

  await t.test('a link of the documentation leads to the section of the only app', async () => {
    const newcomer = await createDeveloper(service);
    const leadsTo = async () => (await newcomer.get('/developer/keys')).headers.location;
    assert.equal(await leadsTo(), '/developer');
    const { id } = await registerApp(newcomer);
    assert.equal(await leadsTo(), `/developer/apps/${id}/keys`);
    await registerApp(newcomer);
    assert.equal(await leadsTo(), '/developer');
  });

  await t.test('a public client gets no secret', async () => {
    const { id, serverKey, clientSecret } = await registerApp(developer, { public_client: 'on' });
    assert.ok(serverKey !== '' && clientSecret === '');
    assert.match((await developer.get(`/developer/apps/${id}/keys`)).body, /None: this app is a public client/);
    assert.equal((await developer.post(`/developer/apps/${id}/keys`, { kind: 'client' })).statusCode, 400);
  });

  await t.test('invalid app details are refused beside their fields, and the input is kept', async () => {
    const { id } = await registerApp(developer, { redirect_uris: 'https://game.example/' });
    const cases: [field: string, value: string, because: RegExp][] = [
      ['name', '', /1 to 80/],
      ['name', 'x'.repeat(81), /1 to 80/],
      ['name', 'Game\r\nBcc: all@mail.example', /one line/],
      ['redirect_uris', 'javascript:alert(1)', /“javascript:alert\(1\)” must use https/],
      ['redirect_uris', 'data:text/html,x', /must use https/],
      ['redirect_uris', 'http://game.example/', /plain http is for loopback only/],
      ['redirect_uris', 'https://game.example/\r\nSet-Cookie: a=b', /“Set-Cookie: a=b” is not an address/],
      ['redirect_uris', 'https://game.example/#x', /fragment/],
      ['redirect_uris', 'https://game.example/a/../b', /as a part of its path/],
      ['redirect_uris', 'https://me:pw@game.example/', /user name/],
      ['redirect_uris', Array.from({ length: 21 }, (_, i) => `https://game.example/${i}`).join('\n'), /more than 20/],
      ['frame_ancestors', '*', /is not an origin/],
      ['frame_ancestors', 'https://*.example', /is not an origin/],
      ['frame_ancestors', "https://game.example; script-src 'unsafe-inline'", /is not an origin/],
      ['frame_ancestors', 'https://game.example/path', /is not an origin/],
      ['frame_ancestors', 'file:', /is not an origin/],
      ['result_origins', 'null', /is not an origin/],
      ['result_origins', '*', /is not an origin/],
      ['result_origins', 'javascript:', /is not an origin/],
      ['top_up_url', 'javascript:alert(1)', /^This must use https/],
      ['top_up_url', 'com.example.game://shop', /^This must use https\.$/],
      ['top_up_url', 'http://game.example/', /plain http is for loopback only/],
      ['top_up_url', `https://game.example/${'x'.repeat(1980)}`, /longer than 2000 characters/],
    ];
    for (const path of [`/developer/apps/${id}/settings`, '/developer/apps/new']) {
      for (const [field, value, because] of cases) {
        const answer = await developer.post(path, { name: 'Kept name', [field]: value });
        assert.equal(answer.statusCode, 400, `${field} ${value}`);
        assert.match(errorBeside(answer.body, field) ?? '', because);
        assert.match(answer.body, new RegExp(`id="${field}"[^>]* aria-invalid="true"`));
        if (field !== 'name') assert.match(answer.body, /value="Kept name"/);
        assert.doesNotMatch(answer.headers['content-security-policy'] as string, /unsafe-inline|\*/);
      }
    }
    const page = (await developer.get(`/developer/apps/${id}/settings`)).body;
    assert.match(page, /value="Space Race"/);
    assert.match(page, />https:\/\/game\.example\/<\/textarea>/);
  });

  await t.test('markup in an app name is shown as text', async () => {
    const name = `"><script>alert(1)</script>'`;
    const { id, answer } = await registerApp(developer, { name });
    const pages = ['/developer', `/developer/apps/${id}`, `/developer/apps/${id}/settings`];
    for (const { body } of [answer, ...(await Promise.all(pages.map(developer.get)))]) {
      assert.doesNotMatch(body, /<script>/);
      assert.match(body, /&lt;script&gt;/);
    }
  });

  await t.test('a changed app is saved and confirmed', async () => {
    const { id } = await registerApp(developer, { redirect_uris: 'https://game.example/' });
    const answer = await developer.post(`/developer/apps/${id}/settings`, { name: 'Renamed' });
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, `/developer/apps/${id}/settings?saved=true`]);
    const { body } = await developer.get(answer.headers.location as string);
    assert.match(body, /role="status">Saved\./);
    assert.match(body, /value="Renamed"/);
    assert.match(body, /<bdi>Renamed<\/bdi>/);
    assert.doesNotMatch(body, /https:\/\/game\.example\/</);
  });

  await t.test('auto approval can be requested, and its state is shown', async () => {
    const { id } = await registerApp(developer);
    const path = `/developer/apps/${id}/settings`;
    const state = async () =>
      /<strong>(not enabled|requested it|enabled)<\/strong>/.exec((await developer.get(path)).body)?.[1];
    assert.equal(await state(), 'not enabled');
    for (const _ of [1, 2]) {
      const answer = await developer.post(`${path}/auto-approval`);
      assert.deepEqual([answer.statusCode, answer.headers.location], [303, path]);
    }
    assert.equal(await state(), 'requested it');
    await enableAutoApproval(service.service, id as AppId);
    assert.equal(await state(), 'enabled');
  });

  await t.test("another developer's app answers 404", async () => {
    const { id } = await registerApp(developer);
    const [key] = await service.service.db.query<{ id: string }>(
      "SELECT encode(substring(hash FOR 8), 'hex') AS id FROM app_keys WHERE app_id = $1 AND kind = 'server'",
      [id],
    );
    for (const app of [id, 'x'.repeat(20), 'x', '%00', '..%2f..', 'a'.repeat(3000)]) {
      assert.equal((await stranger.get(`/developer/apps/${app}`)).statusCode, 404);
      for (const path of ['/settings', '/settings/auto-approval', '/keys', '/keys/rotate', '/keys/revoke']) {
        const form = { name: 'Mine now', key: key!.id, kind: 'server' };
        const answer = await stranger.post(`/developer/apps/${app}${path}`, form);
        assert.equal(answer.statusCode, 404, path);
        assert.doesNotMatch(answer.body, /q[ks]_|Space Race/);
      }
    }
    assert.match((await developer.get(`/developer/apps/${id}`)).body, /<bdi>Space Race<\/bdi>/);
    assert.doesNotMatch((await stranger.get('/developer')).body, new RegExp(id));
  });

  await t.test('a twenty-first app is refused', async () => {
    const busy = await createDeveloper(service);
    for (let i = 0; i < 20; i++) assert.equal((await registerApp(busy)).answer.statusCode, 200);
    const { answer } = await registerApp(busy);
    assert.equal(answer.statusCode, 409);
    assert.match(answer.body, /role="alert">You already have 20 apps\./);
  });

  await t.test('other HTTP methods are refused on developer pages', async () => {
    for (const path of [
      '/developer',
      '/developer/apps/new',
      '/developer/apps/x',
      '/developer/apps/x/settings/auto-approval',
    ]) {
      const answer = await service.app.inject({ method: 'DELETE', url: path });
      assert.equal(answer.statusCode, 405);
      assert.match(answer.headers.allow as string, /GET|POST/);
    }
  });
});
