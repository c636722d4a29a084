import type { html } from 'hono/html';
import type { House } from '../service/house.ts';

/**
 * Markup from hono's template. It escapes every value that is not itself markup. Every value from outside is a string, and `raw`
 * is never used.
 */
export type Markup = ReturnType<typeof html>;

export type Frame = {
  /** Shown without our header and footer, for a frame or a webview. */
  readonly inline: boolean;
  /** Shows the navigation of a signed-in user, whom the route has read (`readVisitor`). */
  readonly nav?: boolean;
  /** A column of cards in place of one. */
  readonly wide?: boolean;
  /** A further stylesheet. The page's body has its name as a class. */
  readonly sheet?: { readonly name: 'console' | 'docs'; readonly path: string };
  /** Stands in the header, beside the name. */
  readonly bar?: Markup;
};

/** A page without what all pages of an installation share, which `sendPage` adds. */
export type Page = {
  readonly frame: Frame;
  readonly title: string;
  readonly main: Markup;
  /** Stands beside `main`: the sections of a console, which the wings add to. */
  readonly sidebar?: (house: House) => Markup;
  readonly scripts: readonly string[];
};

/** A whole document around `main`. */
export function layout(frame: Frame, title: string, main: Markup, ...scripts: (string | undefined | '')[]): Page {
  return { frame, title, main, scripts: scripts.filter((path) => !!path) as string[] };
}
