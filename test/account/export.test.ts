import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asAddress, toChecksum } from '../../src/base/address.ts';
import { csvLine } from '../../src/base/csv.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { seedOf } from '../kit/run/seed.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { approve, askFor, pay } from '../kit/service/history.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { visit } from '../kit/service/visits.ts';
import { insertDetachedMonths, removeMonths } from '../rows/archived-months.ts';

/** A strict reader of RFC 4180: every cell is quoted, and CRLF ends every record. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  for (let at = 0, record: string[] = []; at < text.length; ) {
    const cell = /"((?:[^"]|"")*)"(,|\r\n)/y;
    cell.lastIndex = at;
    const found = cell.exec(text);
    assert.ok(found, `no cell at ${at}: ${text.slice(at, at + 40)}`);
    record.push(found[1]!.replaceAll('""', '"'));
    at = cell.lastIndex;
    if (found[2] === '\r\n') {
      records.push(record);
      record = [];
    }
  }
  return records;
}

test('any text survives a CSV file, and no cell starts a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), (cells) => {
      const [read, ...others] = parseCsv(csvLine(cells));
      assert.deepEqual(others, []);
      for (const [i, cell] of cells.entries()) {
        assert.ok(read![i] === cell.toWellFormed() || read![i] === `'${cell.toWellFormed()}`);
        assert.doesNotMatch(read![i]!, /^[=+\-@\t\r\n]/);
      }
    }),
    { seed: seedOf('properties') },
  );
  assert.equal(csvLine(['=1+1', '\tx', 10n, -5, null, true]), `"'=1+1","'\tx","10","-5","","true"\r\n`);
});

test('the exports of an account', async (t) => {
  const service = await sharedService(t);
  const { db } = service.service;
  const game = await service.createApp({ name: '=HYPERLINK(A1;"Chess")' });
  await service.issue(game.id, 100);
  const ada = await createPerson(service, { displayName: '+Ada' });
  const eve = await createPerson(service);
  await service.issue(ada.userId, 50);
  const bought = await askFor(service, game, ada, 20, '@SUM(1;2)\n"sword"');
  await approve(service, bought);
  await pay(service, game, ada, 7);
  await service.settled();
  await askFor(service, game, ada, 1);
  await askFor(service, game, eve, 33, 'not of Ada');

  await t.test('the export of the activity holds every payment once', async () => {
    const { status, headers, body } = await visit(service, ada, '/account/export.csv');
    assert.equal(status, 200);
    assert.equal(headers['content-disposition'], 'attachment; filename="quarters-activity.csv"');
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const [names, ...records] = parseCsv(body);
    const column = (name: string) => records.map((record) => record[names!.indexOf(name)]);
    assert.deepEqual(column('kind'), ['request', 'payout', 'request', 'operator']);
    assert.deepEqual(column('state'), ['pending', 'completed', 'completed', 'completed']);
    assert.deepEqual(column('direction'), ['none', 'in', 'out', 'in']);
    assert.deepEqual(column('quarters'), ['1', '7', '20', '50']);
    assert.deepEqual(column('app').slice(0, 1), [`'=HYPERLINK(A1;"Chess")`]);
    assert.deepEqual(column('description').slice(2), ['\'@SUM(1;2)\n"sword"', '']);
    assert.equal(column('other address')[2], toChecksum(asAddress(game.address)));
    assert.deepEqual(column('without asking'), ['', '', 'false', '']);
    for (const time of column('time')) assert.match(time!, /^20\d\d-.*Z$/);
    for (const hash of column('transaction').slice(1)) assert.match(hash!, /^0x[0-9a-f]{64}$/);
  });

  await t.test('the export of the profile holds what is stored about the user', async () => {
    await grantConsent(db, { userId: ada.userId, appId: game.id, scopes: ['profile'] });
    await grantMandate(db, {
      userId: ada.userId,
      appId: game.id,
      maxPerTransfer: asQuarters(4),
      maxPerDay: asQuarters(12),
      days: 3,
    });
    const { headers, body } = await visit(service, ada, '/account/export-profile.csv');
    assert.equal(headers['content-disposition'], 'attachment; filename="quarters-profile.csv"');
    const records = parseCsv(body);
    const facts = new Map(records.map(([what, value]) => [what, value]));
    assert.equal(facts.get('user id'), ada.userId);
    assert.equal(facts.get('display name'), "'+Ada");
    assert.equal(facts.get('e-mail address'), ada.email);
    assert.equal(facts.get('account on the chain'), toChecksum(ada.address));
    assert.equal(facts.get('quarters to spend'), '37');
    assert.equal(facts.get('app has access to'), 'profile');
    assert.equal(facts.get('app’s spending limit per payment'), '4');
    assert.equal(facts.get('app’s spending limit per day'), '12');
    assert.ok(records.every((record) => record.length === 2));
    assert.ok(!body.includes(ada.cookie.split('=')[1]!));
  });

  await t.test('an export holds nothing of other users', async () => {
    for (const file of ['export', 'export-profile']) {
      const { body } = await visit(service, eve, `/account/${file}.csv`);
      assert.ok(!body.includes(ada.email) && !body.includes('sword') && !body.includes(bought.id));
    }
  });

  await t.test('the export of the activity and its page say from when on payments are archived', async () => {
    await insertDetachedMonths(db, [{ month: '2098-12-01', lastBlock: 0 }]);
    const { body } = await visit(service, ada, '/account/export.csv');
    const page = await visit(service, ada, '/account/activity?show=failed');
    await removeMonths(db, { month: '2098-12-01' });
    assert.match(page.body, /Entries from before [^<]*January 1, 2099|Entries from before [^<]*1 January 2099/);
    assert.doesNotMatch((await visit(service, ada, '/account/activity?show=failed')).body, /Entries from before/);
    assert.deepEqual(parseCsv(body).at(-1)!.slice(0, 3), ['2099-01-01T00:00:00.000Z', 'archived', '']);
  });
});
