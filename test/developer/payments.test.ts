import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AppId, newRequestId } from '../../src/base/ids.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { findTransfersOfRequests } from '../../src/settlement/tables/transfers.ts';
import {
  addMember,
  createDeveloper,
  type Developer,
  errorBeside,
  registerApp,
  withForms,
} from '../kit/service/developer.ts';
import { approve, askFor, move } from '../kit/service/history.ts';
import { type Person, signIn } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { addHook } from '../kit/service/webhooks.ts';
import { asApp } from '../kit/unit/callers.ts';
import { insertRequestRows } from '../rows/requests.ts';

/** A developer's app with a guest who has 100 quarters and has paid 40 of them for a shield. */
async function openGame(s: TestService) {
  const developer = await createDeveloper(s);
  const { id, serverKey } = await registerApp(developer);
  const game = { id: id as AppId, address: '0x' as const, serverKey };
  const guest = await s.createGuest(game);
  await s.issue(guest.userId, 100);
  const player = { userId: guest.userId } as Person;
  const asked = await askFor(s, game, player, 40, 'A golden Shield');
  const paid = await approve(s, asked);
  await s.settled();
  const [transfer] = await findTransfersOfRequests(s.service.db, [asked.id]);
  const path = `/developer/apps/${id}/payments`;
  return { developer, game, guest, player, asked, paid, transfer: transfer!, path };
}

