import { html } from 'hono/html';
import { MARK, STYLE } from './assets.ts';

/**
 * Markup from hono's template. It escapes every value that is not itself markup. Every value from outside is a string, and `raw`
 * is never used.
 */
export type Markup = ReturnType<typeof html>;

export type Frame = {
  /** Shown without our header and footer, for a frame or a webview. */
  readonly inline: boolean;
  /** Shows the navigation of a signed-in user. */
  readonly nav?: boolean;
};

/** A whole document around `main`. */
export function layout(
  { inline, nav }: Frame,
  title: string,
  main: Markup,
  ...scriptPaths: (string | undefined)[]
): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Quarters</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${MARK.path}">
<link rel="stylesheet" href="${STYLE.path}">
${scriptPaths.map((path) => path && html`<script src="${path}" defer></script>`)}
</head>
<body class="${inline ? 'inline' : 'whole'}">
${inline || html`<header><img src="${MARK.path}" alt="" width="28" height="28"><span>Quarters</span>${nav && NAV}</header>`}
${main}
${inline || html`<footer>This page belongs to Quarters, not to the game.</footer>`}
</body>
</html>`;
}

const NAV = html`<nav aria-label="Your pages"><a href="/account">Account</a> <a href="/developer">Developer</a> <a href="/sign-out">Sign out</a></nav>`;

/** `1 quarter`, `2 quarters`: the unit's word. */
export function unit(amount: bigint): string {
  return amount === 1n ? 'quarter' : 'quarters';
}
