import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { lazily } from '../base/lazily.ts';
import { themeOf } from '../base/theme.ts';
import { basesOf } from '../config/bases.ts';
import type { Service } from '../service/service.ts';
import type { Words } from '../words/words.ts';

const SCRIPT = 'text/javascript; charset=utf-8';

/**
 * The script that games open our pages with, under stable paths: /quarters.js for `<script src>` (`window.Quarters`),
 * /quarters.mjs for `import`, and their types. No text is both a script and a module, so both are made from one source, which
 * gets the addresses of our pages, its words in each language and its looks here. Any site may load them.
 */
export function browserScript(
  server: FastifyInstance,
  { settings, publicUrl, languages: { all, fallback } }: Pick<Service, 'settings' | 'publicUrl' | 'languages'>,
): void {
  const { approval, signup } = basesOf(settings, publicUrl);
  const says = (words: Words) => ({ ...words.scripts.quarters, lang: words.language, dir: words.direction });
  const constants = {
    languages: Object.fromEntries(all.map((words) => [kindOf(words), says(words)])),
    fallback: kindOf(fallback),
    css: styleOf(settings.brandAccent),
  };
  const lines = Object.entries(constants).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};\n`);
  // Lines that are only comments, and indentation, are for readers of our source.
  const code = read('quarters.js') + read('quarters-frame.js');
  const source = lines.join('') + code.replaceAll(/^ *\/\/.*\n|^ +/gm, '');
  const pages = [approval, signup].map((base) => JSON.stringify(base)).join(', ');
  serve(server, '/quarters.js', SCRIPT, `window.Quarters = (() => {\n${source}return quarters(${pages});\n})();\n`);
  serve(
    server,
    '/quarters.mjs',
    SCRIPT,
    `${source}export const { approve, signUpGuest } = quarters(${pages});\nexport { QuartersError };\n`,
  );
  serve(server, '/quarters.d.ts', 'text/plain; charset=utf-8', read('quarters.d.ts'));
}

/** No two of our languages are of one kind: `pt-BR` is `pt`. */
function kindOf({ language }: Words): string {
  return language.split('-', 1)[0]!;
}

/** With the accent of this installation. Without the spaces that only readers need. */
function styleOf(brandAccent: string): string {
  const { light, dark } = themeOf(brandAccent);
  const host = ({ accent, on }: typeof light) => `:host{--accent:${accent};--on:${on}}`;
  const file = read('quarters.css')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};:,]) /g, '$1');
  return `${file}${host(light)}@media(prefers-color-scheme:dark){${host(dark)}}`;
}

function read(name: string): string {
  return readFileSync(new URL(`../web/assets/${name}`, import.meta.url), 'utf8');
}

/** Compressed once, and cacheable for minutes only: the path is the same for every version. */
function serve(server: FastifyInstance, path: string, type: string, text: string): void {
  const bodies = {
    br: lazily(() => brotliCompressSync(text)),
    gzip: lazily(() => gzipSync(text, { level: 9 })),
  };
  // Weak, because all codings of the text share it (RFC 9110, section 8.8.1).
  const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=600',
    etag,
    vary: 'accept-encoding',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': `default-src 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
  };
  server.get(path, (request, reply) => {
    reply.headers(headers);
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    const coding = (['br', 'gzip'] as const).find((name) => accepts(request.headers['accept-encoding'], name));
    return coding ? reply.header('content-encoding', coding).send(bodies[coding]()) : reply.send(text);
  });
}

/** Whether the coding is named with a weight above zero (RFC 9110, section 12.5.3). */
function accepts(header: string | string[] | undefined, coding: string): boolean {
  return String(header ?? '')
    .split(',')
    .some((part) => new RegExp(`^${coding}(?!;q=0(\\.0*)?$)(;|$)`).test(part.replaceAll(' ', '')));
}
