import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSite } from '../../src/process/site.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';

test('pages, assets and OAuth endpoints send HSTS if the public URL is https', async (t) => {
  const { service } = await sharedService(t);
  const app = await createSite({ ...service, publicUrl: 'https://quarters.example' });
  atEnd(t, () => app.close());
  await app.listen({ port: 0, host: 'localhost' });
  const origin = `http://localhost:${(app.server.address() as AddressInfo).port}`;
  const asset = /"(\/assets\/[^"]+)"/.exec(await (await fetch(`${origin}/sign-in`)).text())?.[1];
  assert.ok(asset);
  for (const [path, status, init] of [
    ['/sign-in', 200],
    [asset, 200],
    ['/quarters.js', 200],
    ['/account', 303],
    ['/oauth/authorize', 400],
    ['/oauth/jwks', 200],
    ['/oauth/token', 400, { method: 'POST' }],
    ['/v1/oauth/token', 400, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' }],
    ['/requests/1', 404],
  ] as const) {
    const answer = await fetch(origin + path, { redirect: 'manual', ...init });
    assert.equal(answer.status, status, path);
    assert.equal(answer.headers.get('strict-transport-security'), 'max-age=31536000', path);
  }
});
