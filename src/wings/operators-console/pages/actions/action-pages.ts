import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import type { ActionPreview } from '../../../../features/operator-actions/action-deed.ts';
import { DECLARED_ACTIONS } from '../../../../features/operator-actions/declarations.ts';
import type { ActionFilter } from '../../../../operator-actions/action-list.ts';
import { ACTION_STATES, type ActionId, type ActionRow } from '../../../../operator-actions/operator-actions.ts';
import { consoleForm, consoleTime, panel } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { figureRow } from '../../../../pages/consoles/figures.ts';
import { operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import { pager } from '../../../../pages/consoles/pager.ts';
import { DONE_COLUMNS } from '../../../../views/inspection/found-columns.ts';
import { choice, hidden } from '../../../../web/fields.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import {
  actionBadge,
  actorName,
  parameterName,
  resultName,
  stateWord,
  subjectLink,
  titleOf,
  valueText,
} from './action-words.ts';
import { previewContent } from './confirm-page.ts';

/** Of operators and apps, by id. */
type Names = ReadonlyMap<string, string>;

type ListView = {
  readonly visitor: Visitor;
  readonly names: Names;
  /** What waits for somebody, or was interrupted. */
  readonly open: readonly ActionRow[];
  readonly filter: ActionFilter;
  readonly found: { readonly actions: readonly ActionRow[]; readonly next: ActionId | null };
};

/** What waits for this operator first, then everything that operators did. */
export function actionsPage({ visitor, names, open, filter, found }: ListView): Page {
  const mine = (action: ActionRow) => action.state === 'started' || action.askedBy !== `user:${visitor.user.id}`;
  const forMe = open.filter(mine);
  const own = open.filter((action) => !mine(action));
  const content = html`${forMe.length > 0 && panel('Waiting for you', table(forMe, names))}
${own.length > 0 && panel('Waiting for another operator', table(own, names))}
<section class="card"><h2>All actions</h2>
${filters(filter)}
${found.actions.length === 0 ? html`<p>No actions.</p>` : table(found.actions, names)}
${pager(false, found.next && address(filter, found.next))}
</section>`;
  const [first, ...others] = DECLARED_ACTIONS.flatMap(({ page }) => page ?? []);
  const action = html`<div class="actions">${others.map(({ path, button }) => html`<a class="secondary" href="${path}">${button}</a> `)}<a class="primary" href="${first!.path}">${first!.button}</a></div>`;
  return operatorPage(visitor, 'actions', { title: 'Actions', content, action });
}

function filters({ state, kind, subject }: ActionFilter): Markup {
  const states = ACTION_STATES.map((each) => [each, stateWord(each)] as const);
  const kinds = DECLARED_ACTIONS.map(({ name, title }) => [name, title] as const);
  return html`<form method="get" action="/operator/actions" role="search" class="filters">
${choice({ name: 'state', label: 'State', value: state, options: [['', 'All'], ...states] })}
${choice({ name: 'kind', label: 'Action', value: kind, options: [['', 'All'], ...kinds] })}
${hidden('subject', subject)}
<button class="secondary">Apply</button>
</form>
${subject && html`<p class="chips"><a href="${address({ state, kind })}" aria-current="true">Only ${subject} ×</a></p>`}`;
}

function address({ state, kind, subject }: ActionFilter, after?: ActionId): string {
  const given = Object.entries({ state, kind, subject, after }).flatMap(([name, value]) =>
    value ? [[name, value]] : [],
  );
  const query = `${new URLSearchParams(given)}`;
  return query === '' ? '/operator/actions' : `/operator/actions?${query}`;
}

function table(actions: readonly ActionRow[], names: Names): Markup {
  const { asked, action, by, state, quarters } = DONE_COLUMNS;
  const columns: ShownColumn<ActionRow>[] = [
    { ...asked, value: ({ id, askedAt }) => html`<a href="/operator/actions/${id}">${consoleTime(askedAt)}</a>` },
    { ...action, value: titleOf },
    { label: 'Concerns', value: ({ subject }) => subjectLink(subject, names) },
    { ...by, value: ({ askedBy }) => actorName(askedBy, names) },
    { ...state, value: (row) => actionBadge(row.state) },
    quarters,
  ];
  return dataTable('Actions, newest first', columns, actions);
}

