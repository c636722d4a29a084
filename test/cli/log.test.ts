import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runCli } from '../../src/cli/run.ts';
import { chainEntries } from '../../src/wings/operators-log/store/chain.ts';
import { HOUSE } from '../kit/service/house.ts';
import { startTestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { rewriteLog } from '../rows/operator-log.ts';

test("the operator's log on the command line", async (t) => {
  const s = await startTestService(t);
  const { service } = s;
  const folder = mkdtempSync(join(tmpdir(), 'quarters-log-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const run = async (...args: string[]) => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const connect = async () => ({ service, close: async () => {} });
    const code = await runCli(
      { house: () => HOUSE, connect, start: async () => {}, migrate: async () => ({ applied: [] }), out, err },
      args,
    );
    out.end();
    err.end();
    await service.db.transaction((tx) => chainEntries(tx, 500));
    return { code, out: await text(out), err: await text(err) };
  };
  const { id } = await s.createApp({ name: 'Space Race' });
  await run('apps', 'verify', id);

  await t.test('a command records the user of the shell and its name', async () => {
    const { out } = await run('log', 'list', '--action', 'app-verified', '--subject', id);
    assert.match(out, new RegExp(`app-verified +${userInfo().username} +app ${id} \\(Space Race\\)`));
    const { entries, more } = JSON.parse((await run('log', '--who', userInfo().username, '--json')).out);
    assert.deepEqual([entries.length, more, entries[0].entry.from], [1, false, { command: 'apps verify' }]);
    const shown = await run('log', 'show', `${entries[0].sequence}`);
    assert.match(shown.out, /^After +\{"verified":true\}$/m);
    assert.equal((await run('log', 'list', '--since', '2100-01-01')).out, 'No entries match.\n');
    assert.equal((await run('log', 'list', '--action', 'x')).code, 2);
  });

  await t.test('verify says where the log is not whole, and exits with 1', async () => {
    const heads = join(folder, 'heads.txt');
    writeFileSync(heads, `{"level":30,"head":"${(await run('log', 'head')).out.trim()}"}\n`);
    await run('apps', 'unverify', id);
    const whole = await run('log', 'verify', '--head', heads);
    assert.equal(whole.code, 0);
    assert.match(whole.out, /^Heads compared +1$/m);
    writeFileSync(heads, 'nothing');
    assert.match((await run('log', 'verify', '--head', heads)).err, /There is no signed head/);

    const lines = (await run('log', 'export')).out.trim().split('\n');
    const { sequence } = JSON.parse(lines.at(-2)!);
    assert.equal(lines.length, sequence + 2);
    const [key] = JSON.parse((await run('log', 'key')).out).keys;
    assert.deepEqual([key.alg, key.d], ['ES256', undefined]);

    const plan = await run('log', 'prune', '--before', '3');
    assert.match(plan.out, /^This deletes 2 entries, up to number 2\./);
    assert.equal(JSON.parse((await run('log', 'verify', '--json')).out).from, 0, 'without --yes nothing happens');
    assert.match((await run('log', 'prune', '--before', '3', '--yes')).out, /^Deleted 2 entries/);
    assert.equal(JSON.parse((await run('log', 'verify', '--json')).out).from, 2);

    await rewriteLog(service.db, 'change', 3);
    const { code, err, out } = await run('log', 'verify');
    assert.deepEqual(
      [code, err],
      [1, 'The log is not whole. Entry 3: The entry, or the one before it, was changed.\n'],
    );
    assert.match(out, /^Result +not whole$/m);
  });
});
