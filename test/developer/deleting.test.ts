import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../src/base/ids.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { deleteApp, prepareAppDeletion } from '../../src/features/apps/delete-app.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { addEndpoint } from '../../src/features/webhooks/manage-webhook-endpoints.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { findUser } from '../../src/identity/users.ts';
import { lookUpRequest } from '../../src/requests/requests.ts';
import { asDeveloper, OPERATOR } from '../../src/service/managers.ts';
import { listApps, showApp } from '../../src/views/apps/show-app.ts';
import { inviteMember, receivedInvitations } from '../../src/wings/developers-console/features/invitations.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { addMember, createDeveloper, registerApp } from '../kit/service/developer.ts';
import { mailAtOnce } from '../kit/service/mailbox.ts';
import { tokenWith } from '../kit/service/oauth-token.ts';
import { newPayment } from '../kit/service/payment.ts';
import { startTestService } from '../kit/service/service.ts';
import { asUser } from '../kit/unit/callers.ts';
import { changeApps } from '../rows/apps.ts';

test('a deleted app can do nothing, and its money and history stay', async (t) => {
  const s = await startTestService(t, { env: { WEBHOOK_PRIVATE_TARGETS: 'on' } });
  const { service, app: server } = s;
  const { db } = service;
  const [owner, admin, player] = [await createDeveloper(s), await createDeveloper(s), await createDeveloper(s)];
  const registered = await registerApp(owner, { redirect_uris: 'https://game.example/back' });
  const [id, serverKey] = [registered.id as AppId, registered.serverKey];
  const by = asDeveloper(owner.session);
  await addMember(s, id, admin, 'admin');
  await inviteMember(service, by, id, { email: player.email, role: 'viewer' });
  await addEndpoint(service, { by, appId: id }, { url: 'http://127.0.0.1:9/hook', types: null });
  await grantConsent(db, { userId: player.userId, appId: id, scopes: ['wallet', 'requests'] });
  const oauthToken = await tokenWith(service, player.userId, id, ['wallet']);
  await s.issue(player.userId, 50);
  const { id: open } = await createRequest(service, asUser(player.userId, id), { tokens: 1, appId: id });
  const { address } = await showApp(service, by, id);
  const paid = await newPayment(s, { id, address, serverKey });
  await s.issue(paid.guest.userId, 30);
  await paid.decide({ decision: 'approve' });

  const as = (token: string, url = '/v1/me') => server.inject({ url, headers: { authorization: `Bearer ${token}` } });
  assert.equal((await as(oauthToken)).statusCode, 200);

  await t.test('only its owner deletes it, with its name', async () => {
    await assert.rejects(deleteApp(service, asDeveloper(admin.session), id, 'Space Race'), {
      code: 'role-not-allowed',
    });
    await assert.rejects(deleteApp(service, by, id, 'space race'), { code: 'invalid-input' });
    await s.settled();
    const { balance, guests, guestQuarters } = await prepareAppDeletion(service, by, id);
    assert.deepEqual([balance, guests, guestQuarters], [10n, 1, 20n]);
    // Such a name is refused today.
    await changeApps(db, { id }, { name: 'Space Race https://evil.example' });
    await deleteApp(service, by, id, ' Space Race https://evil.example ');
    const { subject, text } = await mailAtOnce(s, admin.email);
    assert.match(text, /“Space Race https: \/\/ evil\. example” was just deleted/);
    assert.doesNotMatch(`${subject}${text}`, /evil\.example|https:\/\/ ?evil/);
  });

  await t.test('no credential, request or invitation is left', async () => {
    for (const token of [serverKey, oauthToken, paid.guest.accessToken]) {
      assert.equal((await as(token)).statusCode, 401);
    }
    assert.equal((await lookUpRequest(db, open))?.status, 'cancelled');
    assert.deepEqual(await receivedInvitations(service, (await findUser(db, player.userId))!), []);
    // Players are told the same as for an app that never was.
    const told = async (client_id: string) => {
      const { accessToken: token } = paid.guest;
      const query = { client_id, redirect_uri: 'https://game.example/back', response_type: 'code', token };
      const pages = ['/oauth/authorize', '/guest', '/logout'].map((path) => `${path}?${new URLSearchParams(query)}`);
      const answers = await Promise.all(pages.map((url) => server.inject(url)));
      return answers.map(({ statusCode, body }) => [statusCode, /<title>.*<\/title>/.exec(body)?.[0]]);
    };
    const unknown = await told('x'.repeat(20));
    assert.ok(
      unknown.every(([status]) => Number(status) >= 400),
      String(unknown),
    );
    assert.deepEqual(await told(id), unknown);
    for (const who of [owner, admin]) {
      assert.equal((await who.get(`/developer/apps/${id}`)).statusCode, 404);
      assert.deepEqual(await listApps(service, asDeveloper(who.session)), []);
    }
  });

  await t.test('the player and the operator still see it, and its account still receives', async () => {
    assert.match((await player.get('/account/activity')).body, /Space Race/);
    const shown = await showApp(service, OPERATOR, id);
    assert.ok(shown.app.deletedAt);
    await assert.rejects(s.issue(id, 5), { code: 'not-found', message: /is deleted: nobody reaches/ });
    await s.issue(address, 5);
    assert.equal((await showApp(service, OPERATOR, id)).balance, 15n);
    await assertLedgerIsChain(service);
  });

  await t.test('its owner can close their account', async () => {
    assert.equal(await closeAccount(service, (await findUser(db, owner.userId))!, owner.session), true);
    assert.equal((await showApp(service, OPERATOR, id)).ownerEmail, '');
  });
});
