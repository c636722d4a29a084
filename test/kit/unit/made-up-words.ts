import { html } from 'hono/html';
import type { Words } from '../../../src/words/words.ts';
import { en } from '../../../words/en.ts';

const [BEGIN, END] = ['⟦', '⟧'];

/** A language that nobody speaks: every sentence of the English catalogue, in marks. `mails`: the kinds of mails that were written. */
export function madeUpWords(): { readonly words: Words; readonly mails: ReadonlySet<string> } {
  const mails = new Set<string>();
  const words = marked({ ...en, language: '', locale: '' }) as Words;
  const noted = new Proxy(words.mails, {
    get(kinds, kind: keyof Words['mails']) {
      mails.add(kind);
      return kinds[kind];
    },
  });
  const { language, locale } = en;
  return { words: { ...words, language, locale, mails: noted }, mails };
}

function marked(part: unknown): unknown {
  if (typeof part === 'string') return part === '' ? '' : `${BEGIN}${part}${END}`;
  if (typeof part === 'function') return (...values: unknown[]) => marked(part(...values));
  if (Array.isArray(part)) return part.map(marked);
  if (part instanceof String || part instanceof Promise) return html`${BEGIN}${part}${END}`;
  return Object.fromEntries(Object.entries(part as object).map(([name, value]) => [name, marked(value)]));
}

const SHOWN_ATTRIBUTES = /\s(?:aria-label|title|alt|placeholder)="([^"]*)"/g;

/** What a page says, with text that attributes show. Commands, and what scripts and styles say, are left out. */
export function shownText(page: string): string {
  return page
    .replaceAll(/<(script|style|code|pre)\b[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(
      /<[^>]*>/g,
      (tag) => [...tag.matchAll(SHOWN_ATTRIBUTES)].map(([, text]) => `\n${text}\n`).join('') || ' ',
    )
    .replaceAll(/&#?\w+;/g, ' ');
}

/** The lines of a text that have letters outside of the marks. `known`: what others have written. */
export function unmarkedLines(text: string, known: RegExp): string[] {
  const inMarks = new RegExp(`${BEGIN}[^${BEGIN}${END}]*${END}`, 'g');
  let left = text;
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replaceAll(inMarks, ' ');
  }
  return left
    .replaceAll(known, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /\p{L}/u.test(line));
}