type ActionView = {
  readonly visitor: Visitor;
  readonly names: Names;
  readonly action: ActionRow;
  /** What it would do now, or why it cannot, while it waits. */
  readonly preview: ActionPreview | { readonly refusal: string } | null;
};

/** One action: what, who, when, what came of it, and what can be decided. */
export function actionPage({ visitor, names, action, preview }: ActionView): Page {
  const content = html`<p><a href="/operator/actions">All actions</a></p>
${figureRow([
  action.amount !== null && ['Amount', en.quarters(action.amount)],
  ['State', actionBadge(action.state)],
  ['Asked', consoleTime(action.askedAt)],
])}
${preview && decisionPanel(visitor, action, preview)}
${action.state === 'started' && retryPanel(visitor, action)}
${panel('Details', facts(action, names))}`;
  return operatorPage(visitor, 'actions', { title: titleOf(action), content });
}

function decisionPanel(visitor: Visitor, action: ActionRow, preview: NonNullable<ActionView['preview']>): Markup {
  const isMine = action.askedBy === `user:${visitor.user.id}`;
  const form = (verb: string, content: Markup) =>
    consoleForm(visitor, `/operator/actions/${action.id}/${verb}`, `/operator/actions/${action.id}`, content);
  const shown =
    'refusal' in preview
      ? html`<p class="notice bad">It cannot be done now: ${preview.refusal}</p>`
      : previewContent(preview);
  const decide = isMine
    ? html`<p>Another operator must approve this before ${consoleTime(action.expiresAt!)}.</p>
${form('refuse', html`<button class="secondary">Withdraw</button>`)}`
    : html`<p>If you approve, it is done at once. You can until ${consoleTime(action.expiresAt!)}.</p>
${!('refusal' in preview) && form('approve', html`${hidden('hash', action.paramsHash)}<button class="primary">Approve</button>`)}
${form('refuse', html`<button class="secondary">Refuse</button>`)}`;
  return panel(
    isMine ? 'Waiting for another operator' : 'Waiting for you',
    html`${shown}
<dl class="facts"><div><dt>Reason</dt><dd><bdi>${action.reason}</bdi></dd></div></dl>
${decide}`,
  );
}

function retryPanel(visitor: Visitor, { id }: ActionRow): Markup {
  const form = consoleForm(
    visitor,
    `/operator/actions/${id}/retry`,
    `/operator/actions/${id}`,
    html`<button class="primary">Finish</button>`,
  );
  return panel(
    'Interrupted',
    html`<p>This was decided, and interrupted before its end. Finishing it has one effect, however often you do it.</p>${form}`,
  );
}

function facts(action: ActionRow, names: Names): Markup {
  const given = Object.entries(JSON.parse(action.params) as Record<string, string | number | null>);
  const params = given.filter(([name, value]) => value !== null && name !== 'owner');
  const result = Object.entries(action.result ?? {});
  const row = (name: string, value: unknown) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="facts">
${row('Concerns', subjectLink(action.subject, names))}
${params.map(([name, value]) => row(parameterName(action, name), html`<bdi>${valueText(value)}</bdi>`))}
${row('Reason', html`<bdi>${action.reason}</bdi>`)}
${row('Asked by', actorName(action.askedBy, names))}
${action.decidedBy && row(action.state === 'refused' ? 'Refused by' : 'Approved by', html`${actorName(action.decidedBy, names)}, ${consoleTime(action.decidedAt!)}`)}
${action.transferId && row('Transfer', html`<a href="/operator/transfers/${action.transferId}"><code>${action.transferId}</code></a>`)}
${result.map(([name, value]) => row(resultName(name), html`<bdi>${valueText(value)}</bdi>`))}
${row('Hash', html`<code>${action.paramsHash}</code>`)}
${row('Id', html`<code>${action.id}</code>`)}
</dl>`;
}
