import { html } from 'hono/html';
import { badge, type ConsoleContent, consoleTime, panel } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { pager } from '../../../pages/consoles/pager.ts';
import type { Markup } from '../../../web/layout.ts';
import type { LogHead } from '../store/chain.ts';
import type { LogCheck } from '../store/entries.ts';
import { ENTRY_COLUMNS } from '../views/entry-columns.ts';
import type { LogEntryView, LogPage } from '../views/read-log.ts';
import { type AskedEntries, entriesAddress, entryFilters, LOG_PATH, labelOf } from './entry-filters.ts';
import { entryMoment, placeOf, subjectOf, whoOf } from './entry-words.ts';

export type EntriesView = LogPage & {
  readonly asked: AskedEntries;
  /** Whether newer entries are on another page. */
  readonly isLater: boolean;
  readonly head: LogHead;
  readonly check: LogCheck;
};

/** The operator's log: entries, newest first, and whether the log is whole. */
export function entriesContent(view: EntriesView): ConsoleContent {
  const { asked, entries, check } = view;
  const isFaulty = check.fault !== null;
  const whole = panel('Is the log whole?', wholeness(view));
  const content = html`${isFaulty && whole}<section class="card" aria-label="Entries">
${entryFilters(asked)}
${entries.length === 0 ? nothingFound(view) : entryTable(view)}
${pager(view.isLater && entriesAddress(asked), view.next !== null && entriesAddress(asked, view.next))}
</section>
${!isFaulty && whole}`;
  return { title: 'Operator’s log', content, action: exportLink(view) };
}

function nothingFound({ asked, isLater }: EntriesView): Markup {
  if (Object.keys(asked).length === 0 && !isLater) return html`<p>Nothing has been changed yet.</p>`;
  return html`<p role="status">No entries match.</p>
<p><a href="${LOG_PATH}">Show all entries</a></p>`;
}

function entryTable({ entries, names }: EntriesView): Markup {
  const { time, action, who, subject, from } = ENTRY_COLUMNS;
  const columns: ShownColumn<LogEntryView>[] = [
    { ...time, value: (entry) => html`<a href="${LOG_PATH}/${entry.sequence}">${entryMoment(entry)}</a>` },
    { ...action, value: ({ entry }) => labelOf(entry.action) },
    { ...who, value: (entry) => whoOf(entry, names, true) },
    { ...subject, value: (entry) => subjectOf(entry, names, true) },
    { ...from, value: (entry) => placeOf(entry, names) },
  ];
  return dataTable('Entries, newest first. The time opens an entry.', columns, entries, { kind: 'log' });
}

function exportLink({ asked, entries }: EntriesView): Markup | false {
  return (
    entries.length > 0 &&
    html`<a class="secondary" href="${entriesAddress(asked, undefined, `${LOG_PATH}/csv`)}" download>Export CSV</a>`
  );
}

/** What the chain shows, and what only a head that is kept elsewhere can show. */
function wholeness({ head, check }: EntriesView): Markup {
  return html`<dl class="facts">
<div><dt>Entries</dt><dd>${head.sequence.toLocaleString('en')}</dd></div>
<div><dt>Newest hash</dt><dd><code class="wrap">${head.hash.toString('hex')}</code></dd></div>
<div><dt>Last verified</dt><dd>${verified(check)}</dd></div>
</dl>
<p>A signed head proves later that nothing up to it was rewritten. Keep it outside of this installation.</p>
<p class="pager"><a href="${LOG_PATH}/head" download>Signed head</a> <a href="${LOG_PATH}/key" download>Public key</a> <a href="${LOG_PATH}/export" download>Whole log, to verify elsewhere</a></p>`;
}

function verified({ checkedAt, sequence, wrongSequence, fault }: LogCheck): Markup {
  if (!checkedAt) return html`Not yet. The service verifies the log once a day.`;
  const when = consoleTime(checkedAt);
  if (fault === null) return html`${badge('Whole', 'good')} up to entry ${sequence}, ${when}`;
  return html`${badge('Not whole', 'bad')} ${when}
<p>Entry ${wrongSequence}: ${fault}</p>
<p>Run <code>npx quarters log verify --head &lt;file&gt;</code> with the heads you kept, and compare with your last export.</p>`;
}
