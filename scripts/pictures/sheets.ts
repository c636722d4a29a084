import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { html } from 'hono/html';
import type { Browser } from 'playwright-core';
import { LOOKS } from './camera.ts';
import type { Scene } from './scene.ts';

type Look = (typeof LOOKS)[number];

/** How many pictures are beside each other, and how many on one sheet. */
const PHONES = { columns: 6, most: 18, width: 260 };
const DESKTOPS = { columns: 3, most: 12, width: 530 };

/** Writes index.html, which shows all pictures, and sheets of a dozen pictures each: `sheets/phone-dark-03.png`. */
export async function writeSheets(browser: Browser, scenes: readonly Scene[], folder: string): Promise<void> {
  mkdirSync(join(folder, 'sheets'));
  const page = await browser.newPage({ viewport: { width: 1640, height: 1000 } });
  for (const { look } of LOOKS) {
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
  const looks = LOOKS.map(({ look }) => look);
  writeFileSync(join(folder, 'index.html'), await sheet('.', looks, scenes, folder));
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
