import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import { readSettings } from '../../src/config/read-settings.ts';
import { browserScript } from '../../src/pages/browser-script.ts';
import { languagesWith } from '../../src/words/languages.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';

const TSC = new URL('../../node_modules/typescript/bin/tsc', import.meta.url).pathname;

async function served(env: Record<string, string> = {}) {
  const server = fastify();
  const languages = languagesWith('en');
  browserScript(server, { settings: readSettings(env), publicUrl: 'https://quarters.example', languages });
  return (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });
}

test('quarters.js is under 6.5 kB compressed, loadable from any origin and cached for minutes', async () => {
  const get = await served();
  const codings = [
    ['br', (body: Buffer) => brotliDecompressSync(body)],
    ['gzip', (body: Buffer) => gunzipSync(body)],
  ] as const;
  for (const path of ['/quarters.js', '/quarters.mjs']) {
    const plain = await get(path);
    assert.equal(plain.headers['content-encoding'], undefined);
    for (const [coding, open] of codings) {
      const { headers, rawPayload } = await get(path, { 'accept-encoding': `deflate, ${coding};q=0.5` });
      assert.equal(headers['content-encoding'], coding);
      assert.ok(rawPayload.length < 6500, `${path} in ${coding}: ${rawPayload.length} bytes`);
      assert.equal(open(rawPayload).toString(), plain.body);
    }
    assert.equal((await get(path, { 'accept-encoding': 'br;q=0, *' })).headers['content-encoding'], undefined);
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(plain.headers['access-control-allow-origin'], '*');
    assert.equal(plain.headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(plain.headers['cache-control'], 'public, max-age=600');
    const again = await get(path, { 'if-none-match': String(plain.headers.etag) });
    assert.deepEqual([again.statusCode, again.body], [304, '']);
  }
});

test('quarters.js knows the configured page paths', async () => {
  const get = await served({ APPROVAL_PATH: '/pay', SIGNUP_PATH: '/join' });
  for (const path of ['/quarters.js', '/quarters.mjs'])
    assert.match(
      (await get(path)).body,
      /quarters\("https:\/\/quarters\.example\/pay", "https:\/\/quarters\.example\/join"\)/,
    );
});

test('the types of quarters.js fit the module and the classic script', async (t) => {
  const folder = await scratchFolder(t);
  const get = await served();
  const files = {
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        target: 'esnext',
        module: 'esnext',
        moduleResolution: 'bundler',
        exactOptionalPropertyTypes: true,
        lib: ['esnext', 'dom'],
        types: [],
        paths: { 'https://quarters.example/quarters.mjs': ['./quarters.d.ts'] },
      },
    }),
    'quarters.d.ts': (await get('/quarters.d.ts')).body,
    'module.ts': `
      import { approve, QuartersError, signUpGuest } from 'https://quarters.example/quarters.mjs';
      const { txId, requestId } = await approve({ requestId: Promise.resolve('r'), pageToken: 't', container: document.body });
      const never: never = await approve({ requestId: 'r', mode: 'redirect', redirectUri: '/back' });
      const { code }: { code: string } = await signUpGuest({ clientId: 'c', token: 't' });
      window.onServiceCallback = (result) => 'txId' in result && result.txId.length;
      try { console.log(txId.length, requestId.length, code, never); } catch (error) {
        if (error instanceof QuartersError && error.code === 'blocked') console.log(error.fallback);
      }
      // @ts-expect-error: the request is missing
      void approve({ mode: 'popup' });
      // @ts-expect-error: no such way
      void approve({ requestId: 'r', mode: 'tab' });
      // @ts-expect-error: no such code
      void (new QuartersError().code === 'lost');
    `,
    'classic.ts': `
      Quarters.approve({ requestId: 'r' }).then(({ txId }) => txId.length);
      // @ts-expect-error: the token is missing
      void Quarters.signUpGuest({ clientId: 'c' });
    `,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { stdout } = await promisify(execFile)(process.execPath, [TSC, '-p', folder]).catch((error) => error);
  assert.equal(stdout, '');
});
