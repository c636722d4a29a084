import { html } from 'hono/html';
import { consoleForm } from '../../../../pages/consoles/console.ts';
import { dataTable } from '../../../../pages/consoles/console-table.ts';
import { pathTo } from '../../../../pages/consoles/entity-parts.ts';
import { operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { HIT_COLUMNS } from '../../../../views/inspection/found-columns.ts';
import type { Hit, SearchOutcome } from '../../../../views/inspection/search.ts';
import { gameText } from '../../../../web/game-text.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';

/** The search, with what it found. `outcome`: null if nothing was looked for yet. */
export function operatorSearchPage(
  visitor: Visitor,
  typed: string,
  outcome: SearchOutcome | { fault: string } | null,
): Page {
  const content = html`<section class="card">
${consoleForm(
  visitor,
  '/operator/search',
  '/operator/search',
  html`<div class="field"><label for="q">Search everything</label>
<input id="q" name="q" type="search" maxlength="300" value="${typed}" autocomplete="off" spellcheck="false" required aria-describedby="q-hint">
<p class="hint" id="q-hint">A user, app, payment, transfer, reward, report or webhook event by its id. An account by its address, a transaction by its hash (txId). A player by their e-mail address, a player or an app by the beginning of the name.</p></div>
<button class="primary">Search</button>`,
)}
</section>
${outcome && results(outcome)}`;
  return operatorPage(visitor, null, { title: 'Search', content });
}

function results(outcome: SearchOutcome | { fault: string }): Markup {
  if ('fault' in outcome) return html`<p class="notice bad" role="alert">${outcome.fault}</p>`;
  const { hits, lookedFor, isPart } = outcome;
  if (hits.length === 0) return html`<p class="notice" role="status">There is no ${lookedFor}.</p>`;
  return html`<section class="card">
${dataTable('What was found', [HIT_COLUMNS.kind, { ...HIT_COLUMNS.name, value: hitLink }], hits)}
${isPart && html`<p class="hint">There are more. Type more of the name.</p>`}
</section>`;
}

function hitLink({ name, target }: Hit): Markup {
  return html`<a href="${pathTo(target.page, target.id)}"><bdi>${gameText(name, 80) ?? target.id}</bdi></a> <span class="hint">${name !== target.id && html`<code>${target.id}</code>`}</span>`;
}
