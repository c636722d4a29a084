import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cookieOf, hiddenField, sendForm } from '../kit/service/forms.ts';
import { codeIn, mailAtOnce, mailsTo } from '../kit/service/mailbox.ts';
import type { Person } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { behindProxy, PASSWORD, personWithPassword, somewhere } from '../kit/service/with-password.ts';
import { ageAttemptBudget, fillAttemptBudget } from '../rows/passing.ts';

const NEW_PASSWORD = 'a brand new horse';

test('a known browser and its account', async (t) => {
  const service = await sharedService(t, behindProxy);
  const { db } = service.service;
  const post = (path: string, fields: Record<string, string>, cookie = '', from = somewhere()) =>
    sendForm(service, path, fields, { ...from, ...(cookie && { cookie }) });
  const tryPassword = async (email: string, password: string, cookie = '', from = somewhere()) =>
    (await post('/sign-in', { email, password }, cookie, from)).statusCode;
  /** Signs in, and keeps what tells that the browser is known. */
  const knownTo = async ({ email }: Person, before = '') => {
    const cookie = browserCookie(await post('/sign-in', { email, password: PASSWORD }, before));
    assert.notEqual(cookie, '');
    return cookie;
  };
  /** What strangers elsewhere can do at the most: all shared tries of an hour are failures. */
  const lockOut = async ({ email }: { email: string }) => {
    await tryPassword(email, 'wrong password');
    await fillAttemptBudget(db, await lastBudget(service), 100);
  };

  await t.test(
    'a known browser signs in after strangers used up all tries, and others are told what helps',
    async (t) => {
      watchDelays(t, service);
      const ada = await personWithPassword(service);
      const cookie = await knownTo(ada);
      await lockOut(ada);
      const refused = await post('/sign-in', { email: ada.email, password: PASSWORD });
      assert.equal(refused.statusCode, 429);
      assert.match(
        refused.body,
        /Please wait up to an hour[^<]* a passkey, or a browser you have signed in with before/,
      );
      assert.equal(await tryPassword(ada.email, PASSWORD, cookie), 303);
    },
  );

  await t.test('a known browser signs in after strangers used up the tries of its place', async (t) => {
    watchDelays(t, service);
    const ada = await personWithPassword(service);
    const cookie = await knownTo(ada);
    const school = somewhere();
    for (let i = 0; i < 10; i++) await tryPassword(ada.email, 'wrong password', '', school);
    const refused = await post('/sign-in', { email: ada.email, password: PASSWORD }, '', school);
    assert.equal(refused.statusCode, 429);
    assert.match(refused.body, /a browser you have signed in with before/);
    assert.equal(await tryPassword(ada.email, PASSWORD, cookie, school), 303);
  });

  await t.test('a known browser has ten failures without delay, then counts like any other', async (t) => {
    const delays = watchDelays(t, service);
    const ada = await personWithPassword(service);
    const cookie = await knownTo(ada);
    await lockOut(ada);
    delays.splice(0);
    for (let i = 0; i < 9; i++) assert.equal(await tryPassword(ada.email, 'wrong password', cookie), 422);
    assert.equal(await tryPassword(ada.email, PASSWORD, cookie), 303, 'what is right is no failure');
    assert.equal(await tryPassword(ada.email, 'wrong password', cookie), 422);
    assert.equal(await tryPassword(ada.email, PASSWORD, cookie), 429);
    assert.deepEqual(delays, Array(11).fill(0));
  });

  await t.test('a browser can be known to several accounts, and helps with no others', async (t) => {
    watchDelays(t, service);
    const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => personWithPassword(service)));
    const cookie = await knownTo(bob!, await knownTo(ada!));
    for (const person of [ada!, bob!, eve!]) await lockOut(person);
    assert.equal(await tryPassword(ada!.email, PASSWORD, cookie), 303);
    assert.equal(await tryPassword(bob!.email, PASSWORD, cookie), 303);
    assert.equal(await tryPassword(eve!.email, PASSWORD, cookie), 429);
  });

  await t.test('a forged cookie, or one of another purpose, makes no browser known', async (t) => {
    watchDelays(t, service);
    const ada = await personWithPassword(service);
    const cookie = await knownTo(ada);
    const flow = hiddenField((await post('/forgot', { email: ada.email })).body, 'flow');
    await lockOut(ada);
    const [name, value = ''] = cookie.split('=');
    for (const forged of [
      '',
      'x',
      `${value.slice(0, -4)}AAAA`,
      flow,
      btoa(JSON.stringify({ browsers: [ada.userId] })),
    ]) {
      assert.equal(await tryPassword(ada.email, PASSWORD, `${name}=${forged}`), 429, forged);
    }
    assert.ok(
      !value.includes(ada.userId) && !atob(value.replaceAll('-', '+').replaceAll('_', '/')).includes(ada.userId),
    );
  });

  await t.test('a browser is forgotten after 400 days', async (t) => {
    watchDelays(t, service);
    const ada = await personWithPassword(service);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 400 * 86_400_000 });
    const cookie = await knownTo(ada);
    t.mock.timers.reset();
    await lockOut(ada);
    assert.equal(await tryPassword(ada.email, PASSWORD, cookie), 429);
  });

  await t.test('a password change forgets all browsers but the one it was made in', async (t) => {
    watchDelays(t, service);
    const ada = await personWithPassword(service);
    const [elsewhere, here] = [await knownTo(ada), await knownTo(ada)];
    const fields = { csrf: ada.csrf, current: PASSWORD, current_password: PASSWORD, password: NEW_PASSWORD };
    const changed = await post('/account/password', fields, `${ada.cookie}; ${here}`);
    assert.equal(changed.headers.location, '/account?changed=password');
    await lockOut(ada);
    assert.equal(await tryPassword(ada.email, NEW_PASSWORD, elsewhere), 429);
    assert.equal(await tryPassword(ada.email, NEW_PASSWORD, here), 429);
    assert.equal(await tryPassword(ada.email, NEW_PASSWORD, browserCookie(changed)), 303);
  });

  await t.test('a known browser keeps its counted failures when it signs in again', async (t) => {
    watchDelays(t, service);
    const ada = await personWithPassword(service);
    let cookie = await knownTo(ada);
    for (let i = 0; i < 10; i++) {
      await tryPassword(ada.email, 'wrong password', cookie);
      if (i < 9) cookie = await knownTo(ada, cookie);
    }
    await lockOut(ada);
    assert.equal(await tryPassword(ada.email, PASSWORD, cookie), 429);
  });

  await t.test('a known browser gets a reset code after strangers used up the day’s codes', async (t) => {
    watchDelays(t, service);
    const ada = await personWithPassword(service);
    const cookie = await knownTo(ada);
    const school = somewhere();
    for (let i = 0; i < 20; i++) assert.equal((await post('/forgot', { email: ada.email })).statusCode, 200);
    const refused = await post('/forgot', { email: ada.email });
    assert.equal(refused.statusCode, 429);
    assert.match(refused.body, /Please wait up to a day[^<]* a browser you have signed in with before/);
    assert.match(refused.body, /<a href="\/sign-in\?return_to=%2Faccount">/, 'where a passkey signs in');
    await mailAtOnce(service, ada.email, 20);
    const asked = await post('/forgot', { email: ada.email }, cookie, school);
    assert.equal(asked.statusCode, 200);
    const code = codeIn(await mailAtOnce(service, ada.email, 21));

    // Strangers of the same place have used up its tries at codes, too.
    const strange = hiddenField((await post('/forgot', { email: 'strange@mail.example' })).body, 'flow');
    for (let i = 0; i < 50; i++) await post('/forgot/code', { flow: strange, code: '1' }, '', school);
    const flow = hiddenField(asked.body, 'flow');
    const late = await post('/forgot/code', { flow, code }, '', school);
    assert.equal(late.statusCode, 429);
    assert.match(late.body, /Too many attempts/);
    assert.equal(hiddenField(late.body, 'flow'), flow);
    const step = await post('/forgot/code', { flow, code }, cookie, school);
    assert.equal(step.statusCode, 200);
    const done = await post(
      '/forgot/password',
      { flow: hiddenField(step.body, 'flow'), password: NEW_PASSWORD },
      cookie,
    );
    assert.equal(done.statusCode, 303);
    await lockOut(ada);
    assert.equal(await tryPassword(ada.email, NEW_PASSWORD, cookie), 429, 'it was of the old password');
    assert.equal(await tryPassword(ada.email, NEW_PASSWORD, browserCookie(done)), 303);
  });

  await t.test('a known browser gets ten codes a day of its own', async (t) => {
    watchDelays(t, service);
    const ada = await personWithPassword(service);
    const cookie = await knownTo(ada);
    await post('/forgot', { email: ada.email });
    await fillAttemptBudget(db, await lastBudget(service), 20);
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push((await post('/forgot', { email: ada.email }, cookie)).statusCode);
    assert.deepEqual(statuses, [...Array(10).fill(200), 429]);
    assert.ok((await mailsTo(service, ada.email)).length <= 11);
  });

  await t.test('the known-browser cookie is HttpOnly, for our pages only, and lasts 400 days', async () => {
    const ada = await personWithPassword(service);
    const { cookies } = await post('/sign-in', { email: ada.email, password: PASSWORD });
    const found = cookies.find(({ name }) => name.startsWith('quarters_browser_'));
    const { name: _, value, ...attributes } = found!;
    assert.deepEqual(attributes, { path: '/', httpOnly: true, sameSite: 'Lax', maxAge: 400 * 86_400 });
    assert.ok(value.length < 500, `${value.length} characters`);
  });
});

