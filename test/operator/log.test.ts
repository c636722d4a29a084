import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { compactVerify, importJWK } from 'jose';
import { newAppId } from '../../src/base/ids.ts';
import { withContext } from '../../src/base/log.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { performAction } from '../../src/features/operator-actions/perform-action.ts';
import { forgetClosedNames } from '../../src/features/operator-log/forget-names.ts';
import { findUser } from '../../src/identity/users.ts';
import { recordChange } from '../../src/operator-log/record.ts';
import { listReportsOf } from '../../src/requests/reports.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import type { Log, LogEntry, Service } from '../../src/service/service.ts';
import { checkLogDaily } from '../../src/wings/operators-log/features/check-log-daily.ts';
import { planPruning, pruneLog } from '../../src/wings/operators-log/features/prune-log.ts';
import { chainEntries } from '../../src/wings/operators-log/store/chain.ts';
import { readCheck } from '../../src/wings/operators-log/store/entries.ts';
import { exportLines } from '../../src/wings/operators-log/views/export-log.ts';
import { searchLog } from '../../src/wings/operators-log/views/read-log.ts';
import { readLogKeys, signHead } from '../../src/wings/operators-log/views/sign-head.ts';
import { verifyLog } from '../../src/wings/operators-log/views/verify-log.ts';
import { createOperator } from '../kit/service/operator.ts';
import { verifyApp } from '../kit/service/operator-acts.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { ageLogHead, readLogTables, rewriteLog } from '../rows/operator-log.ts';
import { insertReportRows } from '../rows/requests.ts';

const chained = ({ db }: Service) => db.transaction((tx) => chainEntries(tx, 500));

/** Records changes of as many apps, and chains them. */
async function fill(service: Service, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const change = { action: 'app-verified', subject: { kind: 'app', id: newAppId() }, after: { place: i } } as const;
    await withContext({ client: `198.51.100.${i}` }, () => service.db.transaction((tx) => recordChange(tx, change)));
  }
  await chained(service);
}

const faultOf = async (service: Service, heads: readonly string[] = []) => {
  const { fault } = await verifyLog(service, heads);
  return fault && `${fault.sequence}: ${fault.what.split(/[:.]/)[0]}`;
};

test("the operator's log is verified, by us and by a stranger", async (t) => {
  const { service } = await startTestService(t);
  await fill(service, 5);
  const early = await signHead(service);
  await fill(service, 3);
  assert.equal(await faultOf(service, [early.jws]), null);

  const lines = [];
  for await (const text of exportLines(service)) lines.push(...text.trim().split('\n'));
  const [first, ...rest] = lines.map((line) => JSON.parse(line));
  const { head } = rest.pop();
  let previous = Buffer.from(first.start.hash, 'hex');
  for (const [i, { sequence, hash, entry }] of rest.entries()) {
    assert.equal(sequence, i + 1);
    const place = Buffer.alloc(8);
    place.writeBigUInt64BE(BigInt(sequence));
    const input = Buffer.concat([Buffer.from('quarters.operator-log.v1\0'), previous, place, Buffer.from(entry)]);
    previous = createHash('sha256').update(input).digest();
    assert.equal(hash, previous.toString('hex'));
  }
  const [jwk] = (await readLogKeys(service)).keys;
  const { payload, protectedHeader } = await compactVerify(head, await importJWK({ ...jwk! }));
  assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['ES256', 'quarters-log-head+jwt']);
  const { iss, chainId, token, sequence, hash } = JSON.parse(Buffer.from(payload).toString());
  assert.deepEqual(
    { iss, chainId, token, sequence, hash },
    {
      iss: service.publicUrl,
      chainId: service.chain.chainId,
      token: service.chain.contracts.token,
      sequence: rest.length,
      hash: previous.toString('hex'),
    },
  );
});

