import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const repository = resolve(import.meta.dirname, '../..');

/** Whole pages of HTML that people copy or open: those in blocks of documents, and files. */
function wholePages(): [name: string, html: string][] {
  const files = globSync(['*.md', '{docs,sdk,examples,local,deploy}/**/*.{md,html}'], {
    cwd: repository,
    exclude: ['**/node_modules/**'],
  });
  return files.flatMap((name): [string, string][] => {
    const text = readFileSync(resolve(repository, name), 'utf8');
    const pages = name.endsWith('.html')
      ? [text]
      : [...text.matchAll(/^```html\n([\s\S]*?)^```/gm)].map(([, html]) => html!);
    return pages.filter((html) => /^\s*<!doctype html/i.test(html)).map((html) => [name, html]);
  });
}

test('every whole page that we show or give fits a phone, and names its encoding', () => {
  const pages = wholePages();
  assert.ok(pages.some(([name]) => name === 'docs/integrate/tutorial.md') && pages.length >= 4, 'the list is complete');
  const lacking = (tag: string) => pages.filter(([, html]) => !html.includes(tag)).map(([name]) => name);
  assert.deepEqual(lacking('<meta name="viewport" content="width=device-width'), []);
  assert.deepEqual(lacking('<meta charset="utf-8">'), []);
});
