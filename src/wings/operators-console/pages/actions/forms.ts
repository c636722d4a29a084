import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import type { ActionField, ShownThing } from '../../../../features/operator-actions/declaration.ts';
import { DECLARED_ACTIONS, declaredAction } from '../../../../features/operator-actions/declarations.ts';
import { LONGEST_TEXT } from '../../../../features/operator-actions/fields.ts';
import { LONGEST_REASON } from '../../../../features/operator-actions/perform-action.ts';
import { consoleForm } from '../../../../pages/consoles/console.ts';
import { choice, field, fieldError, hidden } from '../../../../web/fields.ts';
import type { Markup } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';

/** Shows what an action will do, and asks for confirmation. */
export const PREPARE_PATH = '/operator/actions/prepare';

/** By the names of inputs. */
export type ActionValues = Readonly<Record<string, string>>;

export type ActionForm = {
  readonly kind: string;
  /** What the page knows. The form asks for the other fields. */
  readonly known?: ActionValues | undefined;
  readonly given?: ActionValues | undefined;
  /** What is wrong with one of the inputs. */
  readonly refused?: { readonly input: string; readonly text: string } | undefined;
  readonly button: string;
  /** Unique in the page; left out: the kind. */
  readonly name?: string;
};

/**
 * The form of an action, with an id of its own: sent twice, it has one effect. `page`: where the operator returns to after confirming who
 * they are.
 */
export function actionForm(visitor: Visitor, page: string, form: ActionForm): Markup {
  const { kind, known = {}, given = {}, refused, button, name = kind } = form;
  const errorOf = (input: string) => (refused?.input === input ? refused.text : undefined);
  const content = html`${hidden('action', randomUUID())}${hidden('kind', kind)}
${Object.entries(known).map(([input, value]) => hidden(input, value))}
${askedFields(kind, known).map(([input, asked]) => fieldInput(`${name}-${input}`, input, asked, given[input], errorOf(input)))}
${reasonField(name, given.reason, errorOf('reason'))}
<button class="secondary">${button}</button>`;
  return consoleForm(visitor, PREPARE_PATH, page, content);
}

/** The fields that a form asks for, by the names of their inputs. */
export function askedFields(kind: string, known: ActionValues): (readonly [input: string, field: ActionField])[] {
  return Object.entries(declaredAction(kind)?.fields ?? {})
    .filter(([name, { typed }]) => typed && !(name in known))
    .map(([name, asked]) => [asked.input ?? name, asked]);
}

/** `id`: unique in the page. */
function fieldInput(id: string, name: string, asked: ActionField, value = '', error?: string): Markup {
  const { kind, label, ask = label, optional = false, options, most = LONGEST_TEXT } = asked;
  if (options) return choice({ id, name, label: ask, value, options: Object.entries(options) });
  if (kind !== 'number') {
    const type = kind === 'person' ? 'email' : 'text';
    return field({ id, name, label: ask, type, autocomplete: 'off', maxlength: most, optional, value, error });
  }
  return html`<div class="field">
<label for="${id}">${ask}</label>
<input id="${id}" name="${name}" type="text"${value && html` value="${value}"`} inputmode="numeric" pattern="[1-9][0-9]{0,15}"${!optional && html` required`} maxlength="16" autocomplete="off"${wrong(name, error)}>
${error && fieldError(name, error)}
</div>`;
}

function reasonField(form: string, value: string | undefined, error: string | undefined): Markup {
  const id = `reason-${form}`;
  return html`<div class="field">
<label for="${id}">Reason</label>
<input id="${id}" name="reason" type="text" value="${value ?? ''}" required maxlength="${LONGEST_REASON}" autocomplete="off"${wrong('reason', error, `${id}-hint`)}>
${error && fieldError('reason', error)}
<p class="hint" id="${id}-hint">For the operator’s log. Players never see it.</p>
</div>`;
}

/** Says to screen readers that an input is wrong, and what describes it. */
function wrong(name: string, error: string | undefined, hint?: string): Markup {
  const ids = [error && `${name}-error`, hint].filter(Boolean).join(' ');
  return html`${ids && html` aria-describedby="${ids}"`}${error && html` aria-invalid="true" autofocus`}`;
}

/** What an operator may do now with the thing that a page shows, as forms. `name`: unique in the page, if it shows several things. */
export function actionsOn<Thing extends keyof ShownThing>(
  visitor: Visitor,
  page: string,
  { on, shown, name }: { readonly on: Thing; readonly shown: ShownThing[Thing]; readonly name?: string },
): Markup {
  const forms = DECLARED_ACTIONS.flatMap(({ name: kind, forms = [] }) => forms.map((form) => ({ kind, ...form })))
    .filter((form) => form.on === on && (form.offered?.(shown as never) ?? true))
    .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  return html`${forms.map(
    ({ kind, on, knows = on, given, button }) => html`<details class="more act"><summary>${button}</summary>
${actionForm(visitor, page, {
  ...{ kind, button: 'Continue', ...(name !== undefined && { name }) },
  known: { [knows]: shown.id },
  given: given?.(shown as never) ?? {},
})}
</details>`,
  )}`;
}
