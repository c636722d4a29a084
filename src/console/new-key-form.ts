import { html } from 'hono/html';
import { asQuarters, MAX_QUARTERS } from '../base/quarters.ts';
import { ALL_KEY_SCOPES, KEY_SCOPES, type NewKey, USUAL_KEY_SCOPES } from '../identity/app-keys.ts';
import { parameter } from '../web/arrival.ts';
import { field } from '../web/fields.ts';
import type { Markup } from '../web/layout.ts';

/** A limit that was not taken: what was typed, and what is wrong with it. */
export type RefusedLimit = { readonly given: string; readonly error: string };

const NOT_A_LIMIT = `This must be a whole number from 1 to ${MAX_QUARTERS}, digits only, or nothing at all.`;

/** What the new key may do; {@link readNewKey} reads it. */
export function newKeyFields(limit: RefusedLimit | undefined): Markup {
  return html`<fieldset>
<legend>A new key may read, and</legend>
${ALL_KEY_SCOPES.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="scope_${scope}" value="on"${USUAL_KEY_SCOPES.includes(scope) && html` checked`}>${KEY_SCOPES[scope]}</label>`,
)}
</fieldset>
${field({
  name: 'pay_per_day',
  label: 'Most it may pay out a day',
  inputmode: 'numeric',
  maxlength: 16,
  optional: true,
  value: limit?.given,
  hint: 'Quarters, digits only; a day begins at 0:00 UTC. Leave it empty for no limit.',
  error: limit?.error,
  // Far down the page: there is where to go on.
  autofocus: limit !== undefined,
})}`;
}

export function readNewKey(body: unknown): NewKey | { readonly fault: RefusedLimit } {
  if (parameter(body, 'kind') === 'client') return { kind: 'client' };
  const scopes = ALL_KEY_SCOPES.filter((scope) => parameter(body, `scope_${scope}`) === 'on');
  const text = parameter(body, 'pay_per_day')?.trim() ?? '';
  if (text === '') return { kind: 'server', scopes, payPerDay: null };
  const limit = /^[1-9]\d{0,15}$/.test(text) ? BigInt(text) : null;
  if (limit === null || limit > MAX_QUARTERS) return { fault: { given: text, error: NOT_A_LIMIT } };
  return { kind: 'server', scopes, payPerDay: asQuarters(limit) };
}
