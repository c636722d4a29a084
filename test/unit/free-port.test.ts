import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../src/http/listen.ts';

test('a free port is none that an outgoing connection may take before a server listens on it', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, freePort));
  // Linux gives 32,768 and above to these, and other systems 49,152 and above (RFC 6335, 6).
  assert.deepEqual(
    ports.filter((port) => port < 1024 || port >= 32_768),
    [],
  );
  assert.ok(new Set(ports).size > 90, 'two starts at once hardly get the same');
});
