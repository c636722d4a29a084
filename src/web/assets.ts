import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { en } from '../../words/en.ts';
import { lazily } from '../base/lazily.ts';
import type { Service } from '../service/service.ts';
import type { Words } from '../words/words.ts';

/** A file of ours that browsers may cache for ever, because its path holds a hash of its content. */
export type Asset = {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  readonly brotli: () => Buffer;
};

export function assetOf({ name, type, body }: { name: string; type: string; body: Buffer }): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
  return { path: `/assets/${hash}/${name}`, type, body, brotli: lazily(() => brotliCompressSync(body)) };
}

export function readAsset(name: string): Buffer {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url));
}

/** A file of an installed package. */
function readPackage(file: string): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(file));
}

/** How a script that says something is written in another language, by its path in English. */
const speaking = new Map<string, (words: Words) => Asset>();

/**
 * `says`: what the script says, from the catalogue. The script `own-window.js` finds it as `ownWindowWords`, because the scripts of a
 * page share one scope. This is the script in English, by whose path all pages name it: {@link pathIn}.
 */
function script(name: string, says?: (words: Words) => Readonly<Record<string, string>>): Asset {
  const source = readAsset(name);
  const constant = `${name.replace('.js', '').replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase())}Words`;
  const type = 'text/javascript; charset=utf-8';
  if (!says) return assetOf({ name, type, body: source });
  const write = (words: Words) =>
    assetOf({
      name,
      type,
      body: Buffer.concat([Buffer.from(`const ${constant} = ${JSON.stringify(says(words))};\n`), source]),
    });
  const english = write(en);
  speaking.set(english.path, write);
  return english;
}

const translated = new Map<Words, ReadonlyMap<string, Asset>>();

/** The scripts that say something, in a language, by their paths in English. They are made once. */
function scriptsIn(words: Words): ReadonlyMap<string, Asset> {
  const made = translated.get(words) ?? new Map([...speaking].map(([path, write]) => [path, write(words)]));
  translated.set(words, made);
  return made;
}

/** The path of a script in a language. `path`: in English. */
export function pathIn(words: Words, path: string): string {
  return words === en ? path : (scriptsIn(words).get(path)?.path ?? path);
}

/** A stylesheet beside page.css, with that of the values to copy, and others. */
function style(name: string, ...others: Buffer[]): Asset {
  return assetOf({
    name,
    type: 'text/css; charset=utf-8',
    body: Buffer.concat([readAsset('copyable.css'), readAsset(name), ...others]),
  });
}

/** The search is a module, which the server imports too. On a page it is a part of the script. */
function docsScript(): Asset {
  const { body, ...rest } = script('docs.js');
  const find = readAsset('docs-find.js')
    .toString()
    .replaceAll(/^export /gm, '');
  return assetOf({ name: 'docs.js', type: rest.type, body: Buffer.concat([body, Buffer.from(find)]) });
}

export const RESULT_SCRIPT = script('result.js');
export const FIRST_WINDOW_SCRIPT = script('first-window.js', ({ scripts }) => scripts.firstWindow);
export const OWN_WINDOW_SCRIPT = script('own-window.js', ({ scripts }) => scripts.ownWindow);
/** On a page in a frame of quarters.js, which it tells the page's height. */
export const FRAME_SCRIPT = script('frame.js');
export const PASSKEY_SCRIPT = script('passkey.js', ({ scripts }) => scripts.passkey);
export const PASSWORD_SCRIPT = script('password.js', ({ scripts }) => scripts.password);
/**
 * For pages whose buttons pay or grant access. A game can open or uncover our window under the pointer, between the two clicks of
 * a double click, and a click meant for the game must not press our buttons. So such a page takes no click, by pointer or
 * keyboard, until it has been visible, and clicks have been quiet, for a moment.
 */
export const READY_SCRIPT = script('ready.js', ({ scripts }) => scripts.ready);
export const THIS_BROWSER_SCRIPT = script('this-browser.js');
export const PROGRESS_SCRIPT = script('progress.js', ({ scripts }) => scripts.progress);
export const LOCAL_TIME_SCRIPT = script('local-time.js', ({ scripts }) => scripts.localTime);
export const ADDRESS_SCRIPT = script('address.js');
export const CONTINUE_SCRIPT = script('continue.js');
export const COPY_SCRIPT = script('copy.js', ({ scripts }) => scripts.copy);
export const SECTIONS_SCRIPT = script('console-sections.js');
/** For the developers' console only: the other pages stay small. With the few rules of the library that draws its charts. */
export const CONSOLE_STYLE = style(
  'console.css',
  readAsset('console-economy.css'),
  readPackage('uplot/dist/uPlot.min.css'),
);
/** The library that draws charts, as its package has it. */
export const CHART_LIBRARY = assetOf({
  name: 'uplot.js',
  type: 'text/javascript; charset=utf-8',
  body: readPackage('uplot/dist/uPlot.iife.min.js'),
});
export const CHARTS_SCRIPT = script('console-charts.js');
/** For the documentation only. */
export const DOCS_STYLE = style('docs.css');
export const DOCS_SCRIPT = docsScript();
/** On every page that runs scripts. */
export const BUSY_SCRIPT = script('busy.js', ({ scripts }) => scripts.busy);

/** Serves the files from memory, since they are small. */
export function serveAssets(server: FastifyInstance, { languages }: Pick<Service, 'languages'>): void {
  const { logo, style } = server.shell;
  for (const { path, type, body, brotli } of [
    style,
    logo,
    ...languages.all.filter((words) => words !== en).flatMap((words) => [...scriptsIn(words).values()]),
    BUSY_SCRIPT,
    RESULT_SCRIPT,
    OWN_WINDOW_SCRIPT,
    FIRST_WINDOW_SCRIPT,
    FRAME_SCRIPT,
    THIS_BROWSER_SCRIPT,
    READY_SCRIPT,
    PASSKEY_SCRIPT,
    PASSWORD_SCRIPT,
    PROGRESS_SCRIPT,
    LOCAL_TIME_SCRIPT,
    ADDRESS_SCRIPT,
    CONTINUE_SCRIPT,
    COPY_SCRIPT,
    SECTIONS_SCRIPT,
    CONSOLE_STYLE,
    DOCS_STYLE,
    DOCS_SCRIPT,
    CHART_LIBRARY,
    CHARTS_SCRIPT,
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
