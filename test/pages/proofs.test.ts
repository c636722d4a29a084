import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { loadIdTokenKey, openResultSigner } from '../../src/custody/signing-keys.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { openFramed, profileOf, startGameSite, windowFrom } from '../kit/browser/game-site.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { type Answer, ask, fundedPayment, newPayment, statusOf, transfersOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { changeRequests, letRequestExpire } from '../rows/requests.ts';

const WEB = 'https://game.example/back';
const DOCS = readFileSync(new URL('../../docs/integrate/browser.md', import.meta.url), 'utf8');

test('the signed proof of a result', async (t) => {
  const service = await sharedService(t);
  const { db, vault, publicUrl } = service.service;
  const app = await service.createApp({ redirectUris: [WEB] });
  const none = await service.createApp();

  // What docs/integrate/browser.md shows to games, word for word.
  const example = /```js\n(import [^`]*jose[^`]*)```/.exec(DOCS)![1]!;
  const { readProof } = (await import(
    `data:text/javascript,${encodeURIComponent(
      example
        .replaceAll("'jose'", `'${import.meta.resolve('jose')}'`)
        .replaceAll('https://quarters.example', service.origin),
    )}`
  )) as { readProof(proof: string, appId: string): Promise<JWTPayload> };

  const proofIn = ({ location }: Answer) => new URL(location!).searchParams.get('proof') ?? '';
  const verified = async (proof: string, appId = app.id) => {
    const { iss, aud, iat, ...said } = await readProof(proof, appId);
    assert.deepEqual([iss, aud, typeof iat], [service.origin, appId, 'number']);
    return said;
  };

  await t.test('a proof states approved, declined or failed, with the app as audience and us as issuer', async () => {
    const approved = await fundedPayment(service, app);
    const answer = await approved.decide({ decision: 'approve', proof: 'true' });
    const [txId] = await transfersOf(service, approved.id);
    const proof = proofIn(answer);
    assert.equal(answer.location, `${WEB}?txId=${txId}&requestId=${approved.id}&proof=${proof}`);
    assert.match(proof, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.ok(proof.length < 600, `${proof.length} characters`);
    assert.deepEqual(await verified(proof), { outcome: 'approved', requestId: approved.id, txId });

    const declined = await newPayment(service, app);
    const no = await declined.decide({ decision: 'decline', proof: 'true' });
    assert.equal(no.location, `${WEB}?cancel=true&requestId=${declined.id}&proof=${proofIn(no)}`);
    assert.deepEqual(await verified(proofIn(no)), { outcome: 'declined', requestId: declined.id });

    for (const status of ['expired', 'cancelled', 'failed'] as const) {
      const failed = await newPayment(service, app);
      await (status === 'expired'
        ? letRequestExpire(db, failed.id)
        : changeRequests(db, { id: failed.id }, { status }));
      const proven = proofIn(await failed.open({ proof: 'true' }));
      assert.deepEqual(await verified(proven), { outcome: 'failed', requestId: failed.id });
    }
  });

  await t.test('a reopened page issues a new proof, and a page without proof=true issues none', async () => {
    const payment = await fundedPayment(service, app);
    const plain = await payment.decide({ decision: 'approve' });
    const [txId] = await transfersOf(service, payment.id);
    assert.equal(plain.location, `${WEB}?txId=${txId}&requestId=${payment.id}`);
    const [one, two] = [await payment.open({ proof: 'true' }), await payment.open({ proof: 'true' })];
    assert.notEqual(proofIn(one), proofIn(two));
    for (const again of [one, two]) {
      assert.deepEqual(await verified(proofIn(again)), { outcome: 'approved', requestId: payment.id, txId });
    }
    for (const proof of ['', 'false', '1']) assert.equal((await payment.open({ proof })).location, plain.location);
  });

  await t.test('proof=true is carried through every form and the sign-in page', async () => {
    const payment = await newPayment(service, none);
    const [page, plain] = [await payment.open({ proof: 'true' }), await payment.open()];
    // The forms of the decision and of the report.
    assert.equal(page.body.split('<input type="hidden" name="proof" value="true">').length, 3);
    assert.doesNotMatch(plain.body, /proof/);
    const person = await personPayment(service, app);
    const { location } = await ask(service, { url: `/requests/${person.id}?proof=true` });
    assert.equal(new URL(location!, WEB).searchParams.get('return_to'), `/requests/${person.id}?proof=true`);
    const result = await payment.decide({ decision: 'decline', proof: 'true' });
    const [, proof = ''] = /&quot;proof&quot;:&quot;([\w.-]+)&quot;/.exec(result.body) ?? [];
    assert.deepEqual(await verified(proof, none.id), { outcome: 'declined', requestId: payment.id });
  });

  await t.test('a payment without a decision has no proof', async () => {
    const payment = await newPayment(service, app);
    const { location } = await payment.decide({ decision: 'later', proof: 'true' });
    assert.equal(
      location,
      `${WEB}?requestId=${payment.id}&error=The%20player%20does%20not%20have%20enough%20quarters.&reason=insufficient-quarters`,
    );
    assert.equal(await statusOf(service, payment.id), 'pending');
    const wrong = await payment.open({ proof: 'true', redirect_uri: 'https://evil.example' });
    assert.doesNotMatch(wrong.body, /proof/);
  });

  await t.test('an altered proof, or one of another app, issuer, key or type, is refused', async () => {
    const payment = await newPayment(service, app);
    const proof = proofIn(await payment.decide({ decision: 'decline', proof: 'true' }));
    const [head, body, signature] = proof.split('.');
    const claims = JSON.parse(Buffer.from(body!, 'base64url').toString());
    const altered = Buffer.from(JSON.stringify({ ...claims, outcome: 'approved' })).toString('base64url');
    await assert.rejects(readProof(`${head}.${altered}.${signature}`, app.id), /signature verification failed/);
    await assert.rejects(readProof(proof, none.id), /"aud"/);
    const elsewhere = await openResultSigner(db, vault, 'https://other.example');
    const result = { outcome: 'declined', requestId: payment.id } as const;
    await assert.rejects(readProof(await elsewhere.sign(app.id, result), app.id), /"iss"/);
    // Our other tokens are no proofs, since other keys sign them, and a proof is none of these tokens.
    await assert.rejects(readProof(payment.guest.pageToken, app.id), /no applicable key/);
    for (const secret of [proof, payment.guest.pageToken]) {
      const { statusCode } = await service.app.inject({
        url: '/v1/me',
        headers: { authorization: `Bearer ${secret}` },
      });
      assert.equal(statusCode, 401);
    }
    assert.equal((await ask(service, { url: `/requests/${payment.id}?firebase_token=${proof}` })).status, 404);
    const oauth = (await service.app.inject('/oauth/jwks')).json<JSONWebKeySet>();
    await assert.rejects(jwtVerify(proof, createLocalJWKSet(oauth)), /no applicable key/);
    const kids = [proof, payment.guest.pageToken].map((token) => decodeProtectedHeader(token).kid);
    assert.equal(new Set([...kids, (await loadIdTokenKey(db, vault)).kid]).size, 3);
  });

  await t.test('GET /v1/keys publishes only public keys, cacheable for minutes and stable over a restart', async () => {
    const { statusCode, headers, body } = await service.app.inject({ url: '/v1/keys', headers: { origin: WEB } });
    assert.deepEqual(
      [statusCode, headers['cache-control'], headers['access-control-allow-origin']],
      [200, 'public, max-age=300', '*'],
    );
    const { keys } = JSON.parse(body) as { keys: Record<string, string>[] };
    assert.deepEqual(
      keys.map((key) => Object.keys(key).sort()),
      [['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']],
    );
    assert.deepEqual([keys[0]!.alg, keys[0]!.crv, keys[0]!.use], ['ES256', 'P-256', 'sig']);
    assert.deepEqual((await openResultSigner(db, vault, publicUrl)).publicKeys, { keys });
  });

  await t.test(
    'a proof from our window reaches the game through its frame',
    { skip: NO_BROWSER || notInTurn(3, 'proofs') },
    async () => {
      const browser = await startBrowser(t);
      const game = await startGameSite(t);
      const framed = await service.createApp({ frameAncestors: [game] });
      const { id, person, url } = await personPayment(service, framed);
      const context = await profileOf(browser, service, person);
      const page = await context.newPage();
      const frame = await openFramed(page, game, `${url}&proof=true`);
      const own = await windowFrom(page, () => frame.getByRole('link', { name: 'Review payment' }).click());
      const told = page.evaluate<string>(
        `new Promise((resolve) => addEventListener('message', (e) => resolve(e.data)))`,
      );
      await own.getByRole('button', { name: 'Decline' }).click();
      const { proof, ...plain } = JSON.parse(await told);
      assert.deepEqual(plain, { cancel: true });
      assert.deepEqual(await verified(proof, framed.id), { outcome: 'declined', requestId: id });
      await context.close();
    },
  );
});
