import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runCli } from '../../src/cli/run.ts';
import { insertReport } from '../../src/requests/reports.ts';
import { call } from '../kit/service/call.ts';
import { HOUSE } from '../kit/service/house.ts';
import { newPayment } from '../kit/service/payment.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { png } from '../kit/unit/png.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

/** The id of no app. */
const NOTHING = 'x'.repeat(20);

test('apps from the command line', async (t) => {
  const tested = await sharedService(t);
  const { app: server, service } = tested;
  const run = async (...args: string[]) => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const connect = async () => ({ service, close: async () => {} });
    const start = async () => {};
    const migrate = async () => ({ applied: [] });
    const code = await runCli({ house: () => HOUSE, start, migrate, connect, out, err }, args);
    out.end();
    err.end();
    return { code, out: await text(out), err: await text(err) };
  };
  const json = async (...args: string[]) => {
    const { code, out, err } = await run(...args, '--json');
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    return JSON.parse(out);
  };
  const refused = async (args: string[], because: RegExp, exitCode = 1) => {
    const { code, out, err } = await run(...args);
    assert.deepEqual({ code, out }, { code: exitCode, out: '' });
    assert.match(err, because);
  };
  const owner = await createPerson(tested, { email: 'dev@game.example' });

  await t.test('apps create prints the id, account and secrets', async () => {
    const { out, err } = await run('apps', 'create', '--name', 'Space Race');
    assert.match(out, /^App id {2,}[A-Za-z0-9]{20}$/m);
    assert.match(out, /^Account {2,}0x[0-9a-fA-F]{40}$/m);
    assert.match(out, /^Client secret {2,}qs_[A-Za-z0-9]{43}$/m);
    assert.match(out, /^Server API key {2,}qk_[A-Za-z0-9]{43}$/m);
    assert.match(err, /shown only once/);
  });

  await t.test('apps create accepts every setting of an app', async () => {
    const made = await json(
      ...['apps', 'create', '--name', 'Pocket Race', '--public', '--owner', 'DEV@game.example'],
      ...['--redirect-uri', 'com.example.race://paid', '--redirect-uri', 'https://game.example/paid'],
      ...['--frame-ancestor', 'https://game.example', '--result-origin', 'capacitor:'],
      ...['--top-up-url', 'https://Game.example/shop'],
    );
    assert.equal(made.clientSecret, null);
    assert.equal(made.publicClient, true);
    assert.deepEqual(made.redirectUris, ['com.example.race://paid', 'https://game.example/paid']);
    assert.deepEqual(made.resultOrigins, ['capacitor:']);
    const shown = await json('apps', 'show', made.id);
    assert.equal(shown.ownerEmail, owner.email);
    assert.deepEqual(shown.frameAncestors, ['https://game.example']);
    assert.equal(shown.topUpUrl, 'https://game.example/shop');
    assert.match((await run('apps', 'show', made.id)).out, /^Top-up page +https:\/\/game\.example\/shop$/m);
    assert.equal((await json('apps', 'update', made.id, '--name', 'Pocket Race 2')).topUpUrl, shown.topUpUrl);
    assert.equal((await json('apps', 'update', made.id, '--top-up-url', '')).topUpUrl, null);
    await refused(['apps', 'update', made.id, '--top-up-url', 'ftp://x'], /The top-up address must use https/);
    assert.ok(!JSON.stringify(shown).includes(made.serverKey));
    await refused(['apps', 'keys', 'issue', made.id, '--kind', 'client'], /public client, which keeps no secret/);
  });

  await t.test('apps create names every fault of the input at once', async () => {
    await refused(
      ['apps', 'create', '--name', 'x\ny', '--redirect-uri', 'javascript:alert(1)', '--result-origin', 'null'],
      /The name must be one line[\s\S]*The redirect address \(no\. 1\) must use https[\s\S]*The result origin \(no\. 1\)/,
    );
    await refused(['apps', 'create', '--name', 'x', '--owner', 'nobody@game.example'], /Nobody has signed up/, 3);
    await refused(['apps', 'show', NOTHING], /There is no app "x{20}"/, 3);
  });

  await t.test('apps update changes only the settings it is given', async () => {
    const { id } = await json('apps', 'create', '--name', 'Old', '--redirect-uri', 'https://game.example/a');
    const renamed = await json('apps', 'update', id, '--name', 'New', '--owner', owner.email);
    assert.deepEqual([renamed.name, renamed.redirectUris], ['New', ['https://game.example/a']]);
    const emptied = await json('apps', 'update', id, '--redirect-uri', '');
    assert.deepEqual([emptied.name, emptied.redirectUris], ['New', []]);
    assert.match((await run('apps', 'show', id)).out, /^Owner +dev@game\.example$/m);
    await refused(['apps', 'update', id, '--frame-ancestor', 'https://*.example'], /The frame ancestor \(no\. 1\)/);
  });

  await t.test('two server keys work at once, until one is revoked', async () => {
    const { id, address, serverKey } = await json('apps', 'create', '--name', 'Rotating');
    const may = async (token: string) => {
      const answer = await call(server, `GET /v1/accounts/${address}/balance`, { token });
      return answer.statusCode;
    };
    const { secret } = await json(
      'apps',
      'keys',
      'issue',
      id,
      '--name',
      'Shop',
      '--scope',
      'pay',
      '--pay-per-day',
      '500',
    );
    assert.deepEqual([await may(serverKey), await may(secret)], [200, 200]);
    await refused(['apps', 'keys', 'issue', id], /already has two active server API keys/);

    const { keys } = await json('apps', 'keys', 'list', id);
    const old = keys.find((key: { ending: string }) => key.ending === serverKey.slice(-4));
    const made = keys.find((key: { ending: string }) => key.ending === secret.slice(-4));
    assert.deepEqual([made.name, made.scopes, made.payPerDay, made.revokedAt], ['Shop', ['pay'], 500, null]);
    assert.ok(Date.now() - Date.parse(made.lastUsedAt) < 3_600_000);
    assert.match((await run('apps', 'keys', 'list', id)).out, new RegExp(`^${old.id}  server +- +${old.ending}`, 'm'));

    await json('apps', 'keys', 'revoke', id, old.id);
    const asking = ['apps', 'keys', 'issue', id, '--scope', 'create-requests'];
    await refused([...asking, '--name', 'x'.repeat(61)], /^The name must be one line of at most 60 characters\.$/m);
    await refused(asking, /^--ask-per-day must be given with the scope create-requests\.$/m);
    await json(...asking, '--ask-per-day', '5000');
    const { keys: now } = await json('apps', 'keys', 'list', id);
    const { scopes, payPerDay, askPerDay, approvePerDay } = now.at(-1);
    assert.deepEqual([scopes, payPerDay, askPerDay, approvePerDay], [['create-requests'], null, 5000, null]);
    await json('apps', 'keys', 'revoke', id, now.at(-1).id);
    assert.deepEqual([await may(serverKey), await may(secret)], [401, 200]);
    await refused(['apps', 'keys', 'revoke', id, old.id], /no active key/, 3);
    assert.match((await run('apps', 'keys', 'issue', id, '--kind', 'client')).out, /^Client secret {2}qs_/m);
  });

  await t.test('auto approval is enabled and disabled, and refused for an unknown app', async () => {
    const { id } = await json('apps', 'create', '--name', 'Auto');
    assert.deepEqual(await json('apps', 'auto-approval', 'enable', id), { id, autoApprove: true, granted: 0 });
    assert.match((await run('apps', 'list')).out, /^Auto .* enabled /m);
    assert.equal((await json('apps', 'show', id)).autoApproveConsent, 'approval');
    await json('apps', 'auto-approval', 'enable', id, '--consent', 'box');
    assert.match((await run('apps', 'list')).out, /^Auto .* enabled \(box\) /m);
    await refused(['apps', 'auto-approval', 'enable', id, '--consent', 'none'], /approval, box/, 2);
    assert.match((await run('apps', 'auto-approval', 'disable', id)).out, /is disabled/);
    assert.equal((await json('apps', 'show', id)).autoApprove, false);
    await refused(['apps', 'auto-approval', 'enable', NOTHING], /There is no app "x{20}"/, 3);
  });

  await t.test('apps delete shows what is lost, asks, and the app stays in the list', async () => {
    const { id } = await json('apps', 'create', '--name', 'Short Lived');
    const unasked = await run('apps', 'delete', id);
    assert.deepEqual([unasked.code, unasked.out], [2, '']);
    assert.match(unasked.err, /With its guests +none\n[\s\S]*add --yes/);
    assert.equal((await json('apps', 'show', id)).deletedAt, null);
    const lost = { id, name: 'Short Lived', balance: 0, guests: 0, guestQuarters: 0 };
    assert.deepEqual(await json('apps', 'delete', id, '--yes'), { ...lost, deleted: true });
    assert.match((await json('apps', 'show', id)).deletedAt, /^20/);
    assert.match((await run('apps', 'list')).out, /^Short Lived \(deleted\) /m);
    for (const act of [
      ['update', id, '--name', 'Back'],
      ['verify', id],
      ['delete', id, '--yes'],
    ]) {
      await refused(['apps', ...act], /There is no app/, 3);
    }
  });

  await t.test('apps verify marks an app, names similar apps and protects its name', async () => {
    const { id } = await json('apps', 'create', '--name', 'Mine Sweep');
    const other = await json('apps', 'create', '--name', 'MineSweep');
    const verified = await json('apps', 'verify', id);
    assert.deepEqual(verified.alike, [{ id: other.id, name: 'MineSweep', verified: false }]);
    assert.match(verified.verifiedAt, /^20/);
    assert.match(
      (await run('apps', 'verify', id)).out,
      new RegExp(`^Verified +Mine Sweep\\n.*\\n${other.id} +MineSweep`),
    );
    assert.match((await run('apps', 'show', id)).out, /^Verified +20/m);
    assert.match((await run('apps', 'list')).out, /^Mine Sweep .* yes /m);
    await refused(['apps', 'create', '--name', 'mine-sweep'], /The name looks like the name of another app/);
    await refused(['apps', 'create', '--name', 'Quarters'], /The name must not hold “Quarters”/);
    await json('apps', 'update', id, '--name', 'Mine Sweep 2');
    assert.equal((await json('apps', 'show', id)).verifiedAt, verified.verifiedAt);
    assert.equal((await json('apps', 'unverify', id)).verifiedAt, null);
    assert.equal((await json('apps', 'show', id)).verifiedAt, null);
    for (const verb of ['verify', 'unverify']) await refused(['apps', verb, NOTHING], /There is no app "x{20}"/, 3);
  });

  await t.test('apps update reads a picture from a file and refuses one that is too large', async () => {
    const { id } = await json('apps', 'create', '--name', 'Pictured');
    const file = join(await scratchFolder(t), 'icon.png');
    await writeFile(file, png());
    const { picture } = await json('apps', 'update', id, '--picture', file);
    assert.deepEqual((await server.inject(picture)).rawPayload, png());
    assert.equal((await json('apps', 'update', id, '--name', 'Pictured 2')).picture, picture);
    await writeFile(file, Buffer.alloc(100_000));
    await refused(['apps', 'update', id, '--picture', file], /The picture must have at most 8192 bytes; WebP/);
    await refused(['apps', 'update', id, '--picture', `${file}.gone`], /no such file/);
    assert.match((await run('apps', 'show', id)).out, /^Picture +\/apps\//m);
    assert.equal((await json('apps', 'update', id, '--no-picture')).picture, null);
  });

  await t.test('open reports are listed until they are resolved', async () => {
    assert.equal((await run('reports', 'list')).out, 'No open reports.\n');
    const app = await tested.createApp({ name: 'Reported' });
    const { id: requestId, guest } = await newPayment(tested, app);
    const text = 'two\nlines \u001b[31m';
    await insertReport(service.db, { appId: app.id, userId: guest.userId, requestId, reason: 'pretends', text });
    const [report] = (await json('reports', 'list')).reports;
    assert.deepEqual([report.appName, report.requestId, report.text], ['Reported', requestId, text]);
    const { out } = await run('reports', 'list');
    assert.match(out, /^Reason +It pretends/m);
    assert.match(out, /^Text +two lines �\[31m$/m);
    assert.deepEqual(await json('reports', 'resolve', report.id), { id: report.id, resolved: true });
    await refused(['reports', 'resolve', report.id], /There is no open report/, 3);
    assert.equal((await run('reports', 'resolve', 'x')).code, 2);
    assert.deepEqual(await json('reports', 'list'), { reports: [] });
  });
});
