import assert from 'node:assert/strict';
import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { loadOrCreateKey } from '../../src/custody/signing-keys.ts';
import { storeGuestToken } from '../../src/identity/guest-tokens.ts';
import { newPayment } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test("guests' page tokens", async (t) => {
  const service = await sharedService(t);
  const { db, vault, results } = service.service;
  const app = await service.createApp();
  const payment = await newPayment(service, app);
  const { userId, pageToken } = payment.guest;
  const { kid, key } = await loadOrCreateKey(db, vault, 'page-token');
  const statusWith = async (firebase_token: string) => (await payment.open({ firebase_token })).status;

  await t.test('page tokens are signed with ES256, with their own key and type', async () => {
    assert.deepEqual(decodeProtectedHeader(pageToken), { alg: 'ES256', typ: 'quarters-page+jwt', kid });
    const { payload } = await jwtVerify(pageToken, createPublicKey(key), { algorithms: ['ES256'] });
    assert.deepEqual([payload.uid, payload.aud, payload.iss], [userId, `${service.origin}/requests`, service.origin]);
    const published = await (await fetch(`${service.origin}/oauth/jwks`)).json();
    const kids = [...(published as typeof results.publicKeys).keys, ...results.publicKeys.keys].map((each) => each.kid);
    assert.ok(kids.length >= 2 && !kids.includes(kid));
  });

  await t.test('earlier page tokens, signed with RS256, open the page until they expire', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const earlier = await new SignJWT(decodeJwt(pageToken))
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'earlier' })
      .sign(privateKey);
    assert.equal(await statusWith(earlier), 404);
    await storeGuestToken(db, { secret: earlier, purpose: 'page', userId, appId: app.id });
    assert.equal(await statusWith(earlier), 200);
  });

  await t.test('a page token that was never issued opens nothing, whatever key signed it', async () => {
    const claims = { ...decodeJwt(pageToken), jti: 'another' };
    const signed = (alg: string, by: KeyObject, ofKid = kid) =>
      new SignJWT(claims).setProtectedHeader({ alg, typ: 'quarters-page+jwt', kid: ofKid }).sign(by);
    const publicText = createPublicKey(key).export({ format: 'pem', type: 'spki' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const [head, body, signature] = pageToken.split('.');
    const forged = [
      new UnsecuredJWT(claims).encode(),
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
      await signed('HS256', createSecretKey(Buffer.from(publicText))),
      await signed('RS256', rsa),
      await signed('ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      await signed('ES256', key, (await loadOrCreateKey(db, vault, 'oauth')).kid),
      // A token signed by our own key opens nothing either, unless it was issued.
      await signed('ES256', key),
      `${head}.${body}.`,
      `${head}.${body}.${signature}=`,
    ];
    for (const token of forged) assert.equal(await statusWith(token), 404, token);
    assert.equal(await statusWith(pageToken), 200);
  });
});
