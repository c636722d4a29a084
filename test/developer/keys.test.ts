import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { createDeveloper, errorBeside, registerApp, secretsIn } from '../kit/service/developer.ts';
import { signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { changeAppKeys } from '../rows/apps.ts';

test('a developer replaces keys', async (t) => {
  const service = await sharedService(t);
  const developer = await createDeveloper(service);

  const keysOf = (id: string, kind = 'server') =>
    service.service.db.query<{ id: string; ending: string; scopes: string[]; pay_per_day: bigint | null }>(
      `SELECT encode(substring(hash FOR 8), 'hex') AS id, ending, scopes, pay_per_day FROM app_keys
        WHERE app_id = $1 AND kind = $2 AND revoked_at IS NULL ORDER BY created_at`,
      [id, kind],
    );
  const works = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    // An unknown account of one's own: 404, and only with a living key.
    const answer = await service.app.inject({ url: `/v1/accounts/0x${'12'.repeat(20)}/balance`, headers });
    return answer.statusCode === 404;
  };

  await t.test('a new key works beside the old one, which works until it is revoked', async () => {
    const { id, serverKey: old } = await registerApp(developer);
    const path = `/developer/apps/${id}`;
    const [first] = await keysOf(id);
    const made = await developer.post(`${path}/keys/rotate`, { key: first!.id });
    assert.equal(made.statusCode, 200);
    const { serverKey: fresh } = secretsIn(made.body);
    assert.notEqual(fresh, old);
    assert.deepEqual([await works(old), await works(fresh)], [true, true]);

    const page = (await developer.get(`${path}/keys`)).body;
    assert.ok(!page.includes(fresh) && !page.includes(old));
    assert.ok(page.includes(`…${fresh.slice(-4)}`) && page.includes(`…${old.slice(-4)}`));

    const third = await developer.post(`${path}/keys`, { kind: 'server' });
    assert.equal(third.statusCode, 409);
    assert.match(third.body, /role="alert">The app already has two active server API keys/);
    assert.equal(secretsIn(third.body).serverKey, '');

    const revoked = await developer.post(`${path}/keys/revoke`, { key: first!.id });
    assert.deepEqual([revoked.statusCode, revoked.headers.location], [303, `${path}/keys`]);
    assert.deepEqual([await works(old), await works(fresh)], [false, true]);
    for (const key of [first!.id, '', 'x', '\0']) {
      assert.equal((await developer.post(`${path}/keys/revoke`, { key })).statusCode, 404);
      assert.equal((await developer.post(`${path}/keys/rotate`, { key })).statusCode, 404);
    }
  });

  await t.test('a replacement key has the old key’s scopes, and a new key the ticked ones', async () => {
    const { id } = await registerApp(developer);
    const path = `/developer/apps/${id}`;
    const [first] = await keysOf(id);
    await developer.post(`${path}/keys/revoke`, { key: first!.id });
    const limited = { kind: 'server', scope_pay: 'on', pay_per_day: ' 1000 ' };
    const made = await developer.post(`${path}/keys`, limited);
    // Without the scope to make guests, the call to try is another one.
    assert.match(made.body, /curl [^\n]*\/balance/);
    const [second] = await keysOf(id);
    assert.deepEqual([second!.scopes, second!.pay_per_day], [['pay'], 1000n]);
    await developer.post(`${path}/keys/rotate`, { key: second!.id });
    const [, third] = await keysOf(id);
    assert.deepEqual([third!.scopes, third!.pay_per_day], [['pay'], 1000n]);
    assert.match((await developer.get(`${path}/keys`)).body, /cancel requests \(pays up to 1,000 quarters a day\)/);
  });

  await t.test(
    'a key has a name, which its replacement keeps, and says when it was last used, to the hour',
    async () => {
      const { id, serverKey: first } = await registerApp(developer);
      const path = `/developer/apps/${id}`;
      for (const [kind, field] of [
        ['server', 'key_name'],
        ['client', 'secret_name'],
      ] as const) {
        for (const name of ['x'.repeat(61), 'a\u202eb']) {
          const refused = await developer.post(`${path}/keys`, { kind, [field]: name });
          assert.equal(refused.statusCode, 400);
          assert.match(errorBeside(refused.body, field) ?? '', /^The name must be one line of at most 60 characters/);
        }
      }

      const named = { kind: 'server', key_name: '  Game <server>\n2 ', scope_pay: 'on' };
      const { serverKey } = secretsIn((await developer.post(`${path}/keys`, named)).body);
      const { body } = await developer.get(`${path}/keys`);
      assert.match(body, /<bdi>Game &lt;server&gt; 2<\/bdi>/);
      assert.equal(body.match(/No use recorded/g)?.length, 3);

      const usedAt = async () => {
        const rows = await service.service.db.query<{ at: Date | null }>(
          'SELECT last_used_at AS at FROM app_keys WHERE hash = $1',
          [hashSecret(serverKey)],
        );
        return rows[0]!.at;
      };
      assert.equal(await works(serverKey), true);
      const once = await usedAt();
      assert.equal(await works(serverKey), true);
      assert.ok(once && (await usedAt())?.getTime() === once.getTime(), 'the second call of the hour writes nothing');
      const used = (await developer.get(`${path}/keys`)).body;
      assert.ok(used.includes(`Last used: <time datetime="${once.toISOString()}"`));
      const long = new Date(once.getTime() - 3_700_000);
      await changeAppKeys(service.service.db, { hash: hashSecret(serverKey) }, { lastUsedAt: long });
      // What has it locked, such as a payment under its daily limit, does not hold the call up.
      await service.service.db.transaction(async (tx) => {
        await tx.query('SELECT FROM app_keys WHERE hash = $1 FOR NO KEY UPDATE', [hashSecret(serverKey)]);
        assert.equal(await works(serverKey), true);
      });
      assert.equal((await usedAt())?.getTime(), long.getTime());
      assert.equal(await works(serverKey), true);
      assert.ok((await usedAt())! > once);

      const keys = await keysOf(id);
      await developer.post(`${path}/keys/revoke`, { key: keys.find(({ ending }) => first.endsWith(ending))!.id });
      await developer.post(`${path}/keys/rotate`, { key: keys.find(({ ending }) => serverKey.endsWith(ending))!.id });
      assert.equal((await developer.get(`${path}/keys`)).body.match(/<bdi>Game &lt;server&gt; 2<\/bdi>/g)?.length, 2);
    },
  );

  await t.test('a key that asks and approves has its limits, and its replacement has the same', async () => {
    const { id } = await registerApp(developer);
    const path = `/developer/apps/${id}`;
    const page = (await developer.get(`${path}/keys`)).body;
    for (const scope of ['create-requests', 'approve-requests', 'webhooks', 'guest-tokens']) {
      assert.match(page, new RegExp(`name="scope_${scope}" value="on">`), 'not ticked unless asked for');
    }
    const [first] = await keysOf(id);
    await developer.post(`${path}/keys/revoke`, { key: first!.id });
    const form = {
      kind: 'server',
      'scope_create-requests': 'on',
      'scope_approve-requests': 'on',
      approve_per_day: 'x',
    };
    const refused = await developer.post(`${path}/keys`, form);
    assert.equal(refused.statusCode, 400);
    assert.match(errorBeside(refused.body, 'ask_per_day') ?? '', /^Enter a limit: a whole number/);
    assert.match(
      errorBeside(refused.body, 'approve_per_day') ?? '',
      /^Enter a whole number from 1 to \d+, digits only\.$/,
    );
    assert.equal(errorBeside(refused.body, 'pay_per_day'), undefined);
    // What was ticked and typed is still there.
    assert.match(refused.body, /name="scope_create-requests" value="on" checked>/);
    assert.match(refused.body, /name="scope_pay" value="on">/);
    assert.match(refused.body, /value="x"/);
    assert.equal((await keysOf(id)).length, 0);

    await developer.post(`${path}/keys`, { ...form, ask_per_day: '5000', approve_per_day: '300', pay_per_day: '' });
    const [made] = await keysOf(id);
    await developer.post(`${path}/keys/rotate`, { key: made!.id });
    const caps = await service.service.db.query(
      `SELECT scopes, ask_per_day, approve_per_day FROM app_keys WHERE app_id = $1 AND kind = 'server' AND revoked_at IS NULL`,
      [id],
    );
    const capped = { scopes: ['create-requests', 'approve-requests'], ask_per_day: 5000n, approve_per_day: 300n };
    assert.deepEqual(caps, [capped, capped]);
    assert.match(
      (await developer.get(`${path}/keys`)).body,
      /for quarters \(asks for up to 5,000 quarters a day\).*\(approves up to 300 quarters a day\)/,
    );
  });

  await t.test('a scope of an earlier release is neither shown nor passed on', async () => {
    const { id, serverKey } = await registerApp(developer);
    // As a process of that release writes it while it still runs beside this one.
    const stored = { scopes: ['guests', 'pay', 'auto-approve'] };
    await changeAppKeys(service.service.db, { hash: hashSecret(serverKey) }, stored);
    const [old] = await keysOf(id);
    const page = (await developer.get(`/developer/apps/${id}/keys`)).body;
    assert.match(page, /create guests; pay and refund/);
    assert.doesNotMatch(page, /undefined|auto-approve/);
    await developer.post(`/developer/apps/${id}/keys/rotate`, { key: old!.id });
    assert.deepEqual((await keysOf(id)).at(-1)!.scopes, ['guests', 'pay']);
  });

  await t.test('a limit for a scope that is not ticked is ignored', async () => {
    const { id } = await registerApp(developer);
    const form = { kind: 'server', scope_guests: 'on', ask_per_day: 'x', approve_per_day: '300' };
    assert.equal((await developer.post(`/developer/apps/${id}/keys`, form)).statusCode, 200);
    assert.deepEqual((await keysOf(id)).at(-1)!.scopes, ['guests']);
  });

  await t.test('an invalid limit is refused beside its field', async () => {
    const { id } = await registerApp(developer);
    for (const limit of ['0', '-1', '1.5', '1,000', '1e3', 'ten', '9007199254740992']) {
      const answer = await developer.post(`/developer/apps/${id}/keys`, { kind: 'server', pay_per_day: limit });
      assert.equal(answer.statusCode, 400);
      assert.match(errorBeside(answer.body, 'pay_per_day') ?? '', /whole number from 1/);
      assert.match(answer.body, new RegExp(`value="${limit}"`));
    }
    assert.equal((await keysOf(id)).length, 1);
  });

  await t.test('client secrets are replaced like server keys', async () => {
    const { id, clientSecret } = await registerApp(developer);
    const made = await developer.post(`/developer/apps/${id}/keys`, { kind: 'client' });
    const fresh = secretsIn(made.body).clientSecret;
    assert.ok(fresh !== '' && fresh !== clientSecret);
    assert.deepEqual(
      (await keysOf(id, 'client')).map(({ ending }) => ending),
      [clientSecret.slice(-4), fresh.slice(-4)],
    );
  });

  await t.test('forms from other sites, and forms without the form token, change nothing', async () => {
    const { id } = await registerApp(developer);
    const [key] = await keysOf(id);
    const path = `/developer/apps/${id}`;
    const other = await createDeveloper(service);
    for (const [target, form] of [
      ['/developer/apps/new', { name: 'Forged' }],
      [`${path}/settings`, { name: 'Forged' }],
      [`${path}/settings/auto-approval`, {}],
      [`${path}/keys`, { kind: 'server' }],
      [`${path}/keys/rotate`, { key: key!.id }],
      [`${path}/keys/revoke`, { key: key!.id }],
    ] as [string, Record<string, string>][]) {
      const forgeries = [
        await developer.post(target, { ...form, csrf: '' }),
        await developer.post(target, { ...form, csrf: other.csrf }),
        await developer.post(target, { ...form, csrf: (await signIn(service, developer.userId)).csrf }),
        await developer.post(target, form, { 'sec-fetch-site': 'cross-site' }),
        await developer.post(target, form, { 'sec-fetch-site': 'same-site' }),
        await developer.post(target, form, { 'sec-fetch-site': 'same-origin', origin: 'null' }),
      ];
      for (const { statusCode, body } of forgeries) {
        assert.equal(statusCode, 403, target);
        assert.equal(secretsIn(body).serverKey, '');
      }
    }
    assert.deepEqual(await keysOf(id), [key]);
    assert.match((await developer.get(`${path}/settings`)).body, /value="Space Race"/);
    assert.doesNotMatch((await developer.get('/developer')).body, /Forged|requested/);
  });

  await t.test('a key change requires a fresh sign-in', async () => {
    const { id } = await registerApp(developer);
    const [key] = await keysOf(id);
    const stale = await signIn(service, developer.userId, 16);
    const page = `/developer/apps/${id}`;
    for (const path of ['keys', 'keys/rotate', 'keys/revoke']) {
      const answer = await developer.post(
        `${page}/${path}`,
        { csrf: stale.csrf, kind: 'server', key: key!.id, page },
        { cookie: stale.cookie },
      );
      assert.equal(answer.statusCode, 303);
      assert.match(String(answer.headers.location), /^\/sign-in\?again=true&return_to=%2Fcontinue%2F/);
    }
    assert.deepEqual(await keysOf(id), [key]);
    // What a new secret's page leaves in the address line leads back to the keys.
    assert.equal((await developer.get(`${page}/keys/rotate`)).headers.location, `${page}/keys`);
  });
});
