import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { ConnectionError, ResultVerifier, VerificationError } from '../../sdk/src/index.ts';
import { flakyServer, json, lost } from '../kit/unit/flaky-server.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEYS = json({ keys: [{ kid: 'k', ...publicKey.export({ format: 'jwk' }) }] });

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function proofOf(iss: string, kid = 'k'): string {
  const claims = { iss, aud: 'app', iat: 1, outcome: 'declined', requestId: 'r' };
  const signed = `${part({ alg: 'ES256', typ: 'quarters-result+jwt', kid })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

test('forged proofs cause at most one request for keys in 30 seconds', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { url, seen } = await flakyServer(t, KEYS);
  const verifier = new ResultVerifier({ url, appId: 'app' });
  const madeUp = (kid: string) => assert.rejects(verifier.verify(proofOf(url, kid)), VerificationError);
  await Promise.all([verifier.verify(proofOf(url)), madeUp('a'), verifier.verify(proofOf(url))]);
  await madeUp('b');
  now = 29_999;
  await madeUp('c');
  assert.equal(seen.length, 1);
  now = 30_000;
  await Promise.all([madeUp('d'), madeUp('e')]);
  await madeUp('f');
  assert.equal((await verifier.verify(proofOf(url))).requestId, 'r');
  assert.equal(seen.length, 2);
});

test('a caller that stops waiting for keys does not affect others, and a failed read is repeated', async (t) => {
  const { url, seen } = await flakyServer(t, lost, KEYS);
  const verifier = new ResultVerifier({ url, appId: 'app', retries: 0 });
  await assert.rejects(verifier.verify(proofOf(url)), ConnectionError);
  const gone = new AbortController();
  const reason = new Error('the player left');
  const left = assert.rejects(verifier.verify(proofOf(url), { signal: gone.signal }), reason);
  const stayed = verifier.verify(proofOf(url));
  gone.abort(reason);
  await left;
  assert.equal((await stayed).requestId, 'r');
  assert.equal(seen.length, 2);
});
