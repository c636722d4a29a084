import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../src/base/ids.ts';
import { appsAlike } from '../../src/features/apps/update-app.ts';
import { lookUpApp } from '../../src/identity/apps.ts';
import { createDeveloper, type Developer, errorBeside, registerApp } from '../kit/service/developer.ts';
import { failedRequests } from '../kit/service/failed-requests.ts';
import { verifyApp } from '../kit/service/operator-acts.ts';
import { signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { END, header, pixels, png, pngOf } from '../kit/unit/png.ts';
import { LOSSY, webpOf } from '../kit/unit/webp.ts';

test("an app's picture and mark, on the developer pages", async (t) => {
  const service = await sharedService(t);
  const developer = await createDeveloper(service);
  const failures = failedRequests(t, service.service);
  const stranger = await createDeveloper(service);

  /** Sends the form as a browser does; `file`: null sends none. */
  const upload = async (
    id: string,
    file: Uint8Array | null,
    { by = developer, csrf = by.csrf, headers = {} }: { by?: Developer; csrf?: string; headers?: object } = {},
  ) => {
    const form = new FormData();
    form.set('csrf', csrf);
    form.set('page', `/developer/apps/${id}/settings`);
    form.set('picture', new File(file ? [new Uint8Array(file)] : [], file ? 'icon.png' : ''));
    const { headers: encoded, body } = await encode(form);
    return service.app.inject({
      method: 'POST',
      url: `/developer/apps/${id}/settings/picture`,
      headers: { cookie: by.cookie, 'sec-fetch-site': 'same-origin', ...encoded, ...headers },
      payload: body,
    });
  };
  const pathIn = async (id: string) =>
    /src="(\/apps\/[^"]+)"/.exec((await developer.get(`/developer/apps/${id}/settings`)).body)?.[1];
  const isVerified = async (id: string) => {
    const { body } = await developer.get(`/developer/apps/${id}/settings`);
    return /<strong>verified by Quarters<\/strong>/.test(body);
  };
  const verify = (id: string) => verifyApp(service.service, id);

  await t.test('a picture is uploaded, served, replaced and removed', async () => {
    const { id } = await registerApp(developer);
    assert.equal(await pathIn(id), undefined);
    const saved = await upload(id, png());
    assert.deepEqual([saved.statusCode, saved.headers.location], [303, `/developer/apps/${id}/settings?saved=true`]);

    const path = (await pathIn(id))!;
    assert.match(path, new RegExp(`^/apps/${id}/[0-9a-f]{64}\\.png$`));
    const served = await service.app.inject(path);
    assert.deepEqual(served.rawPayload, png());
    const { date, connection, ...headers } = served.headers;
    assert.deepEqual(headers, {
      'content-type': 'image/png',
      'content-length': `${png().length}`,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });

    await upload(id, png(32));
    const other = (await pathIn(id))!;
    assert.notEqual(other, path);
    assert.equal((await service.app.inject(path)).statusCode, 404);

    await upload(id, webpOf(LOSSY));
    const webp = (await pathIn(id))!;
    assert.match(webp, new RegExp(`^/apps/${id}/[0-9a-f]{64}\\.webp$`));
    const sent = await service.app.inject(webp);
    assert.deepEqual([sent.rawPayload, sent.headers['content-type']], [webpOf(LOSSY), 'image/webp']);
    assert.equal((await service.app.inject(webp.replace('.webp', '.png'))).statusCode, 404);

    assert.equal((await developer.post(`/developer/apps/${id}/settings/picture/remove`)).statusCode, 303);
    assert.equal(await pathIn(id), undefined);
    assert.equal((await service.app.inject(other)).statusCode, 404);
  });

  await t.test('an invalid picture is refused beside its field', async () => {
    const { id } = await registerApp(developer);
    const cases: [string, Uint8Array | null, RegExp][] = [
      ['none', null, /Choose a file/],
      ['SVG', Buffer.from('<svg onload="alert(1)"/>'), /must be a PNG or WebP picture/],
      ['a photograph', Buffer.alloc(3_000_000, 'x'), /at most 8192 bytes/],
      ['moving', pngOf(header(8, 8), ['acTL', Buffer.alloc(8)], pixels(8, 8, [0, 0, 0]), END), /must not move/],
      ['wide', png(257), /256 pixels/],
    ];
    for (const [what, file, because] of cases) {
      const answer = await upload(id, file);
      assert.equal(answer.statusCode, 400, what);
      assert.match(errorBeside(answer.body, 'picture') ?? '', because, what);
      assert.match(answer.body, /id="picture"[^>]* aria-invalid="true"/);
    }
    assert.equal(await pathIn(id), undefined);
    const text = await developer.post(`/developer/apps/${id}/settings/picture`, { picture: 'text' });
    assert.equal(text.statusCode, 400);
  });

  await t.test('only the app’s developer, with a fresh sign-in on our page, can change its picture', async () => {
    const { id } = await registerApp(developer);
    assert.equal((await upload(id, png(), { by: stranger })).statusCode, 404);
    assert.equal((await upload(id, png(), { csrf: stranger.csrf })).statusCode, 403);
    const foreignForms = () => service.service.security.counts.get('foreign-form')!;
    const before = foreignForms();
    assert.equal((await upload(id, png(), { headers: { 'sec-fetch-site': 'cross-site' } })).statusCode, 403);
    assert.equal(foreignForms(), before + 1);
    const late = await createDeveloper(service, { minutesAgo: 20 });
    const answer = await upload((await registerApp(late)).id, png(), { by: late });
    assert.match(answer.headers.location as string, /^\/sign-in\?again=true&return_to=%2Fdeveloper%2Fapps%2F/);
    // A file cannot be kept meanwhile. So the page asks first, and says afterwards what is missing.
    const asks = async ({ get }: Developer) => {
      const { body } = await get(`/developer/apps/${id}/settings?confirmed=true`);
      return ['Confirm it’s you', 'Choose the picture again', 'type="file"'].map((part) => body.includes(part));
    };
    assert.deepEqual(await asks(developer), [false, true, true]);
    const { cookie } = await signIn(service, developer.userId, 16);
    const get: Developer['get'] = (url) => service.app.inject({ url, headers: { cookie } });
    assert.deepEqual(await asks({ ...developer, get }), [true, false, false]);
    assert.equal((await stranger.post(`/developer/apps/${id}/settings/picture/remove`)).statusCode, 404);
    assert.equal(await pathIn(id), undefined);
  });

  await t.test('a picture form with too many parts is refused', async () => {
    const { id } = await registerApp(developer);
    const form = new FormData();
    for (let i = 0; i < 20; i++) form.append(`f${i}`, 'x');
    const { headers, body } = await encode(form);
    const answer = await service.app.inject({
      method: 'POST',
      url: `/developer/apps/${id}/settings/picture`,
      headers: { cookie: developer.cookie, ...headers },
      payload: body,
    });
    assert.equal(answer.statusCode, 413);
  });

  await t.test('an unreadable picture form is refused with 400 and not logged as our error', async () => {
    const { id } = await registerApp(developer);
    const head = 'Content-Disposition: form-data; name="picture"; filename="a.png"';
    const field = (name: string, value = 'x') =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const withToken = field('csrf', developer.csrf);
    const type = 'multipart/form-data; boundary=x';
    const cases: [what: string, status: number, type: string, payload: string][] = [
      ['no boundary', 400, 'multipart/form-data', 'x'],
      ['an empty boundary', 400, 'multipart/form-data; boundary=', 'x'],
      ['a boundary too long', 400, `multipart/form-data; boundary=${'x'.repeat(5000)}`, 'x'],
      ['another boundary', 400, 'multipart/form-data; boundary=y', `${withToken}--x--\r\n`],
      ['no end', 400, type, withToken],
      ['an end in a header', 400, type, `${withToken}--x\r\nContent-Dis`],
      ['an end in a file', 400, type, `${withToken}--x\r\n${head}\r\n\r\n\x89PNG`],
      ['no headers', 403, type, '--x\r\n\r\nx\r\n--x--\r\n'],
      ['headers that are none', 400, type, `${withToken}--x\r\n\u0000:\u0001\r\n: x\r\n\r\nx\r\n--x--\r\n`],
      ['many headers', 400, type, `${withToken}--x\r\n${'A: b\r\n'.repeat(3000)}${head}\r\n\r\nx\r\n--x--\r\n`],
      ['a prototype', 400, type, `${withToken}${field('__proto__')}--x--\r\n`],
      [
        'a part of JSON that is none',
        400,
        type,
        `--x\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: application/json\r\n\r\n{\r\n--x--\r\n`,
      ],
      ['many parts', 413, type, `${withToken}${field('a').repeat(500)}--x--\r\n`],
      ['many files', 413, type, `${withToken}${`--x\r\n${head}\r\n\r\nx\r\n`.repeat(50)}--x--\r\n`],
      ['a name without end', 403, type, `${field('y'.repeat(10_000))}--x--\r\n`],
      ['nothing at all', 403, type, ''],
    ];
    const seen: [string, number][] = [];
    for (const [what, , contentType, payload] of cases) {
      const answer = await service.app.inject({
        method: 'POST',
        url: `/developer/apps/${id}/settings/picture`,
        headers: { cookie: developer.cookie, 'sec-fetch-site': 'same-origin', 'content-type': contentType },
        payload,
      });
      seen.push([what, answer.statusCode]);
      assert.match(String(answer.headers['content-type']), /text\/html/, what);
      assert.deepEqual(failures(), [], what);
    }
    assert.deepEqual(
      seen,
      cases.map(([what, status]) => [what, status]),
    );
    assert.equal(await pathIn(id), undefined);
  });

  await t.test('signed-out users and other sites are refused before the picture form is read', async () => {
    const { id } = await registerApp(developer);
    const send = (headers: object) =>
      service.app.inject({
        method: 'POST',
        url: `/developer/apps/${id}/settings/picture`,
        headers: { 'content-type': 'multipart/form-data', ...headers },
        payload: 'not a form',
      });
    const stranger = await send({});
    assert.equal(
      stranger.headers.location,
      `/sign-in?return_to=${encodeURIComponent(`/developer/apps/${id}/settings?confirmed=true`)}`,
    );
    const elsewhere = await send({ cookie: developer.cookie, 'sec-fetch-site': 'cross-site' });
    assert.equal(elsewhere.statusCode, 403);
  });

  await t.test('an app without a picture answers 404', async () => {
    const { id } = await registerApp(developer);
    for (const path of [`${id}/${'0'.repeat(64)}.png`, `${id}/x.png`, `x/${'0'.repeat(64)}.png`, `${id}/..%2f.png`]) {
      assert.equal((await service.app.inject(`/apps/${path}`)).statusCode, 404, path);
    }
  });

  await t.test('changing the name or picture ends verification, and other changes do not', async () => {
    const { id } = await registerApp(developer, { name: 'Rocket Post' });
    assert.equal(await isVerified(id), false);
    await upload(id, png());
    const ends: [boolean, string, () => Promise<unknown>][] = [
      [false, 'addresses', () => post({ name: 'Rocket Post', redirect_uris: 'https://game.example/' })],
      [false, 'the same picture', () => upload(id, png())],
      [false, 'a refused picture', () => upload(id, Buffer.from('no'))],
      [false, 'a refused name', () => post({ name: 'Verified Rockets' })],
      [true, 'a name', () => post({ name: 'Rocket post' })],
      [true, 'a picture', () => upload(id, png(20))],
      [true, 'no picture', () => developer.post(`/developer/apps/${id}/settings/picture/remove`)],
      [false, 'no picture again', () => developer.post(`/developer/apps/${id}/settings/picture/remove`)],
    ];
    const post = (form: Record<string, string>) => developer.post(`/developer/apps/${id}/settings`, form);
    for (const [ended, what, act] of ends) {
      await verify(id);
      assert.equal(await isVerified(id), true);
      await act();
      assert.equal(await isVerified(id), !ended, what);
    }
    assert.match((await developer.get('/developer')).body, />Verified<\/span>/);
  });

  await t.test('app names that imitate Quarters or a verified app are refused', async () => {
    const { id } = await registerApp(developer, { name: 'Comet Cup' });
    const taken = await registerApp(developer, { name: 'Comet  Cup' });
    assert.equal(taken.answer.statusCode, 200, 'before it is verified');
    await verify(id);
    const alike = await appsAlike(service.service, (await lookUpApp(service.service.db, id as AppId))!);
    assert.deepEqual(
      alike.map((app) => app.id),
      [taken.id],
    );
    const other = await registerApp(stranger, { name: 'Another' });
    for (const path of ['/developer/apps/new', `/developer/apps/${other.id}/settings`]) {
      for (const [name, because] of [
        ['comet-cup', /looks like the name of another app, which is verified/],
        ['Соmet Cup', /several alphabets/],
        ['C0met Cup!', /another app/],
        ['Quarters', /“Quarters”/],
        ['Comet ✓', /check mark/],
      ] as const) {
        const answer = await stranger.post(path, { name });
        assert.equal(answer.statusCode, 400, name);
        assert.match(errorBeside(answer.body, 'name') ?? '', because);
      }
    }
    // An app that had such a name before keeps it.
    assert.equal(
      (await developer.post(`/developer/apps/${taken.id}/settings`, { name: 'Comet  Cup' })).statusCode,
      303,
    );
    assert.equal((await developer.post(`/developer/apps/${id}/settings`, { name: 'Comet Cup!' })).statusCode, 303);
  });
});

async function encode(form: FormData): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const response = new Response(form);
  const headers = { 'content-type': response.headers.get('content-type')! };
  return { headers, body: Buffer.from(await response.arrayBuffer()) };
}
