import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { DECLARED_ACTIONS } from '../../src/features/operator-actions/declarations.ts';
import { performAction } from '../../src/features/operator-actions/perform-action.ts';
import type { ActingOperator } from '../../src/features/operators/operators.ts';
import { lookUpApp } from '../../src/identity/apps.ts';
import { askedFields } from '../../src/wings/operators-console/pages/actions/forms.ts';
import { createDeveloper, type Developer, errorBeside, registerApp } from '../kit/service/developer.ts';
import { mailAtOnce, mailsTo } from '../kit/service/mailbox.ts';
import { createOperator } from '../kit/service/operator.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const ENV = { FOUR_EYES_ABOVE: '1000' };
const SHELL: ActingOperator = { kind: 'shell', osUser: 'deploy' };

const textOf = (body: string) => body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

/** The hidden fields of the last form of a page, which is the page's own. */
function fieldsOf(body: string): Record<string, string> {
  const form = body.slice(body.lastIndexOf('<form'));
  const found = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name!, value!]));
}

/** Sends a form, and confirms what the page then says. */
async function confirmed(operator: Developer, form: Record<string, string>) {
  const shown = await operator.post('/operator/actions/prepare', { action: randomUUID(), reason: 'A test', ...form });
  assert.equal(shown.statusCode, 200, textOf(shown.body));
  const perform = () => operator.post('/operator/actions/perform', fieldsOf(shown.body));
  const done = await perform();
  assert.equal(done.statusCode, 303, textOf(done.body));
  return { shown, page: `${done.headers.location}`, perform };
}

test('every route of actions is refused for everybody who is not an operator with a fresh passkey session', async (t) => {
  const s = await sharedService(t, { env: ENV });
  const app = await s.createApp();
  const { action } = await performAction(s.service, SHELL, {
    id: randomUUID(),
    kind: 'issue',
    params: { recipient: app.id, quarters: 5000 },
    reason: 'Waits',
  });
  const one = `/operator/actions/${action.id}`;
  const form = { kind: 'verify-app', app: app.id, reason: 'A test', action: randomUUID(), hash: action.paramsHash };
  const routes: readonly [method: 'GET' | 'POST', path: string, fresh: boolean][] = [
    ['GET', '/operator/actions', false],
    ['GET', one, true],
    ['GET', '/operator/issue', true],
    ['GET', '/operator/reward', true],
    ['GET', '/operator/player-reports', true],
    ['POST', '/operator/actions/prepare', true],
    ['POST', '/operator/actions/perform', true],
    ['POST', `${one}/approve`, true],
    ['POST', `${one}/refuse`, true],
    ['POST', `${one}/retry`, true],
  ];
  const developer = await createDeveloper(s);
  await registerApp(developer);
  const callers = {
    player: [await createDeveloper(s), () => 404],
    developer: [developer, () => 404],
    'operator by password': [await createOperator(s, { methods: ['pwd'] }), () => 403],
    'operator whose sign-in is old': [
      await createOperator(s, { minutesAgo: 20 }),
      (fresh: boolean) => (fresh ? 303 : 200),
    ],
    operator: [await createOperator(s), (_fresh: boolean, method: string) => (method === 'GET' ? 200 : undefined)],
  } as const;
  for (const [name, [caller, expected]] of Object.entries(callers)) {
    await t.test(name, async () => {
      for (const [method, path, fresh] of routes) {
        const wanted = expected(fresh, method);
        if (wanted === undefined) continue;
        const answer = await (method === 'GET' ? caller.get(path) : caller.post(path, form));
        assert.equal(answer.statusCode, wanted, `${method} ${path}`);
        if (wanted === 303) assert.match(`${answer.headers.location}`, /^\/sign-in\?again=true/);
      }
    });
  }
  await t.test('signed out', async () => {
    for (const [method, url] of routes) {
      const answer = await s.app.inject({ method, url, headers: { 'sec-fetch-site': 'same-origin' } });
      assert.match(`${answer.headers.location}`, /^\/sign-in\?/, `${method} ${url}`);
    }
  });
  assert.equal((await lookUpApp(s.service.db, app.id))?.verifiedAt, null, 'nothing was done');
});

