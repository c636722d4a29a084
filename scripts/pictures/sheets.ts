import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { html } from 'hono/html';
import type { Browser } from 'playwright-core';
import type { LOOKS } from './camera.ts';
import type { Scene } from './scene.ts';

type Look = (typeof LOOKS)[number];

/** How many pictures are beside each other, and how many on one sheet. */
const PHONES = { columns: 6, most: 18, width: 260 };
const DESKTOPS = { columns: 3, most: 12, width: 530 };

/** Writes index.html, which shows all pictures, and sheets of up to 18 pictures each: `sheets/phone-dark-03.png`. */
export async function writeSheets(
  browser: Browser,
  scenes: readonly Scene[],
  folder: string,
  taken: readonly Look[],
): Promise<void> {
  mkdirSync(join(folder, 'sheets'));
  const page = await browser.newPage({ viewport: { width: 1640, height: 1000 } });
  for (const { look } of taken) {
    const { most } = layoutOf(look);
    for (let from = 0; from < scenes.length; from += most) {
      const name = `${look}-${String(from / most + 1).padStart(2, '0')}`;
      const file = join(folder, 'sheets', `${name}.html`);
      writeFileSync(file, await sheet('..', [look], scenes.slice(from, from + most), folder));
      await page.goto(pathToFileURL(file).href);
      await page.screenshot({ path: join(folder, 'sheets', `${name}.png`), fullPage: true });
      rmSync(file);
    }
  }
  await page.close();
  const looks = taken.map(({ look }) => look);
  writeFileSync(join(folder, 'index.html'), await sheet('.', looks, scenes, folder));
}

/** The pictures in docs/inside/design.md, each made of several. */
const DOCUMENTED = {
  controls: ['phone-light/design/controls', 'phone-dark/design/controls'],
  approval: [
    'phone-light/approval/guest, verified, picture',
    'phone-light/approval/guest, spending limit',
    'phone-dark/approval/guest, not enough, top-up',
    'phone-dark/approval/result paid',
  ],
};

/** Writes the pictures of the documents from those in `folder`. */
export async function writeDocumented(browser: Browser, folder: string, target: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1300, height: 800 } });
  const file = join(folder, 'documented.html');
  for (const [name, pictures] of Object.entries(DOCUMENTED)) {
    const document = html`<!doctype html><html lang="en"><meta charset="utf-8"><title>${name}</title>
<style>body{margin:0;padding:8px;width:max-content;display:flex;gap:8px;align-items:start;background:#888}img{display:block;width:312px}</style>
${pictures.map((picture) => html`<img src="${picture}.png" alt="">`)}</html>`;
    writeFileSync(file, String(await document));
    await page.goto(pathToFileURL(file).href);
    await page.locator('body').screenshot({ path: join(target, `${name}.png`) });
  }
  rmSync(file);
  await page.close();
}

function layoutOf(look: Look['look']) {
  return look.startsWith('phone') ? PHONES : DESKTOPS;
}

async function sheet(root: string, looks: readonly Look['look'][], scenes: readonly Scene[], folder: string) {
  const figures = looks.map((look) => {
    const { columns, width } = layoutOf(look);
    const taken = scenes.filter(({ name }) => existsSync(join(folder, look, `${name}.png`)));
    return html`<h1 id="${look}">${look}</h1><main style="grid-template-columns: repeat(${columns}, ${width}px)">
${taken.map(({ name }) => html`<figure><figcaption>${name}</figcaption><a href="${root}/${look}/${name}.png"><img src="${root}/${look}/${name}.png" width="${width}" alt=""></a></figure>`)}
</main>`;
  });
  const document = html`<!doctype html><html lang="en"><meta charset="utf-8"><title>Every page of Quarters</title>
<style>body{margin:12px;background:#888;font:12px sans-serif}h1{font-size:14px}main{display:grid;gap:8px;align-items:start}
figure{margin:0}img{display:block;max-height:640px;object-fit:cover;object-position:top}</style>
${figures}</html>`;
  return String(await document);
}
