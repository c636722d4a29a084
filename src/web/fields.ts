import { html } from 'hono/html';
import { MIN_PASSWORD_CHARACTERS } from '../identity/password-rules.ts';
import type { Words } from '../words/words.ts';
import { icon } from './icons.ts';
import type { Markup } from './layout.ts';

export type Field = {
  /** Unique in the page; the name, if left out. */
  readonly id?: string;
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'url';
  readonly value?: string | undefined;
  /** For password managers and one-time codes (HTML, section 4.10.18.7.1). */
  readonly autocomplete?: string;
  readonly inputmode?: 'numeric' | 'email';
  readonly hint?: string;
  /** What is wrong with the value that was sent. */
  readonly error?: string | undefined;
  readonly maxlength?: number;
  readonly optional?: boolean;
  readonly autofocus?: boolean;
  /** Shown and sent, but read-only. */
  readonly fixed?: boolean;
};

/** A labelled input. Screen readers read its hint and error with it. */
export function field(f: Field): Markup {
  const { id = f.name } = f;
  const about = [f.error && `${f.name}-error`, f.hint && `${f.name}-hint`].filter(Boolean).join(' ');
  return html`<div class="field">
<label for="${id}">${f.label}</label>
<input id="${id}" name="${f.name}" type="${f.type ?? 'text'}" value="${f.value ?? ''}"${f.optional ? '' : html` required`}${
    f.autocomplete && html` autocomplete="${f.autocomplete}"`
  }${f.inputmode && html` inputmode="${f.inputmode}"`}${f.maxlength && html` maxlength="${f.maxlength}"`}${
    (f.autofocus || f.error) && html` autofocus`
  }${f.fixed && html` readonly`}${about && html` aria-describedby="${about}"`}${f.error && html` aria-invalid="true"`}>
${aboutField(f)}
</div>`;
}

/** A field of several lines. */
export function area(f: Pick<Field, 'name' | 'label' | 'value' | 'hint' | 'error'> & { rows: number }): Markup {
  const about = [f.error && `${f.name}-error`, f.hint && `${f.name}-hint`].filter(Boolean).join(' ');
  return html`<div class="field">
<label for="${f.name}">${f.label}</label>
<textarea id="${f.name}" name="${f.name}" rows="${f.rows}" spellcheck="false"${about && html` aria-describedby="${about}"`}${
    f.error && html` aria-invalid="true" autofocus`
  }>${f.value ?? ''}</textarea>
${aboutField(f)}
</div>`;
}

/** A choice of one of a few. */
export function choice(
  f: Pick<Field, 'name' | 'label' | 'value'> & {
    /** Unique in the page; the name, if left out. */
    readonly id?: string;
    readonly options: readonly (readonly [value: string, label: string])[];
  },
): Markup {
  const id = f.id ?? f.name;
  return html`<div class="field">
<label for="${id}">${f.label}</label>
<select id="${id}" name="${f.name}">${f.options.map(
    ([value, label]) => html`<option value="${value}"${value === f.value && html` selected`}>${label}</option>`,
  )}</select>
</div>`;
}

function aboutField({ name, error, hint }: Pick<Field, 'name' | 'error' | 'hint'>): Markup {
  return html`${error && fieldError(name, error)}${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}`;
}

/** What is wrong with a field, which names it in `aria-describedby`. */
export function fieldError(name: string, error: string): Markup {
  return html`<p class="error">${icon('alert')}<span id="${name}-error">${error}</span></p>`;
}

export function hidden(name: string, value: string | undefined): Markup | '' {
  return value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`;
}

/** The field for a new password. PASSWORD_SCRIPT shows its strength, the hint says the rules, and the server decides. */
export function newPasswordField(words: Words, { label, error }: { label: string; error: string | undefined }): Markup {
  const hint = words.fields.passwordRules(MIN_PASSWORD_CHARACTERS);
  return field({ name: 'password', label, type: 'password', autocomplete: 'new-password', hint, error });
}
