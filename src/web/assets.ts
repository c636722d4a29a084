import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { lazily } from '../base/lazily.ts';
import { words } from '../words/words.ts';

type Asset = { readonly path: string; readonly type: string; readonly body: Buffer; readonly brotli: () => Buffer };

/**
 * The path holds a hash of the content, so browsers may cache the file for ever. `says`: what a script says, from the catalogue; the
 * script `own-window.js` finds it as `ownWindowWords`, because the scripts of a page share one scope.
 */
function asset(name: string, type: string, says?: Readonly<Record<string, string>>): Asset {
  const source = readFileSync(new URL(`./assets/${name}`, import.meta.url));
  const constant = `${name.replace('.js', '').replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase())}Words`;
  const body = says ? Buffer.concat([Buffer.from(`const ${constant} = ${JSON.stringify(says)};\n`), source]) : source;
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { path: `/assets/${hash}/${name}`, type, body, brotli: lazily(() => brotliCompressSync(body)) };
}

export const STYLE = asset('page.css', 'text/css; charset=utf-8');
export const RESULT_SCRIPT = asset('result.js', 'text/javascript; charset=utf-8');
export const OWN_WINDOW_SCRIPT = asset('own-window.js', 'text/javascript; charset=utf-8');
export const PASSKEY_SCRIPT = asset('passkey.js', 'text/javascript; charset=utf-8');
export const PASSWORD_SCRIPT = asset('password.js', 'text/javascript; charset=utf-8');
/**
 * For pages whose buttons pay or grant access. A game can open or uncover our window under the pointer, between the two clicks of
 * a double click, and a click meant for the game must not press our buttons. So such a page takes no click, by pointer or
 * keyboard, until it has been visible, and clicks have been quiet, for a moment.
 */
export const READY_SCRIPT = asset('ready.js', 'text/javascript; charset=utf-8');
export const OPENED_BY_SCRIPT = asset('opened-by.js', 'text/javascript; charset=utf-8');
export const PROGRESS_SCRIPT = asset('progress.js', 'text/javascript; charset=utf-8', words.scripts.progress);
export const ADDRESS_SCRIPT = asset('address.js', 'text/javascript; charset=utf-8');
export const MARK = asset('mark.svg', 'image/svg+xml');

/** Serves the files from memory, since they are small. */
export function serveAssets(server: FastifyInstance): void {
  for (const { path, type, body, brotli } of [
    STYLE,
    RESULT_SCRIPT,
    OWN_WINDOW_SCRIPT,
    OPENED_BY_SCRIPT,
    READY_SCRIPT,
    PASSKEY_SCRIPT,
    PASSWORD_SCRIPT,
    PROGRESS_SCRIPT,
    ADDRESS_SCRIPT,
    MARK,
  ]) {
    server.get(path, (request, reply) => {
      // Compression is safe: the files hold no secret that the size could reveal.
      const small = /\bbr\b/.test(String(request.headers['accept-encoding']));
      return reply
        .headers({
          'content-type': type,
          ...(small && { 'content-encoding': 'br' }),
          vary: 'accept-encoding',
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
          'cross-origin-resource-policy': 'same-origin',
          'x-content-type-options': 'nosniff',
        })
        .send(small ? brotli() : body);
    });
  }
}
