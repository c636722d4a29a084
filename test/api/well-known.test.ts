import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedService } from '../kit/service/shared-service.ts';

test('what browsers and password managers ask for by themselves leads to pages that exist', async (t) => {
  const { app, service, origin } = await sharedService(t);
  const get = (url: string) => app.inject({ url });
  const isThere = async (url: string) => {
    const { pathname } = new URL(url, origin);
    const { statusCode } = await get(pathname);
    assert.ok([200, 303].includes(statusCode), `${pathname}: ${statusCode}`);
  };

  const password = await get('/.well-known/change-password');
  assert.equal(password.statusCode, 302);
  await isThere(password.headers.location!);

  const passkeys = (await get('/.well-known/passkey-endpoints')).json();
  assert.deepEqual(Object.keys(passkeys), ['enroll', 'manage']);
  for (const url of Object.values<string>(passkeys)) {
    assert.ok(url.startsWith(`${service.publicUrl}/`), url);
    await isThere(url);
  }

  const icon = await get('/favicon.ico');
  assert.equal(icon.statusCode, 302);
  await isThere(icon.headers.location!);
  assert.equal((await get('/.well-known/nothing')).statusCode, 404);
});
