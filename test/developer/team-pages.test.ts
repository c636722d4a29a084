import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../src/base/ids.ts';
import { asDeveloper } from '../../src/service/managers.ts';
import { inviteMember } from '../../src/wings/developers-console/features/invitations.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { addMember, createDeveloper, errorBeside, registerApp } from '../kit/service/developer.ts';
import { signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test('the pages of a team and of deleting an app', async (t) => {
  const s = await sharedService(t);
  const [owner, admin, viewer] = [await createDeveloper(s), await createDeveloper(s), await createDeveloper(s)];
  const id = (await registerApp(owner)).id as AppId;
  const path = `/developer/apps/${id}`;
  await addMember(s, id, admin, 'admin');
  await addMember(s, id, viewer, 'viewer');

  await t.test('a viewer sees all pages, and no form that would be refused', async () => {
    for (const [page, form] of [
      ['/keys', 'keys'],
      ['/settings', 'settings'],
      ['/team', 'team/(?:role|remove|invite)'],
    ] as const) {
      const { statusCode, body } = await viewer.get(path + page);
      assert.equal(statusCode, 200, page);
      assert.doesNotMatch(body, new RegExp(`action="[^"]*/${form}`), page);
      assert.match((await admin.get(path + page)).body, new RegExp(`action="[^"]*/${form}`), page);
    }
    const refused = await viewer.post(`${path}/team/invite`, { email: 'a@mail.example', role: 'admin' });
    assert.equal(refused.statusCode, 403);
    assert.match(refused.body, /Your role is viewer\. Ask an admin\./);
    assert.doesNotMatch((await admin.get(`${path}/settings`)).body, /Delete this app/);
    assert.equal((await admin.get(`${path}/settings/delete`)).statusCode, 403);
  });

  await t.test('what cannot be a member, role or address is refused, and stands in the form again', async () => {
    const wrong = await owner.post(`${path}/team/invite`, { email: 'nobody', role: 'viewer' });
    assert.equal(wrong.statusCode, 400);
    assert.ok(errorBeside(wrong.body, 'email'));
    assert.match(wrong.body, /value="nobody"/);
    const member = await owner.post(`${path}/team/invite`, { email: viewer.email, role: 'admin' });
    assert.equal(errorBeside(member.body, 'email'), 'This address belongs to a member of the team.');
    for (const [verb, form, status] of [
      ['role', { member: '\0', role: 'admin' }, 404],
      ['role', { member: viewer.userId, role: 'owner' }, 400],
      ['remove', { member: owner.userId }, 404],
      ['withdraw', { email: '\0' }, 404],
    ] as const) {
      assert.equal((await owner.post(`${path}/team/${verb}`, form)).statusCode, status, verb);
    }
    assert.equal((await viewer.post('/developer/invitations/join', { app: '\0' })).statusCode, 404);
  });

  await t.test('giving rights needs a recent sign-in; giving them up does not', async () => {
    const late = await signIn(s, owner.userId, 16);
    for (const verb of ['invite', 'role', 'remove', 'hand-over']) {
      const answer = await owner.post(`${path}/team/${verb}`, { csrf: late.csrf }, { cookie: late.cookie });
      assert.match(String(answer.headers.location), /^\/sign-in\?again=true/, verb);
    }
    const leaver = await createDeveloper(s);
    await addMember(s, id, leaver, 'admin');
    const old = await signIn(s, leaver.userId, 16);
    const left = await leaver.post(`${path}/team/leave`, { csrf: old.csrf }, { cookie: old.cookie });
    assert.equal(left.headers.location, '/developer');
    assert.equal((await leaver.get(path)).statusCode, 404);
  });

  await t.test(
    'in a browser, somebody is invited, joins, and the app is deleted',
    { skip: NO_BROWSER || notInTurn(2, 'team pages') },
    async (t) => {
      const browser = await startBrowser(t);
      const open = async ({ cookie }: { cookie: string }) => {
        const context = await browser.newContext();
        const [name = '', value = ''] = cookie.split('=');
        await context.addCookies([{ name, value, url: s.origin }]);
        return context.newPage();
      };
      const invited = await createDeveloper(s);
      const page = await open(owner);
      await page.goto(`${s.origin}${path}/team`);
      await page.getByLabel('E-mail address').fill(invited.email);
      await page.getByLabel('Role').last().selectOption('admin');
      await page.getByRole('button', { name: 'Send invitation' }).click();
      await page.getByText('Invitation sent.').waitFor();
      await page
        .getByLabel(/^Change/)
        .first()
        .click();
      await assertFitInLooks(page, 'team');

      await inviteMember(s.service, asDeveloper(owner.session), id, { email: invited.email, role: 'developer' });
      const theirs = await open(invited);
      await theirs.goto(`${s.origin}/developer`);
      await theirs.getByText('Join the team of').waitFor();
      await assertFitInLooks(theirs, 'invitation');
      await theirs.getByRole('button', { name: /^Join/ }).click();
      await theirs.getByRole('link', { name: 'Keys' }).click();
      await assertFitInLooks(theirs, 'keys of a developer');
      await theirs.getByRole('link', { name: 'Settings' }).click();
      await theirs.getByText('Your role is developer.').waitFor();
      await assertFitInLooks(theirs, 'settings of a developer');

      await page.goto(`${s.origin}${path}/settings`);
      await page.getByRole('link', { name: 'Delete this app…' }).click();
      await page.getByLabel('Type the name').fill('Space');
      await page.getByRole('button', { name: 'Delete app' }).click();
      await page.getByText('This is not the name of the app.').waitFor();
      await assertFitInLooks(page, 'deleting');
      await page.getByLabel('Type the name').fill('Space Race');
      await page.getByRole('button', { name: 'Delete app' }).click();
      await page.getByText('The app is deleted.').waitFor();
      await theirs.reload();
      await theirs.getByRole('heading', { name: 'Page not found' }).waitFor();
    },
  );
});