test('verification names the first entry that was changed, deleted or cut off', async (t) => {
  const { service } = await startTestService(t);
  const { db } = service;
  await fill(service, 10);
  const { jws, sequence } = await signHead(service);
  await t.test('a head of another key, and one that was altered, is refused', async () => {
    const [header, , signature] = jws.split('.');
    const payload = Buffer.from(JSON.stringify({ sequence, hash: '00'.repeat(32) })).toString('base64url');
    await assert.rejects(faultOf(service, [`${header}.${payload}.${signature}`]), /not signed/);
    await assert.rejects(
      faultOf(service, [await service.results.sign(newAppId(), { outcome: 'declined' } as never)]),
      /not signed/,
    );
  });
  await t.test('entries cut off at the end show only next to a head that was kept', async () => {
    await rewriteLog(db, 'cut off', sequence - 2);
    assert.equal(await faultOf(service), null);
    assert.equal(await faultOf(service, [jws]), `${sequence - 1}: The log ends before the exported head ${sequence}`);
  });
  await t.test('a chain that continued from an older state is not the one whose head was kept', async () => {
    await fill(service, 3);
    assert.equal(await faultOf(service), null);
    assert.equal(await faultOf(service, [jws]), `${sequence}: The log was rewritten`);
  });
  await t.test('a changed entry is found, and the daily check says so', async () => {
    await rewriteLog(db, 'change', 4);
    assert.equal(await faultOf(service), '4: The entry, or the one before it, was changed');
    await rewriteLog(db, 'delete', 4);
    assert.equal(await faultOf(service), '4: The entry is missing');
    const noted: [LogEntry, string][] = [];
    const note = (entry: LogEntry, message: string) => void noted.push([entry, message]);
    const log: Log = { info: note, warn: note, error: note };
    await ageLogHead(db);
    await Promise.all([checkLogDaily({ ...service, log }), checkLogDaily({ ...service, log })]);
    assert.deepEqual(
      noted.map(([, message]) => message),
      ["the operator's log does not verify: see `quarters log verify`", "the head of the operator's log"],
    );
    const { wrongSequence, fault } = await readCheck(db);
    assert.deepEqual([wrongSequence, fault], [4n, 'The entry is missing.']);
  });
  await t.test('a log that does not verify is not pruned, because a checkpoint would hide it', async () => {
    const plan = await planPruning(service, { sequence: 8n });
    await assert.rejects(pruneLog(service, plan), /does not verify, so nothing was deleted. Entry 4/);
  });
});

