import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import type { EntryJson } from '../../../operator-log/facts.ts';
import { LOGGED_ACTIONS } from '../../../operator-log/logged-actions.ts';
import { type ConsoleContent, panel } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { copyable, copyBlock } from '../../../web/copyable.ts';
import type { Markup } from '../../../web/layout.ts';
import type { LogEntryView, LogPage } from '../views/read-log.ts';
import { entriesAddress, LOG_PATH, labelOf } from './entry-filters.ts';
import { entryMoment, factValue, placeOf, subjectOf, whoOf, wordsOf } from './entry-words.ts';

type View = { readonly view: LogEntryView; readonly names: LogPage['names'] };

/** One entry: who, from where, what, before and after. */
export function entryContent({ view, names }: View): ConsoleContent {
  const { entry, sequence, hash, reason } = view;
  const content = html`<p><a href="${LOG_PATH}">All entries</a></p>
<section class="card">
<p>${sentenceOf(LOGGED_ACTIONS[entry.action])}</p>
<dl class="facts">
${line('Time', `${entryMoment(view)} UTC`)}
${line('Who', html`${whoOf(view, names)}${entry.actor.as === 'operator' && ', as operator'}`)}
${line('From', placeOf(view, names))}
${line('Subject', html`${subjectOf(view, names)}${aboutSubject(view, names)}`)}
${reason && line('Reason', reason.text ?? 'Deleted with the account it was about.')}
${entry.from?.request && line('Request id', html`${copyable(en, entry.from.request, 'request id')}<p class="hint">Names the lines of this call in the service’s log.</p>`)}
</dl>
</section>
${changes(entry.before, entry.after, names)}
${panel(
  'Proof',
  html`<dl class="facts">
${line('Entry', `${sequence}`)}
${line('Hash', html`<code class="wrap">${hash}</code>`)}
</dl>
<details><summary>Entry as it is stored</summary>
${copyBlock(en, JSON.stringify(entry, null, 2), 'entry')}
<p class="hint">Users and addresses are pseudonyms. Whom they stand for is forgotten when an account is closed.</p>
</details>`,
)}`;
  return { title: labelOf(entry.action), content };
}

function sentenceOf(help: string): string {
  return `${help.charAt(0).toUpperCase()}${help.slice(1)}.`.replaceAll("'", '’');
}

function line(name: string, value: Markup | string): Markup {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function aboutSubject({ entry: { subject } }: LogEntryView, names: View['names']): Markup {
  const known = names.get(subject.id);
  const id = known && 'userId' in known ? known.userId : subject.id;
  return html`<p><a href="${entriesAddress({ subject: id })}">All entries about it</a></p>`;
}

/** Before and after, field by field. */
function changes(before: EntryJson | undefined, after: EntryJson | undefined, names: View['names']): Markup | '' {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  if (fields.length === 0) return '';
  const columns: ShownColumn<string>[] = [
    { label: 'Field', value: wordsOf },
    { label: 'Before', value: (name) => factValue(was[name], names) },
    { label: 'After', value: (name) => factValue(is[name], names) },
  ];
  return panel('What changed', dataTable('Fields before and after', columns, fields, { kind: 'changes', heading: 0 }));
}

function fieldsOf(value: EntryJson | undefined): { readonly [name: string]: EntryJson } {
  return (value ?? {}) as { readonly [name: string]: EntryJson };
}
