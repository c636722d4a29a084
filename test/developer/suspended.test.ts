import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../src/base/ids.ts';
import { listKeys } from '../../src/identity/app-keys.ts';
import { lookUpApp } from '../../src/identity/apps.ts';
import { createDeveloper, registerApp } from '../kit/service/developer.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { suspend } from '../kit/service/stopping.ts';

const SECTIONS = ['', '/payments', '/log', '/webhooks', '/team', '/keys', '/settings'];

test('the team of a suspended app reads everything, revokes keys, and changes nothing else', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const owner = await createDeveloper(s);
  const id = (await registerApp(owner)).id as AppId;
  const path = `/developer/apps/${id}`;
  await suspend(s.service, id);
  const before = await lookUpApp(db, id);

  for (const section of SECTIONS) {
    const { statusCode, body } = await owner.get(path + section);
    assert.equal(statusCode, 200, section);
    assert.match(body, /<h2 id="suspended">The operator has suspended this app<\/h2>/, section);
    assert.doesNotMatch(body, /a copy of another game/);
    // The forms that stay: filters, and what ends keys.
    const forms = [...body.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action);
    assert.ok(
      forms.every((action) => /\/keys\/revoke$|^\/sign-out/.test(action!)),
      `${section}: ${forms}`,
    );
  }
  assert.match((await owner.get('/developer')).body, /<span class="badge bad">Suspended<\/span>/);

  const changes: [path: string, form: Record<string, string>][] = [
    ['/settings', { name: 'Another name' }],
    ['/keys', { kind: 'server' }],
    ['/webhooks', { url: 'https://hooks.example/quarters' }],
    ['/team/invite', { email: 'friend@mail.example', role: 'admin' }],
    ['/settings/delete', { name: 'Space Race' }],
  ];
  for (const [change, form] of changes) {
    const { statusCode, body } = await owner.post(path + change, form);
    assert.equal(statusCode, 403, `${change}: ${body}`);
    assert.match(body, /This app is suspended/);
  }
  assert.deepEqual(await lookUpApp(db, id), before);

  const [key] = (await listKeys(db, id, { living: true })).filter(({ kind }) => kind === 'server');
  assert.equal((await owner.post(`${path}/keys/revoke`, { key: key!.id })).statusCode, 303);
  assert.ok(!(await listKeys(db, id, { living: true })).some((left) => left.id === key!.id));
});