/** The ids of the payments that a list shows, in its order. */
function shown(body: string): string[] {
  return [...body.matchAll(/<td data-label="Time"><div><a href="[^"]*\/payments\/([^"]+)"/g)].map(([, id]) => id!);
}

async function listed(developer: Developer, path: string): Promise<string[]> {
  const answer = await developer.get(path);
  assert.equal(answer.statusCode, 200);
  return shown(answer.body);
}

describe('payments in the console', () => {
  test('a payment is found by each of its names, by its user, its words, its kind, its status and its time', async (t) => {
    const s = await sharedService(t);
    const { developer, game, guest, player, asked, paid, transfer, path } = await openGame(s);
    const declined = await askFor(s, game, player, 5, 'A hat, 100% wool_');
    await move(s, declined.id, 'decline');
    const refund = await refundRequest(s.service, asApp(game.id), { requestId: asked.id, amount: 15 });
    await s.settled();
    const all = [refund.requestId, declined.id, asked.id];

    for (const name of [
      asked.id,
      asked.id.toUpperCase(),
      transfer.id,
      paid.txHash,
      ` ${transfer.txHash.toUpperCase().replace('0X', '0x')} `,
    ]) {
      const answer = await developer.get(`${path}?q=${encodeURIComponent(name)}`);
      assert.equal(answer.headers.location, `${path}/${asked.id}`, name);
    }
    assert.deepEqual(await listed(developer, path), all);
    assert.deepEqual(await listed(developer, `${path}?q=${guest.userId}`), all);
    assert.deepEqual(await listed(developer, `${path}?q=golden+shield&kind=user`), [asked.id]);
    assert.deepEqual(await listed(developer, `${path}?q=100%25`), [declined.id], 'no wildcard');
    assert.deepEqual(await listed(developer, `${path}?q=h_t`), [], 'no wildcard');
    assert.deepEqual(await listed(developer, `${path}?kind=refund`), [refund.requestId]);
    assert.deepEqual(await listed(developer, `${path}?status=declined&user=${guest.userId}`), [declined.id]);
    const [from, to] = [asked.createdAt, new Date(Date.now() + 86_400_000)].map((at) => at.toISOString().slice(0, 10));
    assert.deepEqual(await listed(developer, `${path}?from=${from}&to=${to}&status=completed`), [
      refund.requestId,
      asked.id,
    ]);
    assert.deepEqual(await listed(developer, `${path}?to=2001-01-01`), []);
    assert.deepEqual(await listed(developer, `${path}?status=on-its-way`), [], 'nothing is open');
    const { body } = await developer.get(`${path}/${asked.id}`);
    assert.match(body, /<dt>Left to refund<\/dt><dd>25 quarters</);
    assert.deepEqual(
      await listed(developer, `${path}?status=nonsense&from=x&kind=__proto__`),
      all,
      'unknown values count as missing',
    );
  });

  test('payments of other apps are never shown, whatever names them', async (t) => {
    const s = await sharedService(t);
    const own = await openGame(s);
    const other = await openGame(s);
    for (const name of [other.asked.id, other.transfer.id, other.paid.txHash, other.guest.userId, other.game.id]) {
      const answer = await own.developer.get(`${own.path}?q=${name}`);
      assert.equal(answer.statusCode, 200);
      assert.deepEqual(shown(answer.body), []);
      assert.match(answer.body, /There is no such payment of this app/);
    }
    assert.deepEqual(await listed(own.developer, `${own.path}?user=${other.guest.userId}`), []);
    const sameCsv = await own.developer.get(`${own.path}.csv?user=${other.guest.userId}`);
    assert.equal(sameCsv.body.trim().split('\r\n').length, 1);
    const refused = [
      `${own.path}/${other.asked.id}`,
      `${own.path}/${other.asked.id}/progress`,
      `${own.path}/nonsense`,
      other.path,
      `${other.path}.csv`,
      `${other.path}/${other.asked.id}`,
      `${other.path}/${other.asked.id}/progress`,
      `/developer/apps/${other.game.id}`,
    ];
    for (const path of refused) assert.equal((await own.developer.get(path)).statusCode, 404, path);
    const viewer = await createDeveloper(s);
    await addMember(s, own.game.id, viewer, 'viewer');
    for (const path of [own.path, `${own.path}.csv`, `${own.path}/${own.asked.id}`, `/developer/apps/${own.game.id}`]) {
      assert.equal((await viewer.get(path)).statusCode, 200, `a viewer reads ${path}`);
    }
    const anonymous = await s.app.inject({ url: `${own.path}/${own.asked.id}/progress` });
    assert.equal(anonymous.statusCode, 404);
  });

  test('the page of a payment tells its life, its transaction, its refunds and where its events went', async (t) => {
    const s = await sharedService(t);
    const { developer, game, player, asked, paid, transfer, path } = await openGame(s);
    const refund = await refundRequest(s.service, asApp(game.id), { requestId: asked.id, amount: 15 });
    await s.settled();
    const { body } = await developer.get(`${path}/${asked.id}`);
    for (const text of [
      asked.id,
      transfer.id,
      paid.txHash,
      'A golden Shield',
      '15 quarters',
      `${path}/${refund.requestId}`,
    ]) {
      assert.ok(body.includes(text), text);
    }
    const steps = [...body.matchAll(/<li><span>([^<]+)<\/span>/g)].map(([, step]) => step);
    assert.deepEqual(steps, ['Requested', 'Approved by the player', 'Sent to the chain', 'Completed on the chain']);
    assert.match(body, /mined in block \d/);
    assert.match(body, /request\.approved<[\s\S]*Sent to no endpoint[\s\S]*request\.completed</);
    assert.ok(!body.includes('data-progress'), 'a final payment is not followed');
    const back = await developer.get(`${path}/${refund.requestId}`);
    assert.match(back.body, new RegExp(`Refund of</dt><dd><a href="${path}/${asked.id}"`));

    const endpoint = await addHook(s, game.id, 'https://game.invalid/hook');
    assert.ok(endpoint);
    const waiting = await askFor(s, game, player, 5);
    const pending = await developer.get(`${path}/${waiting.id}`);
    assert.match(pending.body, /The player has not answered yet/);
    assert.ok(pending.body.includes(`data-progress="${path}/${waiting.id}/progress"`));
    const { requests } = (await developer.get(`${path}/${waiting.id}/progress`)).json();
    assert.deepEqual(requests, [{ id: waiting.id, status: 'pending' }]);
    await move(s, waiting.id, 'decline');
    const declined = await developer.get(`${path}/${waiting.id}`);
    assert.match(declined.body, /request\.declined<[\s\S]*webhooks\/[^"]+">game\.invalid\/hook</);
  });

  test('an admin refunds a part and then the rest, once for each form, and after a look at what will happen', async (t) => {
    const s = await sharedService(t);
    const { developer, game, player, asked, path } = await openGame(s);
    const [admin, other] = [await createDeveloper(s), await createDeveloper(s)];
    await addMember(s, game.id, admin, 'admin');
    await addMember(s, game.id, other, 'developer');
    const page = `${path}/${asked.id}`;
    const formOf = (body: string) => /name="form" value="([^"]+)"/.exec(body)![1]!;
    const { body } = await admin.get(page);
    assert.match(body, /id="amount" name="amount" type="text" value="40"/);
    const form = { form: formOf(body), amount: '15' };
    for (const amount of ['41', '0', '-1', '1.5', '', 'x']) {
      const refused = await admin.post(`${page}/refund`, { ...form, amount });
      assert.equal(refused.statusCode, 400);
      assert.equal(errorBeside(refused.body, 'amount'), 'Enter a whole number from 1 to 40, digits only.');
    }
    const look = await admin.post(`${page}/refund`, form);
    assert.match(
      look.body,
      /The player gets 15 quarters back from your app’s account[\s\S]*Left to refund after<\/dt><dd>25 /,
    );
    assert.deepEqual(await listed(developer, `${path}?kind=refund`), [], 'nothing is refunded before it is confirmed');

    const sure = { ...form, form: formOf(look.body), confirmed: 'true' };
    const [first, again] = await Promise.all([admin.post(`${page}/refund`, sure), admin.post(`${page}/refund`, sure)]);
    assert.deepEqual([first.statusCode, again.headers.location], [303, first.headers.location]);
    await s.settled();
    const rest = await admin.get(page);
    assert.match(rest.body, /<dt>Left to refund<\/dt><dd>25 quarters</);
    const all = { form: formOf(rest.body), amount: '25', confirmed: 'true' };
    const tooMuch = await admin.post(`${page}/refund`, { ...all, amount: '26' });
    assert.equal(errorBeside(tooMuch.body, 'amount'), '25 quarters are left to refund.');
    // The form is kept while its sender confirms who they are.
    const old = withForms(s, { ...admin, ...(await signIn(s, admin.userId, 60)) });
    const confirm = await old.post(`${page}/refund`, all);
    assert.match(String(confirm.headers.location), /^\/sign-in\?again=true&return_to=%2Fcontinue%2F/);
    const { headers } = await admin.post(`${page}/refund`, all);
    await s.settled();
    assert.match((await developer.get(String(headers.location))).body, /<dt>Status<\/dt><dd><span id="completed"/);
    assert.equal((await listed(developer, `${path}?kind=refund`)).length, 2);
    assert.doesNotMatch((await admin.get(page)).body, /Refund…/, 'nothing is left');
    const entries = await s.service.db.query<{ actor: string; after: object }>(
      `SELECT entry->'actor'->>'kind' AS actor, entry->'after' AS after FROM operator_log
        WHERE entry->>'action' = 'payment-refunded' AND entry->'subject'->>'id' = $1 ORDER BY id`,
      [asked.id],
    );
    assert.deepEqual(
      entries,
      ['15', '25'].map((quarters) => ({ actor: 'user', after: { app: game.id, quarters } })),
    );

    const unpaid = await askFor(s, game, player, 5);
    assert.doesNotMatch((await developer.get(`${path}/${unpaid.id}`)).body, /Refund…/, 'nothing is paid');
    assert.equal((await other.post(`${page}/refund`, all)).statusCode, 403);
    assert.doesNotMatch((await other.get(page)).body, /Refund…/);
    assert.equal((await developer.get(`${page}/refund`)).headers.location, page);
  });

  test('a search reads 5,000 payments at a time, and pages neither repeat nor miss any', async (t) => {
    const s = await sharedService(t);
    const { developer, game, player, asked, path } = await openGame(s);
    const rows = Array.from({ length: 5_010 }, (_, i) => ({
      ...{ id: newRequestId(), appId: game.id, userId: player.userId, status: 'declined' as const },
      description: i < 30 ? 'a feather' : '',
    }));
    await insertRequestRows(s.service.db, rows);
    const first = await developer.get(`${path}?q=shield`);
    assert.deepEqual(shown(first.body), []);
    assert.match(first.body, /Nothing found so far[\s\S]*Search older payments/);
    const next = /<a href="([^"]+)" rel="next">/.exec(first.body)![1]!.replaceAll('&amp;', '&');
    assert.deepEqual(await listed(developer, next), [asked.id]);

    const found: string[] = [];
    for (let page: string | undefined = `${path}?q=feather`; page; ) {
      const { body } = await developer.get(page);
      found.push(...shown(body));
      page = /<a href="([^"]+)" rel="next">/.exec(body)?.[1]?.replaceAll('&amp;', '&');
    }
    const feathers = rows.slice(0, 30).map(({ id }) => id);
    assert.deepEqual(found, feathers.sort().reverse());
  });

  test('an export has what is filtered, and no cell starts a formula', async (t) => {
    const s = await sharedService(t);
    const { developer, game, player, asked, paid, path } = await openGame(s);
    const hostile = await askFor(s, game, player, 5, '=HYPERLINK("https://evil.example")');
    await move(s, hostile.id, 'cancel');
    const whole = await developer.get(`${path}.csv`);
    assert.match(String(whole.headers['content-disposition']), /^attachment; filename="payments.csv"$/);
    const lines = whole.body.trim().split('\r\n');
    assert.equal(lines.length, 3);
    assert.match(lines[1]!, /"cancelled","5".*"'=HYPERLINK\(""https/);
    assert.ok(
      lines[2]!.includes(`"completed","40","0","${player.userId}","A golden Shield","${asked.id}","${paid.txHash}"`),
    );
    const some = await developer.get(`${path}.csv?status=completed`);
    assert.deepEqual(some.body.trim().split('\r\n').slice(1), [lines[2]]);
  });
});
