import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { asHash } from '../../src/base/hex.ts';
import { lockPosted, readPostedBlocks, removeBlocksAbove } from '../../src/ledger/blocks.ts';
import {
  findPublication,
  insertPublication,
  listPublications,
  withdrawPublicationsAbove,
} from '../../src/wings/liabilities/store/publications.ts';
import { proveAccount } from '../../src/wings/liabilities/views/prove.ts';
import { createDeveloper } from '../kit/service/developer.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { createOperator } from '../kit/service/operator.ts';
import { createPerson, signIn } from '../kit/service/people.ts';
import { finalBlockAfterPayments, publishNow } from '../kit/service/publishing-at.ts';
import { startScenario } from '../kit/service/scenario.ts';
import { visit } from '../kit/service/visits.ts';
import { until } from '../kit/unit/until.ts';
import { checkProof } from './verifier.ts';

const PUBLISH = '/operator/liabilities/publish';

test('the pages about liabilities', async (t) => {
  const s = await startScenario(t, { env: { FINAL_AFTER: '1' }, guests: 0 });
  const { db } = s.service;
  const ada = await createPerson(s, { email: 'ada@mail.example', displayName: 'Ada Lovelace' });
  const eve = await createPerson(s);
  await s.issue(ada.userId, 1_234);
  await s.issue(eve.userId, 77);
  const operator = await createOperator(s);
  const count = async () => (await listPublications(db, 10)).length;

  await t.test('before the first publication, all of them say that there is none', async () => {
    assert.match((await visit(s, null, '/liabilities')).body, /Nothing is published yet/);
    assert.match((await visit(s, ada, '/account/proof')).body, /haven’t published our sums yet/);
    assert.equal((await visit(s, ada, '/account/proof.json')).status, 404);
    assert.doesNotMatch((await visit(s, ada, '/account')).body, /\/account\/proof/);
  });

  await t.test('an operator who has just confirmed who they are publishes the block of the form, once', async () => {
    const block = String(await finalBlockAfterPayments(s));
    const player = await createDeveloper(s);
    assert.equal((await player.post(PUBLISH, { block })).statusCode, 404);
    const late = await createOperator(s, { minutesAgo: 16 });
    assert.match(`${(await late.post(PUBLISH, { block })).headers.location}`, /^\/sign-in\?again=true/);
    assert.equal((await operator.post(PUBLISH, { block }, { 'sec-fetch-site': 'cross-site' })).statusCode, 403);
    assert.equal(await count(), 0);

    const form = await operator.get(PUBLISH);
    assert.match(form.body, new RegExp(`name="block" value="${block}"`));
    for (const answer of await Promise.all([operator.post(PUBLISH, { block }), operator.post(PUBLISH, { block })])) {
      assert.ok([303, 409].includes(answer.statusCode), `${answer.statusCode}`);
    }
    assert.equal((await operator.post(PUBLISH, { block })).statusCode, 303);
    assert.equal(await count(), 1);
    const { root } = (await findPublication(db, BigInt(block)))!;
    assert.ok((await operator.get('/operator/liabilities')).body.includes(root), 'it is listed');
    const entries = await db.query<{ entry: { action: string; subject: unknown } }>('SELECT entry FROM operator_log');
    const logged = entries.map(({ entry }) => entry).filter(({ action }) => action === 'liabilities-published');
    assert.deepEqual(
      logged.map(({ subject }) => subject),
      [{ kind: 'liabilities', id: root }],
    );
  });

  await t.test('a player gets the proof of their own account, and nobody else’s', async () => {
    const { root } = (await proveAccount(s.service, ada.address))!.publication;
    assert.match((await visit(s, ada, '/account')).body, /href="\/account\/proof"/);
    const page = await visit(s, ada, '/account/proof');
    assert.ok(page.body.includes(root) && page.body.includes(toChecksum(ada.address)));
    assert.match(page.body, /1,234 quarters/);
    assert.doesNotMatch(page.body, new RegExp(eve.address, 'i'));
    for (const [person, balance] of [
      [ada, 1_234],
      [eve, 77],
    ] as const) {
      const file = await visit(s, person, '/account/proof.json');
      assert.equal(file.headers['cache-control'], 'no-store');
      checkProof(file.body, root.slice(2));
      const { leaf } = JSON.parse(file.body);
      assert.deepEqual([leaf.address, leaf.balance], [toChecksum(person.address), balance]);
    }
    for (const path of ['/account/proof', '/account/proof.json']) {
      assert.match(`${(await visit(s, null, path)).location}`, /^\/sign-in\?/);
    }
    assert.equal((await visit(s, await signIn(s, ada.userId, 600), '/account/proof')).status, 200);
  });

  await t.test('everybody reads the sums, and nothing of an account', async () => {
    const [one] = await listPublications(db, 1);
    const page = await visit(s, null, '/liabilities');
    const file = await visit(s, null, `/liabilities/${one!.block}.json`);
    assert.deepEqual(
      [JSON.parse(file.body).root, JSON.parse(file.body).balances, JSON.parse(file.body).withdrawnAt],
      [one!.root, 101_311, null],
    );
    assert.equal(file.headers['cache-control'], 'public, max-age=300');
    assert.equal(file.headers['access-control-allow-origin'], '*');
    assert.ok(page.body.includes(one!.root));
    for (const { body } of [page, file]) {
      assert.doesNotMatch(body, new RegExp(`${ada.address}|Lovelace|${operator.userId}`, 'i'));
    }
    const script = await visit(s, null, '/liabilities/verify-liability.mjs');
    const source = new URL('../../src/web/assets/verify-liability.mjs', import.meta.url);
    assert.equal(script.body, readFileSync(source, 'utf8'));
    for (const path of ['1', '1.json', '99999999999999999999.json', 'x.json']) {
      assert.equal((await visit(s, null, `/liabilities/${path}`)).status, 404, path);
    }
  });

  await t.test('a rewind waits for a publication that is being committed, and withdraws it', async () => {
    const [earlier] = await listPublications(db, 1);
    const number = await finalBlockAfterPayments(s);
    const [{ hash } = { hash: asHash('') }] = await readPostedBlocks(db, number, 1);
    const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const publishing = db.transaction(async (tx) => {
      const one = { ...earlier!, block: number, blockHash: hash, root: asHash(`0x${randomBytes(32).toString('hex')}`) };
      await insertPublication(tx, one, Buffer.alloc(32), { chunks: [], chunkNodes: Buffer.alloc(0) });
      assert.equal(await lockPosted(tx, { number, hash }), true);
      locked.resolve();
      await held.promise;
    });
    await Promise.race([locked.promise, publishing]);
    const undone = new Error('rolled back');
    const rewinding = db.transaction(async (tx) => {
      await removeBlocksAbove(tx, number - 1n);
      assert.deepEqual(await withdrawPublicationsAbove(tx, number - 1n), [number]);
      throw undone;
    });
    const ended = assert.rejects(rewinding, undone);
    await lockWaitersAre(s.service, 1);
    held.resolve();
    await Promise.all([publishing, ended]);
  });

  await t.test('a reorganisation of its block withdraws a publication, and another one takes its place', async () => {
    const before = await publishNow(s);
    await s.faulty.stopMining();
    await s.faulty.reorganise(3);
    s.faulty.startMining();
    await s.faulty.mine();
    await until('it is withdrawn', async () => (await findPublication(db, before.block))?.withdrawnAt !== null);
    assert.notEqual((await proveAccount(s.service, ada.address))?.publication.root, before.root);
    assert.match((await visit(s, null, '/liabilities')).body, /Withdrawn/);
    assert.match((await operator.get('/operator/liabilities')).body, /withdrawn/);
    assert.notEqual(JSON.parse((await visit(s, null, `/liabilities/${before.block}.json`)).body).withdrawnAt, null);
    const after = await publishNow(s);
    assert.equal((await proveAccount(s.service, ada.address))?.publication.root, after.root);
  });
});
