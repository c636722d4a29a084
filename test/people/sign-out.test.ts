import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendForm } from '../kit/service/forms.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test('signing out', async (t) => {
  const service = await sharedService(t);
  const person = await createPerson(service);
  const page = (cookie?: string) => service.app.inject({ url: '/sign-out', headers: cookie ? { cookie } : {} });
  const { cookie, csrf } = person;

  await t.test('GET /sign-out asks first and ends nothing', async () => {
    const { body, statusCode } = await page(cookie);
    assert.equal(statusCode, 200);
    assert.match(body, /Sign out\?/);
    assert.ok(body.includes(csrf));
    assert.match((await page(cookie)).body, /Sign out\?/);
  });

  await t.test('a sign-out form from another site, or without its token, ends nothing', async () => {
    assert.equal(
      (await sendForm(service, '/sign-out', { csrf }, { cookie, origin: 'https://evil.example' })).statusCode,
      403,
    );
    assert.equal((await sendForm(service, '/sign-out', { csrf: 'guessed' }, { cookie })).statusCode, 403);
    assert.match((await page(cookie)).body, /Sign out\?/);
  });

  await t.test('every page with the navigation has a sign-out button with the form token', async () => {
    for (const url of ['/', '/account', '/account/passkeys', '/developer', '/liabilities']) {
      const { body } = await service.app.inject({ url, headers: { cookie } });
      const form = `<form method="post" action="/sign-out"><input type="hidden" name="csrf" value="${csrf}"><button>`;
      assert.ok(body.includes(form), url);
      assert.doesNotMatch(body, /href="\/sign-out"/);
    }
  });

  await t.test('the sign-out button ends the session in the browser and in the database', async () => {
    const answer = await sendForm(service, '/sign-out', { csrf }, { cookie });
    assert.equal(answer.statusCode, 303);
    assert.equal(answer.headers.location, '/sign-out');
    assert.equal(answer.cookies[0]?.value, '', 'the cookie is taken back');
    assert.match((await page(cookie)).body, /You’re signed out/);
    const rows = await service.service.db.query(`SELECT FROM oauth_records WHERE model = 'Session' AND user_id = $1`, [
      person.userId,
    ]);
    assert.equal(rows.length, 0);
  });

  await t.test('a second sign-out from an open tab says so and asks for no sign-in', async () => {
    const answer = await sendForm(service, '/sign-out', { csrf }, { cookie });
    assert.equal(answer.headers.location, '/sign-out');
  });
});