test('unknown browsers and an account', async (t) => {
  const service = await sharedService(t, behindProxy);
  const { db } = service.service;
  const tryPassword = async (email: string, password: string) =>
    (await sendForm(service, '/sign-in', { email, password }, somewhere())).statusCode;

  await t.test('unknown browsers get a hundred failures an hour, in a sliding window', async (t) => {
    watchDelays(t, service);
    const { email, userId } = await personWithPassword(service);
    const note = t.mock.method(service.service.security, 'note');
    for (let i = 0; i < 100; i++) assert.equal(await tryPassword(email, 'wrong password'), 422, `try ${i + 1}`);
    const key = await lastBudget(service);
    assert.equal(await tryPassword(email, PASSWORD), 429);
    const lockouts = note.mock.calls.filter(({ arguments: [event] }) => event === 'locked-out');
    assert.deepEqual(
      lockouts.map(({ arguments: [, facts] }) => facts),
      [{ what: 'sign-in, 100 in 60 minutes', userId }],
    );
    await ageAttemptBudget(db, key, '59 minutes');
    assert.equal(await tryPassword(email, PASSWORD), 429);
    await ageAttemptBudget(db, key, '1 minute');
    assert.equal(await tryPassword(email, PASSWORD), 303);
  });

  await t.test('a correct password counts as no failure and delays nobody', async (t) => {
    const delays = watchDelays(t, service);
    const { email } = await personWithPassword(service);
    for (let i = 0; i < 8; i++) assert.equal(await tryPassword(email, PASSWORD), 303);
    assert.deepEqual(delays, Array(8).fill(0));
  });

  await t.test('the right password waits as long as a wrong one would', async (t) => {
    const delays = watchDelays(t, service);
    const { email } = await personWithPassword(service);
    for (let i = 0; i < 7; i++) await tryPassword(email, 'wrong password');
    assert.equal(await tryPassword(email, PASSWORD), 303);
    assert.deepEqual(delays, [0, 0, 0, 0, 0, 250, 500, 1000]);
  });

  await t.test('an address without an account gets the same answers, delays and statements', async (t) => {
    const { email } = await personWithPassword(service);
    const looks = [];
    for (const asked of [email, 'nobody-at-all@mail.example']) {
      const delays = watchDelays(t, service);
      const query = t.mock.method(db, 'query');
      const answers = [];
      for (let i = 0; i < 8; i++) {
        // As after 96 failures: the last four are refused.
        if (i === 4) await fillAttemptBudget(db, await lastBudget(service), 100);
        const { statusCode, body } = await sendForm(
          service,
          '/sign-in',
          { email: asked, password: 'wrong' },
          somewhere(),
        );
        answers.push([statusCode, body.replaceAll(asked, '')]);
      }
      const statements = query.mock.calls.map(({ arguments: [text] }) => text).filter((text) => OF_SIGN_IN.test(text));
      assert.ok(statements.length >= 8 * 5);
      looks.push({ answers, delays: [...delays], statements });
      t.mock.restoreAll();
    }
    assert.deepEqual(looks[1], looks[0]);
    assert.deepEqual(
      looks[0]?.answers.map(([status]) => status),
      [422, 422, 422, 422, 429, 429, 429, 429],
    );
  });

  await t.test('a sign-in refused because of overload does not count as a failure', async (t) => {
    const { email } = await personWithPassword(service);
    const wait = t.mock.method(service.service.delays, 'wait', async () => {
      throw new Error('no room');
    });
    for (let i = 0; i < 3; i++) assert.equal(await tryPassword(email, PASSWORD), 500);
    wait.mock.restore();
    const delays = watchDelays(t, service);
    for (let i = 0; i < 5; i++) await tryPassword(email, 'wrong password');
    assert.deepEqual(delays, Array(5).fill(0));
  });
});

/** Statements of a sign-in, among those of loops and of the test. */
const OF_SIGN_IN = /lower\(email|FROM passwords|INTO attempt|array_position/;

/** Delays as they would be, in ms, and none of them waited for. */
function watchDelays(t: TestContext, { service }: TestService): number[] {
  const waited: number[] = [];
  t.mock.method(service.delays, 'wait', async (ms: number) => void waited.push(ms));
  return waited;
}

/** The key of the budget something was taken from last. */
async function lastBudget({ service }: TestService): Promise<Buffer> {
  const [row] = await service.db.query<{ key: Buffer }>(
    'SELECT key FROM attempt_budgets ORDER BY taken[cardinality(taken)] DESC NULLS LAST LIMIT 1',
  );
  return row!.key;
}

function browserCookie(answer: Parameters<typeof cookieOf>[0]): string {
  return cookieOf({ cookies: answer.cookies.filter(({ name }) => name.startsWith('quarters_browser_')) });
}
