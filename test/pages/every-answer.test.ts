import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedService } from '../kit/service/shared-service.ts';

/** A value for a parameter that has the right form and belongs to nobody. */
const FILLED: Readonly<Record<string, string>> = {
  address: `0x${'0'.repeat(40)}`,
  file: `${'0'.repeat(64)}.webp`,
  uid: 'a'.repeat(21),
};

/** OWASP ASVS 4.0: 14.4.1 to 14.4.4, 14.4.6, 14.4.7, 14.3.3, 8.2.1. */
test('every response of every route has a content type, caching rules and a framing policy', async (t) => {
  const { app, routes } = await sharedService(t);
  const calls = routes.flatMap(({ method, url }) => [method].flat().map((one) => ({ method: one, url })));
  const asked = new Set<string>();
  const faults: string[] = [];
  for (const { method, url } of calls) {
    // All refused methods share one handler.
    if (!['GET', 'POST', 'DELETE', 'PATCH', 'PUT', 'OPTIONS'].includes(method)) continue;
    const path = url.replace(/:(\w+)(\([^/]*\))?/g, (_, name: string) => FILLED[name] ?? 'a'.repeat(20));
    if (path.includes('*') || asked.has(`${method} ${path}`)) continue;
    asked.add(`${method} ${path}`);
    for (const accept of method === 'GET' ? ['text/html', '*/*'] : ['text/html']) {
      const { headers, statusCode, payload } = await app.inject({
        method: method as 'GET',
        url: path,
        headers: { accept },
      });
      const what = `${method} ${path} (${statusCode})`;
      const type = String(headers['content-type'] ?? '');
      const expect = (holds: unknown, fault: string) => holds || faults.push(`${what} ${fault}`);
      expect(headers['x-content-type-options'] === 'nosniff', 'may be sniffed');
      expect(headers['cache-control'], 'does not say how long it is kept');
      expect(!headers.server && !headers['x-powered-by'], 'names what it was made with');
      const isTyped = /^(image\/|application\/([\w.-]+\+)?json|text\/.+; charset=utf-8)/i.test(type);
      expect(payload === '' || isTyped, `is of the type "${type}"`);
      if (type.startsWith('text/html')) {
        const policy = String(headers['content-security-policy']);
        expect(/default-src 'none'.*frame-ancestors/.test(policy), 'has no policy');
        expect(headers['referrer-policy'] === 'same-origin', 'tells its address');
      }
      if (path.startsWith('/v1/') && path !== '/v1/oauth/token' && type.startsWith('application/')) {
        expect(headers['content-disposition'] === 'attachment; filename="api.json"', 'may be shown as a page');
      }
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(asked.size > 100, `${asked.size} routes were asked`);
});