test('pruning leaves a signed checkpoint, from which verification continues', async (t) => {
  const { service } = await startTestService(t);
  const { db } = service;
  await fill(service, 6);
  const old = await signHead(service);
  await fill(service, 6);
  const kept = await signHead(service);
  const plan = await planPruning(service, { sequence: BigInt(old.sequence + 2) });
  assert.equal(plan.upTo, BigInt(old.sequence + 1));
  const pruned = await Promise.allSettled([pruneLog(service, plan), pruneLog(service, plan)]);
  assert.deepEqual(pruned.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await chained(service);

  const checked = await verifyLog(service, [old.jws, kept.jws]);
  assert.deepEqual([checked.fault, checked.heads, checked.tooOld], [null, 1, 1]);
  assert.equal(checked.start.sequence, plan.upTo);
  const { entries } = await searchLog(service, {}, 100);
  assert.deepEqual(
    entries.map((view) => [view.sequence, view.entry.action]),
    [
      [BigInt(kept.sequence + 1), 'log-pruned'],
      ...Array.from({ length: 5 }, (_, i) => [BigInt(kept.sequence - i), 'app-verified']),
    ],
  );
  const tables = await readLogTables(db);
  // The first six entries came from .0 to .5, the next ones from the same addresses, of which the first is not in an entry any more.
  assert.ok(tables.some((row) => row.includes('198.51.100.5')) && tables.every((row) => !row.includes('198.51.100.0')));
  await assert.rejects(planPruning(service, { sequence: 3n }), { code: 'not-found' });
  await rewriteLog(db, 'change', Number(plan.upTo) + 1);
  assert.equal(await faultOf(service), `${plan.upTo + 1n}: The entry, or the one before it, was changed`);
});

test('closing an account leaves the log whole, and no trace of the user, their address or the notes about them', async (t) => {
  const s = await startTestService(t);
  const { service } = s;
  const { db } = service;
  const person = await createPerson(s);
  const client = '203.0.113.77';
  const app = await s.createApp();
  await withContext({ client, userId: person.userId }, () =>
    updateApp(service, OPERATOR, app.id, { ownerId: person.userId }),
  );
  await withContext({ actor: 'operator', osUser: 'root' }, () =>
    db.transaction((tx) =>
      recordChange(tx, {
        action: 'user-frozen',
        subject: { kind: 'user', id: person.userId },
        reason: 'Ada sold her account',
      }),
    ),
  );
  await updateApp(service, OPERATOR, app.id, { ownerId: (await createPerson(s)).userId });
  await insertReportRows(db, [{ appId: app.id, userId: person.userId }]);
  const [report] = await listReportsOf(db, person.userId, 1);
  await performAction(
    service,
    { kind: 'shell', osUser: 'root' },
    {
      ...{ id: randomUUID(), kind: 'resolve-report', params: { report: report!.id }, reason: 'Ada was right' },
    },
  );
  await chained(service);
  const { entries, names } = await searchLog(service, { subject: person.email }, 10);
  assert.deepEqual(
    entries.map(({ reason }) => reason),
    [{ text: 'Ada sold her account' }],
  );
  assert.deepEqual(names.get(entries[0]!.entry.subject.id), { userId: person.userId });
  const traces = [person.userId, person.email, client, 'Ada'];
  const kept = await readLogTables(db);
  assert.ok([person.userId, client, 'Ada'].every((trace) => kept.some((row) => row.includes(trace))));

  const user = (await findUser(db, person.userId))!;
  assert.ok(await withContext({ client, userId: user.id }, () => closeAccount(service, user, person.session)));
  // Somebody's change that was committed at the same moment.
  await db.transaction((tx) => recordChange(tx, { action: 'user-unfrozen', subject: { kind: 'user', id: user.id } }));
  await forgetClosedNames(service);
  await chained(service);
  const left = await readLogTables(db);
  const actions = await db.query<{ reason: string }>('SELECT reason FROM operator_actions');
  assert.deepEqual(actions, [{ reason: 'Deleted with the account.' }]);
  for (const trace of traces)
    assert.deepEqual(
      left.filter((row) => row.includes(trace)),
      [],
      trace,
    );
  assert.equal(await faultOf(service), null);
  const [closed] = (await searchLog(service, { action: 'account-closed' }, 1)).entries;
  assert.equal(
    closed!.entry.subject.id,
    entries[0]!.entry.subject.id,
    'the entries still show that it was one and the same',
  );
});

test('the pages of the log', async (t) => {
  const s = await startTestService(t);
  const { service } = s;
  const operator = await createOperator(s);
  const app = await s.createApp();
  const requestId = '019a0000-0000-7000-8000-000000000000';
  await withContext({ actor: 'operator', userId: operator.userId, client: '203.0.113.9', requestId }, () =>
    verifyApp(service, app.id),
  );
  await chained(service);
  const [entry] = (await searchLog(service, { action: 'app-verified' }, 1)).entries;

  await t.test('an operator finds an entry by each filter, and sees before and after', async () => {
    const found = `href="/operator/log/${entry!.sequence}"`;
    for (const query of ['', '?action=app-verified', `?who=${operator.userId}`, `?subject=${app.id}&from=2020-01-01`]) {
      const page = await operator.get(`/operator/log${query}`);
      assert.equal(page.statusCode, 200);
      assert.ok(page.body.includes(found), query);
    }
    for (const query of ['?action=app-deleted', '?who=root', '?to=2020-01-01', `?before=${entry!.sequence}`]) {
      assert.ok(!(await operator.get(`/operator/log${query}`)).body.includes(found), query);
    }
    const typed = await operator.get(`/operator/log?who=${encodeURIComponent(operator.email)}`);
    assert.deepEqual([typed.statusCode, typed.headers.location], [303, `/operator/log?who=${operator.userId}`]);
    const { body } = await operator.get(`/operator/log/${entry!.sequence}`);
    for (const text of [operator.email, '203.0.113.9', requestId, entry!.hash, app.id])
      assert.ok(body.includes(text), text);
    assert.match(body, /Verified<\/th><td data-label="Before">no<\/td><td data-label="After">yes/);
    for (const path of ['/operator/log/999999', '/operator/log/x']) {
      assert.equal((await operator.get(path)).statusCode, 404);
    }
    assert.equal((await operator.get('/operator/log?before=x')).statusCode, 400);
  });

  await t.test(
    'an operator who must confirm who they are returns to the filter, without a typed e-mail address',
    async () => {
      const late = await createOperator(s, { minutesAgo: 20 });
      const { headers } = await late.get('/operator/log?action=app-verified&who=ada%40mail.example');
      const { pathname, searchParams } = new URL(`${headers.location}`, 'http://x');
      assert.deepEqual([pathname, searchParams.get('return_to')], ['/sign-in', '/operator/log?action=app-verified']);
    },
  );

  await t.test('exports are files', async () => {
    for (const path of ['csv', 'export', 'head', 'key'].map((name) => `/operator/log/${name}`)) {
      const { statusCode, headers } = await operator.get(path);
      assert.equal(statusCode, 200, path);
      assert.match(`${headers['content-disposition']}`, /^attachment/);
    }
    const { body } = await operator.get('/operator/log/csv?action=app-verified');
    assert.equal(body.trim().split('\r\n').length, 2);
    assert.ok(body.includes(operator.email));
  });
});
