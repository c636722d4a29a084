import { html } from 'hono/html';
import type { ActionPreview } from '../../../../features/operator-actions/action-deed.ts';
import { consoleForm } from '../../../../pages/consoles/console.ts';
import { operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { hidden } from '../../../../web/fields.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';

/** Does what the page before has shown. */
export const PERFORM_PATH = '/operator/actions/perform';

type View = {
  readonly visitor: Visitor;
  readonly title: string;
  readonly preview: ActionPreview & { readonly needsApproval: boolean };
  /** Every field of the form that is confirmed, its id and reason included. */
  readonly fields: Readonly<Record<string, string>>;
  /** Where the operator came from. */
  readonly page: string;
};

/** What will happen, in plain words, and one button. */
export function confirmPage({ visitor, title, preview, fields, page }: View): Page {
  const button = preview.needsApproval ? 'Ask for approval' : title;
  const form = consoleForm(
    visitor,
    PERFORM_PATH,
    page,
    html`${Object.entries(fields).map(([name, value]) => hidden(name, value))}
<p class="actions"><button class="primary">${button}</button> <a href="${page}">Cancel</a></p>`,
  );
  const content = html`<section class="card">
${previewContent(preview)}
<dl class="facts"><div><dt>Reason</dt><dd><bdi>${fields.reason}</bdi></dd></div></dl>
${preview.needsApproval && html`<p class="notice">Nothing happens yet: another operator must approve this within 24 hours.</p>`}
${form}
</section>`;
  return operatorPage(visitor, 'actions', { title: `${title}?`, content });
}

/** A preview: the sentence, before → after, and what to be careful about. */
export function previewContent({ sentence, facts, warnings = [] }: ActionPreview): Markup {
  return html`<p><strong>${sentence}</strong></p>
${facts.length > 0 && html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>`}
${warnings.map((warning) => html`<p class="notice bad">${warning}</p>`)}`;
}
