import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { html } from 'hono/html';
import { contrast, themeOf } from '../../src/base/theme.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { htmlOf } from '../../src/features/mails/mail-layout.ts';
import { houseOf } from '../../src/service/house.ts';
import { layout } from '../../src/web/layout.ts';
import { openShell, renderPage } from '../../src/web/shell.ts';
import { en } from '../../words/en.ts';

const ORIGIN = 'https://pay.example:8443';
const shellWith = (env: Record<string, string>) => openShell(readSettings(env), ORIGIN, houseOf([]));
const render = async (env: Record<string, string>, inline: boolean, framed = false) =>
  String(
    await renderPage(shellWith(env), layout({ inline }, 'A title', html`<main>content</main>`), {
      words: en,
      framed,
      runsScripts: false,
    }),
  );

describe('the shell of all pages', () => {
  it("shows the operator's name and support link, escaped", async () => {
    const page = await render({ BRAND_NAME: '<Gold & Co>', SUPPORT_URL: 'mailto:help@gold.example' }, false);
    assert.match(page, /<title>A title · &lt;Gold &amp; Co&gt;<\/title>/);
    assert.match(page, /<span>&lt;Gold &amp; Co&gt;<\/span>/);
    assert.match(page, /This page belongs to &lt;Gold &amp; Co&gt;, not to the game\./);
    assert.match(page, /<a href="mailto:help@gold.example" rel="noreferrer">/);
    assert.doesNotMatch(await render({}, false), /rel="noreferrer"/);
  });

  it('an inline page says whose it is and at which address, unless it is in a frame', async () => {
    const alone = await render({}, true);
    assert.match(alone, /<header class="identity">.*<span>Quarters<\/span>.*pay\.example:8443<\/span><\/header>/);
    assert.doesNotMatch(alone, /<footer>|<nav/);
    assert.doesNotMatch(await render({}, true, true), /<header|<footer>|<nav/);
  });

  it("the accent colours the mark and the style, and a logo file takes the mark's place", (t) => {
    const coloured = shellWith({ BRAND_ACCENT: '#3355FF' });
    assert.match(coloured.logo.body.toString(), /fill="#3355ff"/);
    assert.match(coloured.style.body.toString(), /^:root\{--accent:#3355ff;/);
    const folder = mkdtempSync(join(tmpdir(), 'quarters-logo-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'ours.svg');
    writeFileSync(file, '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>');
    const { logo } = shellWith({ BRAND_LOGO: file });
    assert.deepEqual([logo.type, /^\/assets\/[0-9a-f]{12}\/logo\.svg$/.test(logo.path)], ['image/svg+xml', true]);
  });

  it('a wrong name, accent, logo or support link stops the start', () => {
    for (const env of [
      { BRAND_NAME: 'x'.repeat(41) },
      { BRAND_NAME: 'right \u202e to left' },
      { BRAND_ACCENT: 'gold' },
      { BRAND_LOGO: '/nowhere/logo.png' },
      { BRAND_LOGO: import.meta.filename },
      { SUPPORT_URL: 'javascript:alert(1)' },
    ]) {
      assert.throws(() => readSettings(env), { name: 'SettingsError' }, JSON.stringify(env));
    }
  });
});

describe('the theme of an accent', () => {
  const colour = (hex: string) => [...Buffer.from(hex.slice(1), 'hex')] as [number, number, number];
  const CARDS = { light: [255, 255, 255], dark: [26, 28, 31] } as const;

  it('can be read whatever the accent is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
        const accent = `#${number.toString(16).padStart(6, '0')}`;
        for (const [scheme, { accent: fill, over, idle, on, ink }] of Object.entries(themeOf(accent))) {
          for (const ground of [fill, over, idle]) assert.ok(contrast(colour(ground), colour(on)) >= 4.5, scheme);
          assert.ok(contrast(colour(ink), CARDS[scheme as keyof typeof CARDS]) >= 4.5, `${scheme} ${ink}`);
        }
        const { dark } = themeOf(accent);
        assert.ok(contrast(colour(dark.accent), CARDS.dark) >= 3, dark.accent);
      }),
    );
  });

  it('keeps an accent that can be read', () => {
    assert.deepEqual(themeOf('#f5b301').light, {
      accent: '#f5b301',
      over: '#f6be25',
      idle: '#fbe199',
      on: '#1d1608',
      ink: themeOf('#f5b301').light.ink,
    });
  });

  it('is shown in mails only in shades that stand out', async () => {
    const content = { subject: 'Hello', parts: [{ link: `${ORIGIN}/account`, label: 'Your account' }] };
    const mail = await htmlOf(content, { brandName: 'Gold', brandAccent: '#ffff66' }, en);
    const { light, dark } = themeOf('#ffff66');
    // Mail programs keep the table alone.
    assert.match(mail, /<html lang="en" dir="ltr">[\s\S]*<table [^>]* lang="en" dir="ltr"/);
    assert.doesNotMatch(mail, /style="[^"]*#ffff66/);
    for (const { ink } of [light, dark]) assert.ok(mail.includes(ink), ink);
  });
});
