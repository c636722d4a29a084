import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { createApp } from '../../src/features/apps/create-app.ts';
import { queueMail } from '../../src/features/mails/mails.ts';
import { ensureDemoOwner, newSignInLink } from '../../src/features/sessions/sign-in-link.ts';
import { DEMO_OWNER_EMAIL } from '../../src/identity/demo-owner.ts';
import { insertSignInLink, KEPT_LINKS } from '../../src/identity/sign-in-links.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { sendForm } from '../kit/service/forms.ts';
import { createPerson, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { changeSignInLinks } from '../rows/passing.ts';

const LINK = '/sign-in/link';

test('without development mode no link signs anybody in, and no page names the folder of mails', async (t) => {
  const s = await sharedService(t);
  const { app, service } = s;
  const { body } = await sendForm(s, '/sign-up', { email: 'somebody@mail.example' });
  assert.match(body, /Check your spam folder/);
  assert.doesNotMatch(body, /No mail server/);
  assert.equal((await app.inject('/sign-in/link?token=x')).statusCode, 404);
  await assert.rejects(newSignInLink(service), /only in development mode: with the embedded database and chain/);
  await assert.rejects(ensureDemoOwner(service), /only in development mode/);
  assert.doesNotMatch((await app.inject('/sign-in?return_to=/developer')).body, /sign-in-link/);
});

test('in development mode a link signs in the owner of the demo app', async (t) => {
  const s = await sharedService(t, { development: true });
  const { app: server, service } = s;
  const ownerId = await ensureDemoOwner(service);
  const { app } = await createApp(service, OPERATOR, { name: 'Demo', ownerId });
  const tokenIn = (path: string) => new URL(path, s.origin).searchParams.get('token') ?? '';
  /** Opens the link and presses the button. */
  const use = (path: string) => sendForm(s, LINK, { token: tokenIn(path) });
  const newPath = async () => (await newSignInLink(service)).slice(service.publicUrl.length);
  const page = `/developer/apps/${app.id}`;

  await t.test('once, and to its app', async () => {
    const path = await newPath();
    // What shows previews, and what looks for malware, opens links.
    for (const method of ['HEAD', 'GET', 'GET'] as const) {
      const opened = await server.inject({ method, url: path });
      assert.deepEqual([opened.statusCode, opened.headers['set-cookie']], [200, undefined]);
    }
    const foreign = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' };
    const refused = await sendForm(s, LINK, { token: tokenIn(path) }, foreign);
    assert.deepEqual([refused.statusCode, refused.headers['set-cookie']], [403, undefined]);
    const first = await use(`${path}&return_to=https://game.example`);
    assert.deepEqual([first.statusCode, first.headers.location], [303, page]);
    const cookie = String([first.headers['set-cookie']].flat()[0]).split(';')[0]!;
    assert.equal((await server.inject({ url: page, headers: { cookie } })).statusCode, 200);

    const second = await use(path);
    assert.equal(second.statusCode, 410);
    assert.match(second.body, /has been used, or has expired[^<]*<\/p>\s*<p><code[^>]*>npx quarters sign-in-link</);
    assert.equal(second.headers['set-cookie'], undefined);
  });

  await t.test('and every page that waits for a mailed code says where the mail is', async () => {
    const { cookie, csrf } = await createPerson(s);
    for (const path of ['/sign-up', '/forgot', '/account/email']) {
      const { body } = await sendForm(s, path, { email: 'somebody@mail.example', csrf }, { cookie });
      assert.ok(body.includes(`the e-mail is in <code>${join(service.settings.dataDir, 'mail')}</code>`), path);
      assert.doesNotMatch(body, /spam/);
    }
  });

  await t.test('not after it has expired, and then it is forgotten', async () => {
    const path = await newPath();
    await changeSignInLinks(service.db, {}, { expiresAt: new Date() });
    assert.equal((await use(path)).statusCode, 410);
    await KEPT_LINKS.forget(service.db, 10);
    assert.deepEqual(await service.db.query('SELECT FROM sign_in_links'), []);
  });

  await t.test('never another user', async () => {
    const person = await createPerson(s);
    await insertSignInLink(service.db, hashSecret('ql_theirs'), person.userId);
    const answer = await use(`${LINK}?token=ql_theirs`);
    assert.deepEqual([answer.statusCode, answer.headers['set-cookie']], [410, undefined]);
    assert.equal((await use(LINK)).statusCode, 410);
  });

  await t.test('who confirms with a new link, and returns', async () => {
    const owner = await signIn(s, ownerId, 60);
    const asked = await server.inject({
      url: `/sign-in?${new URLSearchParams({ again: 'true', return_to: `${page}/keys` })}`,
      headers: { cookie: owner.cookie },
    });
    assert.match(asked.body, />npx quarters sign-in-link</);
    assert.match(asked.body, new RegExp(`<a class="primary" href="${page}/keys">`));
    assert.doesNotMatch(asked.body, /type="password"/);
    const person = await createPerson(s);
    const other = await server.inject({ url: '/sign-in?again=true', headers: { cookie: person.cookie } });
    assert.match(other.body, /type="password"/);
    assert.match((await server.inject('/sign-in?return_to=/developer')).body, />npx quarters sign-in-link</);
  });

  await t.test('who gets no mail', async () => {
    const mail = { to: DEMO_OWNER_EMAIL.toUpperCase(), write: () => ({ subject: 'x', parts: [] }) };
    const queued = await service.db.transaction(async (tx) => {
      await queueMail(service, tx, mail);
      return tx.query('SELECT FROM mails');
    });
    assert.deepEqual(queued, []);
  });
});
