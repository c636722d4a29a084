import { html } from 'hono/html';
import { MIN_PASSWORD_CHARACTERS } from '../identity/password-rules.ts';
import type { Markup } from './layout.ts';

export type Field = {
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
  const about = [f.error && `${f.name}-error`, f.hint && `${f.name}-hint`].filter(Boolean).join(' ');
  return html`<div class="field">
<label for="${f.name}">${f.label}</label>
<input id="${f.name}" name="${f.name}" type="${f.type ?? 'text'}" value="${f.value ?? ''}"${f.optional ? '' : html` required`}${
    f.autocomplete && html` autocomplete="${f.autocomplete}"`
  }${f.inputmode && html` inputmode="${f.inputmode}"`}${f.maxlength && html` maxlength="${f.maxlength}"`}${
    (f.autofocus || f.error) && html` autofocus`
  }${f.fixed && html` readonly`}${about && html` aria-describedby="${about}"`}${f.error && html` aria-invalid="true"`}>
${f.error && html`<p class="error" id="${f.name}-error">${f.error}</p>`}
${f.hint && html`<p class="hint" id="${f.name}-hint">${f.hint}</p>`}
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
${f.error && html`<p class="error" id="${f.name}-error">${f.error}</p>`}
${f.hint && html`<p class="hint" id="${f.name}-hint">${f.hint}</p>`}
</div>`;
}

export function hidden(name: string, value: string | undefined): Markup | '' {
  return value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`;
}

const RULES = `Use at least ${MIN_PASSWORD_CHARACTERS} characters. Avoid your name, your e-mail address and common passwords. A few unrelated words work well.`;

/** The field for a new password. PASSWORD_SCRIPT shows its strength, the hint says the rules, and the server decides. */
export function newPasswordField({ label, error }: { label: string; error: string | undefined }): Markup {
  return field({ name: 'password', label, type: 'password', autocomplete: 'new-password', hint: RULES, error });
}
