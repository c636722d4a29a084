import { html } from 'hono/html';
import type { Page } from 'playwright-core';
import { field } from '../../../src/web/fields.ts';
import { coin, icon } from '../../../src/web/icons.ts';
import type { Markup } from '../../../src/web/layout.ts';
import { type Scene, scenesOf } from '../scene.ts';

const BUTTONS = ['primary', 'secondary', 'quiet', 'small', 'danger'] as const;
const STATES = ['at rest', 'hover', 'active', 'focus', 'disabled', 'busy'] as const;

/** Every control in every state: docs/inside/design.md shows this picture. */
export const DESIGN_SCENES: Scene[] = scenesOf('design', { controls, 'controls, more contrast': moreContrast });

async function controls(page: Page, { origin }: { origin: string }): Promise<void> {
  await page.goto(`${origin}/sign-in`);
  await page.evaluate(`document.body.className = 'whole wide'`);
  await page.locator('main').evaluate(
    (main, markup) => {
      main.innerHTML = markup;
    },
    String(await specimen()),
  );
  await forceStates(page);
}

async function moreContrast(page: Page, world: { origin: string }): Promise<void> {
  await page.emulateMedia({ contrast: 'more' });
  await controls(page, world);
}

async function specimen(): Promise<Markup> {
  return html`<section class="card"><h1>A page’s heading</h1><p class="asks"><strong class="amount short">${coin()}1,234</strong><span class="unit">quarters</span></p>
<p>Text, <a href="#">a link</a> and <code>code</code>.</p><p class="hint">Text that explains.</p></section>
<section class="card"><h2>Buttons</h2>
${BUTTONS.map(
  (kind) =>
    html`<p class="chips">${STATES.map(
      (state) =>
        html`<button class="${kind}" data-state="${state}"${state === 'disabled' && html` disabled`}${state === 'busy' && html` aria-busy="true"`}>${state}</button>`,
    )}</p>`,
)}</section>
<section class="card"><h2>Fields</h2>
<form>${field({ name: 'plain', label: 'A field', value: 'ada@mail.example', hint: 'What it is for.' })}
${field({ name: 'fixed', label: 'Read-only', value: 'ada@mail.example', fixed: true })}
${field({ name: 'wrong', label: 'Wrong', value: 'ada@', error: 'Enter an e-mail address.' })}
<label class="mandate"><input type="checkbox" checked><span>A choice that is ticked</span></label>
<label class="choice"><input type="radio" checked>One of several</label></form>
<p class="notice">A notice.</p><p class="notice good">Done.</p><p class="notice bad">Wrong.</p></section>
<section class="card"><ul class="menu"><li><a href="#">${icon('key')}<span>Passkeys<small>2</small></span>${icon('chevron')}</a></li></ul>
<nav class="chips"><a href="#" aria-current="page">All</a><a href="#">Payments</a></nav></section>`;
}

/** A picture cannot hover, so the browser is told to draw the states. */
async function forceStates(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  for (const [state, forced] of [
    ['hover', ['hover']],
    ['active', ['hover', 'active']],
    ['focus', ['focus', 'focus-visible']],
  ] as const) {
    const { nodeIds } = await session.send('DOM.querySelectorAll', {
      nodeId: root.nodeId,
      selector: `[data-state="${state}"]`,
    });
    for (const nodeId of nodeIds) {
      await session.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: [...forced] });
    }
  }
}
