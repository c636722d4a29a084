import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { type AppId, newUserId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import type { Scope } from '../../src/identity/callers.ts';
import { grantConsent, revokeConsent } from '../../src/identity/consents.ts';
import { addMember, createDeveloper, type Developer, registerApp } from '../kit/service/developer.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { approve, askFor } from '../kit/service/history.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';

async function openApp(s: TestService) {
  const developer = await createDeveloper(s);
  const { id, serverKey } = await registerApp(developer);
  const app = { id: id as AppId, address: '0x' as const, serverKey };
  const path = (userId: string) => `/developer/apps/${id}/players/${userId}`;
  return { developer, app, path };
}

const allow = ({ service }: TestService, { userId }: Pick<Person, 'userId'>, appId: AppId, scopes: readonly Scope[]) =>
  grantConsent(service.db, { userId, appId, scopes });

const limits = (maxPerTransfer: number, maxPerDay: number) => ({
  maxPerTransfer: asQuarters(maxPerTransfer),
  maxPerDay: asQuarters(maxPerDay),
  days: 30,
});

describe('the page of a player, for the developers of an app', () => {
  test('shows what the player allows the app, and nothing that they allow others', async (t) => {
    const s = await sharedService(t);
    const { developer, app, path } = await openApp(s);
    const other = await openApp(s);
    const name = `Zoe ${newUserId().slice(0, 8)}`;
    const player = await createPerson(s, { displayName: name });
    await s.issue(player.userId, 1_234);
    const here = async () => (await developer.get(path(player.userId))).body;
    await allow(s, player, other.app.id, ['openid', 'profile', 'email', 'wallet', 'requests']);
    await grantMandate(s.service.db, { userId: player.userId, appId: other.app.id, ...limits(7, 7_777) });
    const elsewhere = await askFor(s, other.app, player, 13, 'A secret hat');
    assert.equal((await developer.get(path(player.userId))).statusCode, 404);

    await allow(s, player, app.id, ['openid', 'requests']);
    const bare = await here();
    assert.match(bare, /<h1>Player<\/h1>/);
    for (const hidden of [name, player.email, toChecksum(player.address), '1,234'])
      assert.ok(!bare.includes(hidden), hidden);
    await allow(s, player, app.id, ['profile', 'wallet']);
    const named = await here();
    for (const shown of [`<h1>${name}</h1>`, toChecksum(player.address), '1,234 quarters'])
      assert.ok(named.includes(shown), shown);
    assert.ok(!named.includes(player.email));
    await allow(s, player, app.id, ['email']);
    await grantMandate(s.service.db, { userId: player.userId, appId: app.id, ...limits(50, 500) });
    const asked = await askFor(s, app, player, 40, 'A golden shield');
    const paid = await askFor(s, app, player, 20, 'Ten lives');
    await approve(s, paid);
    const all = await here();
    assert.ok(all.includes(player.email));
    assert.match(all, /50 a payment, 0 of 500 spent today/);
    assert.match(all, /Waiting for an answer[\s\S]*A golden shield/);
    for (const { id } of [asked, paid]) assert.ok(all.includes(`/payments/${id}"`), id);
    for (const foreign of [elsewhere.id, 'secret hat', '7,777', other.app.id])
      assert.ok(!all.includes(foreign), foreign);
    await revokeConsent(s.service.db, player.userId, app.id);
    const withdrawn = await here();
    assert.match(withdrawn, /Ten lives/, 'payments stay');
    for (const hidden of [name, player.email, '1,234']) assert.ok(!withdrawn.includes(hidden), hidden);
  });

  test('is reached from the payments, and shows all of a guest of the app’s own', async (t) => {
    const s = await sharedService(t);
    const { developer, app, path } = await openApp(s);
    const guest = await s.createGuest(app);
    const { body } = await developer.get(path(guest.userId));
    assert.match(body, /<h1>Guest [A-Z0-9]{4}<\/h1>/);
    assert.match(body, /Your guest: your server holds the tokens/);
    const asked = await askFor(s, app, { userId: guest.userId } as Person, 5);
    for (const from of [`/developer/apps/${app.id}/payments`, `/developer/apps/${app.id}/payments/${asked.id}`]) {
      assert.ok((await developer.get(from)).body.includes(`href="${path(guest.userId)}"`), from);
    }
  });

  test('does not exist for strangers, for other apps’ players, and for what is no id: all get the same answer', async (t) => {
    const s = await sharedService(t);
    const { developer, app, path } = await openApp(s);
    const other = await openApp(s);
    const [own, foreign, stranger] = [await s.createGuest(app), await s.createGuest(other.app), await createPerson(s)];
    const answers = async (who: Developer, paths: readonly string[]) =>
      Promise.all(
        paths.map(async (one) => {
          const { statusCode, body } = await who.get(one);
          return [statusCode, body.replaceAll(/[\w-]{20,}/g, '…')];
        }),
      );
    const [unknown, ...rest] = await answers(developer, [
      path(newUserId()),
      ...[foreign.userId, stranger.userId, developer.userId, 'nonsense', '%00'].map(path),
    ]);
    assert.equal(unknown![0], 404);
    for (const one of rest) assert.deepEqual(one, unknown);
    const [there, mine] = [
      (await other.developer.get(path(own.userId))).statusCode,
      await developer.get(path(own.userId)),
    ];
    assert.deepEqual([there, mine.statusCode], [404, 200]);
    const viewer = await createDeveloper(s);
    assert.equal((await viewer.get(path(own.userId))).statusCode, 404);
    await addMember(s, app.id, viewer, 'viewer');
    assert.equal((await viewer.get(path(own.userId))).statusCode, 200, 'a viewer reads');
    assert.match(`${(await s.app.inject({ url: path(own.userId) })).headers.location}`, /^\/sign-in\?/);
  });
});