test('an operator acts in the console', async (t) => {
  const s = await sharedService(t, { env: ENV });
  const { db } = s.service;
  const operator = await createOperator(s, { displayName: 'Olga' });
  const other = await createOperator(s, { displayName: 'Otto' });

  await t.test('an app is verified after a page that says so; sent again, it is the same action', async () => {
    const app = await s.createApp({ name: 'Castle <b>' });
    const { shown, page, perform } = await confirmed(operator, { kind: 'verify-app', app: app.id });
    assert.match(textOf(shown.body), /Mark the app Castle &lt;b&gt; as verified.* Verified no → yes/);
    const { verifiedAt } = (await lookUpApp(db, app.id))!;
    assert.notEqual(verifiedAt, null);
    assert.equal((await perform()).headers.location, page);
    const body = textOf((await operator.get(page)).body);
    assert.match(body, /Verify an app .*done.*A test.*Olga/);
    assert.deepEqual((await lookUpApp(db, app.id))!.verifiedAt, verifiedAt);
  });

  await t.test('a suspended app and a frozen player are marked, and their actions say what changed', async () => {
    const [{ id }, player] = [await s.createApp({ name: 'Wheel' }), await createDeveloper(s)];
    const suspended = await confirmed(operator, { kind: 'suspend-app', app: id });
    assert.match(textOf((await operator.get(suspended.page)).body), /App Wheel .*Suspended yes/);
    assert.match((await operator.get(`/operator/apps/${id}`)).body, /class="badge bad">Suspended</);
    await confirmed(operator, { kind: 'freeze-user', user: player.userId });
    assert.match((await operator.get(`/operator/users/${player.userId}`)).body, /class="badge bad">Frozen</);
  });

  await t.test('nobody without a passkey is offered as an operator', async () => {
    const { email } = await createDeveloper(s);
    const form = { kind: 'add-operator', email, reason: 'A test', action: randomUUID() };
    const refused = await operator.post('/operator/actions/prepare', form);
    assert.equal(refused.statusCode, 400);
    assert.match(refused.body, /without a passkey/);
  });

  await t.test('the limits of auto approval are stored with it', async () => {
    const app = await s.createApp();
    const limits = { perTransfer: '5', perDay: '50' };
    await confirmed(operator, { kind: 'enable-auto-approval', app: app.id, ...limits });
    const { autoApprove, mandatePerTransfer, mandatePerDay } = (await lookUpApp(db, app.id))!;
    assert.deepEqual([autoApprove, mandatePerTransfer, mandatePerDay], [true, 5n, 50n]);
  });

  await t.test('a large issue waits, and another operator approves what the page shows', async () => {
    const app = await s.createApp();
    const { shown, page } = await confirmed(operator, { kind: 'issue', recipient: app.id, quarters: '2000' });
    assert.match(textOf(shown.body), /Issue 2,000 quarters .*another operator must approve/);
    const { subject, text } = await mailAtOnce(s, other.email);
    assert.equal(subject, 'Your approval is needed: Issue quarters');
    assert.ok(text.includes(page));
    assert.deepEqual(await mailsTo(s, operator.email), []);
    const own = await operator.get(page);
    assert.doesNotMatch(own.body, /\/approve"/, 'not their own');
    assert.match(textOf((await other.get('/operator/actions')).body), /Waiting for you .*Issue quarters/);
    const approval = await other.get(page);
    const hash = /name="hash" value="([0-9a-f]{64})"/.exec(approval.body)![1]!;
    assert.equal((await operator.post(`${page}/approve`, { hash })).statusCode, 403);
    assert.equal((await other.post(`${page}/approve`, { hash })).statusCode, 303);
    assert.match(textOf((await operator.get(page)).body), /done.*Approved by Otto/);
    const logged = await db.query<{ action: string }>(`SELECT action FROM operator_log ORDER BY id DESC LIMIT 3`);
    assert.deepEqual(
      logged.map(({ action }) => action),
      ['quarters-issued', 'action-approved', 'action-proposed'],
    );
    await s.settled();
    const [account] = await db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE app_id = $1', [app.id]);
    assert.equal(account!.posted, 2000n);
  });

  await t.test('a refused form is shown again, and nothing is done', async () => {
    const form = { kind: 'issue', page: '/operator/issue', recipient: 'nobody', quarters: '7', reason: 'x' };
    const answer = await operator.post('/operator/actions/prepare', { action: randomUUID(), ...form });
    assert.equal(answer.statusCode, 404);
    assert.match(answer.body, /role="alert">There is no app and no user &quot;nobody&quot;/);
    assert.match(answer.body, /name="quarters" type="text" value="7"/);
    const app = (await s.createApp()).id;
    const limits = { kind: 'enable-auto-approval', page: `/operator/apps/${app}`, app, perTransfer: '50', perDay: '5' };
    const again = await operator.post('/operator/actions/prepare', { action: randomUUID(), reason: 'x', ...limits });
    assert.equal(again.statusCode, 400);
    assert.match(
      errorBeside(again.body, 'perTransfer')!,
      /^The most per payment must not be more than the limit per day/,
    );
    assert.match(again.body, /name="perTransfer" type="text" value="50"/);
    assert.equal(fieldsOf(again.body).app, app, 'also from the page of the app');
    const other = { action: randomUUID(), kind: 'pay-file', reason: 'x' };
    const unknown = await operator.post('/operator/actions/prepare', other);
    assert.equal(unknown.statusCode, 404);
    assert.match(unknown.body, /role="alert">There is no such action.*href="\/operator\/actions">Go back/s);
  });

  await t.test('each action’s form says what is wrong beside its field', async () => {
    const wrong = {
      number: 'x',
      text: 'y'.repeat(5_000),
      app: '',
      user: '',
      person: '',
      transfer: '',
      report: '',
    } as const;
    const app = (await s.createApp()).id;
    let fields = 0;
    for (const { name: kind, forms, page } of DECLARED_ACTIONS) {
      if (!forms) continue;
      const known = Object.fromEntries(forms.map(({ on, knows = on }) => [knows, on === 'app' ? app : randomUUID()]));
      const asked = askedFields(kind, page ? {} : known).filter(([, { options, optional }]) => !options && !optional);
      const right = Object.fromEntries(asked.map(([input, { kind: of }]) => [input, of === 'number' ? '1' : 'x']));
      for (const [input, { kind: of }] of asked) {
        const sent = { ...(!page && known), ...right, [input]: wrong[of as keyof typeof wrong] };
        const where = page?.path ?? '/operator/actions';
        const form = { action: randomUUID(), kind, page: where, reason: 'x', ...sent };
        const { body } = await operator.post('/operator/actions/prepare', form);
        assert.match(errorBeside(body, input) ?? '', /^The .+\.$/, `${kind}: ${input}`);
        const field = new RegExp(`<input [^>]*name="${input}"[^>]*>`).exec(body)![0];
        assert.match(field, new RegExp(`aria-describedby="${input}-error`), `${kind}: ${input}`);
        assert.match(field, /aria-invalid="true"/);
        assert.doesNotMatch(body, /role="alert"/);
        fields++;
      }
    }
    assert.ok(fields > 5, `${fields} fields`);
  });

  await t.test('the last operator is not removed by the console', async () => {
    const s = await sharedService(t, { env: { ...ENV, BRAND_NAME: 'Alone' } });
    const alone = await createOperator(s);
    const answer = await alone.post('/operator/actions/perform', {
      ...{ action: randomUUID(), reason: 'Bye', kind: 'remove-operator', user: alone.userId },
    });
    assert.equal(answer.statusCode, 409);
    assert.equal((await alone.get('/operator/actions')).statusCode, 200);
  });
});
