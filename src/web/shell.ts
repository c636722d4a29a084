import { html } from 'hono/html';
import { en } from '../../words/en.ts';
import { themeOf } from '../base/theme.ts';
import type { Settings } from '../config/settings.ts';
import type { House } from '../service/house.ts';
import type { Languages } from '../words/languages.ts';
import type { Words } from '../words/words.ts';
import { type Asset, assetOf, BUSY_SCRIPT, FRAME_SCRIPT, pathIn, readAsset } from './assets.ts';
import { hidden } from './fields.ts';
import { HEADER_LINKS } from './header-links.ts';
import { type Hello, helloAttributes } from './hello.ts';
import { icon } from './icons.ts';
import { languageChoice, type SamePage } from './language-choice.ts';
import type { Frame, Markup, Page } from './layout.ts';

/** What all pages of an installation share: the operator's name, logo, accent and support link. */
export type Shell = {
  readonly brandName: string;
  /** The host that people see in the address bar. */
  readonly host: string;
  /** Its address is https. */
  readonly isEncrypted: boolean;
  readonly supportUrl: string | undefined;
  readonly logo: Asset;
  readonly style: Asset;
  readonly house: House;
};

declare module 'fastify' {
  interface FastifyInstance {
    readonly shell: Shell;
  }
}

export function openShell(
  settings: Pick<Settings, 'brandName' | 'brandLogo' | 'brandAccent' | 'supportUrl'>,
  publicUrl: string,
  house: House,
): Shell {
  const { brandName, brandLogo, brandAccent, supportUrl } = settings;
  const { light, dark } = themeOf(brandAccent);
  const roles = ({ accent, over, idle, on, ink }: typeof light) =>
    `--accent:${accent};--accent-over:${over};--accent-idle:${idle};--on-accent:${on};--accent-ink:${ink}`;
  const style = `:root{${roles(light)}}@media(prefers-color-scheme:dark){:root{${roles(dark)}}}\n${sheetForBrowsers()}`;
  const mark = readAsset('mark.svg').toString().replaceAll('#f5b301', light.accent).replaceAll('#1d1608', light.on);
  return {
    brandName,
    host: new URL(publicUrl).host,
    isEncrypted: new URL(publicUrl).protocol === 'https:',
    supportUrl,
    logo: brandLogo
      ? assetOf(brandLogo)
      : assetOf({ name: 'mark.svg', type: 'image/svg+xml', body: Buffer.from(mark) }),
    style: assetOf({ name: 'page.css', type: 'text/css; charset=utf-8', body: Buffer.from(style) }),
    house,
  };
}

/** Without what is for readers of our source: comments and indentation. */
function sheetForBrowsers(): string {
  return readAsset('page.css')
    .toString()
    .replaceAll(/\/\*.*?\*\/\n?|^ +/gms, '');
}

/** `isDeveloper`: manages an app, or is on a page for those who do. Players see no link to the consoles. */
type HeaderVisitor = { readonly csrf: string; readonly isDeveloper: boolean };

export type PageContext = {
  /** Of the reader. */
  readonly words: Words;
  readonly framed: boolean;
  readonly runsScripts: boolean;
  readonly hello?: Hello | undefined;
  /** Who is signed in, for the navigation. */
  readonly visitor?: HeaderVisitor | undefined;
  /** Lets the reader choose another language. */
  readonly choice?: { readonly languages: Languages; readonly samePage: SamePage } | undefined;
};

/**
 * The whole document. A page for a frame or a webview has no header. Outside a frame it still says whose it is, because it may ask
 * for a password in a window without an address bar.
 * `runsScripts`: its headers allow scripts.
 */
export function renderPage(
  shell: Shell,
  { frame, title, main, sidebar, scripts }: Page,
  { words: readers, framed, runsScripts, hello, visitor, choice }: PageContext,
): Markup {
  const { brandName, logo, style } = shell;
  const { inline, wide, sheet } = frame;
  const words = wordsOfPage({ frame }, readers);
  const whole = ['whole', wide && 'wide', sheet?.name].filter(Boolean).join(' ');
  const kind = inline ? `inline${framed ? ' framed' : ''}` : whole;
  return html`<!doctype html>
<html lang="${words.language}" dir="${words.direction}">
<head>
<meta charset="utf-8">
<title>${title} · ${brandName}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${logo.path}">
<link rel="stylesheet" href="${style.path}">${sheet && html`<link rel="stylesheet" href="${sheet.path}">`}
${[hello && FRAME_SCRIPT.path, ...scripts, runsScripts && BUSY_SCRIPT.path].map((path) => path && html`<script src="${pathIn(words, path)}" defer></script>`)}
</head>
<body class="${kind}"${hello && helloAttributes(hello)}>
${inline ? !framed && identity(shell) : header(words, shell, frame, visitor)}
${
  sidebar
    ? html`<div class="app">
${sidebar(shell.house)}
${main}
</div>`
    : main
}
${footer(words, shell, frame, choice)}
</body>
</html>`;
}

/** Pages for developers and operators, which have a sheet, are in English. */
export function wordsOfPage({ frame }: Pick<Page, 'frame'>, readers: Words): Words {
  return frame.sheet ? en : readers;
}

function header(
  words: Words,
  { brandName, logo, house }: Shell,
  { nav, sheet, bar }: Frame,
  visitor: PageContext['visitor'],
): Markup {
  return html`<header><a class="brand" href="/"><img src="${logo.path}" alt="" width="28" height="28"><span>${brandName}</span></a>${
    nav && visitor && navigation(words, house, sheet !== undefined, visitor)
  }${bar}</header>`;
}

/** Signing out is a form with the form token, so that no other site can send it. */
function navigation(
  { frame }: Words,
  house: House,
  forDevelopers: boolean,
  { csrf, isDeveloper }: HeaderVisitor,
): Markup {
  const links = isDeveloper ? house.of(HEADER_LINKS).map((link) => link(frame, forDevelopers)) : [];
  return html`<nav aria-label="${frame.nav}">${links.map((link) => link && html`<a href="${link.path}">${icon(link.sign)}${link.label}</a>`)}<a href="/account">${icon('person')}${frame.account}</a><form method="post" action="/sign-out">${hidden('csrf', csrf)}<button>${icon('leave')}${frame.signOut}</button></form></nav>`;
}

/** One line in place of the header: whose page this is, and at which address. */
function identity({ brandName, logo, host, isEncrypted }: Shell): Markup {
  return html`<header class="identity"><img src="${logo.path}" alt="" width="20" height="20"><span>${brandName}</span><span class="host">${isEncrypted && icon('lock')}${host}</span></header>`;
}

/** In a frame or a webview there is only the choice of a language. Developers know whose pages theirs are. */
function footer(
  words: Words,
  { brandName, supportUrl }: Shell,
  { inline, sheet }: Frame,
  choice: PageContext['choice'],
): Markup | '' {
  const lines = [
    !inline && !sheet && html`<p>${words.frame.footer(brandName)}</p>`,
    !inline && supportUrl && html`<p><a href="${supportUrl}" rel="noreferrer">${words.frame.support}</a></p>`,
    !sheet && choice && languageChoice(words, choice.languages, choice.samePage),
  ].filter((line) => !!line);
  return lines.length > 0 ? html`<footer>${lines}</footer>` : '';
}
