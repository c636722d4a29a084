import { html } from 'hono/html';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../base/quarters.ts';
import {
  ALL_KEY_SCOPES,
  CAPPED_SCOPES,
  KEY_SCOPES,
  type KeyCaps,
  type KeyScope,
  type NewKey,
  USUAL_KEY_SCOPES,
} from '../../identity/app-keys.ts';
import { field } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';

type Cap = keyof KeyCaps;

const CAPS: { readonly [C in Cap]: { readonly scope: KeyScope; readonly name: string; readonly label: string } } = {
  payPerDay: { scope: 'pay', name: 'pay_per_day', label: 'Daily payout limit' },
  askPerDay: { scope: 'create-requests', name: 'ask_per_day', label: 'Daily request limit' },
  approvePerDay: { scope: 'approve-requests', name: 'approve_per_day', label: 'Daily approval limit' },
};
const ALL_CAPS = Object.keys(CAPS) as Cap[];

/** The ticks and inputs of a refused form, and the faults of its limits. */
export type RefusedKey = {
  readonly scopes: readonly KeyScope[];
  readonly given: { readonly [C in Cap]: string };
  readonly errors: { readonly [C in Cap]: string | undefined };
};

const isNeeded = (cap: Cap) => Object.values<Cap>(CAPPED_SCOPES).includes(cap);
const WHOLE_NUMBER = `a whole number from 1 to ${MAX_QUARTERS}, digits only`;
const HINT = 'In quarters, digits only. A day starts at 0:00 UTC.';

/** The scopes of the new key, each with its limit below. {@link readNewKey} reads the form. */
export function newKeyFields(refused: RefusedKey | undefined): Markup {
  const ticked = refused?.scopes ?? USUAL_KEY_SCOPES;
  return html`<fieldset>
<legend>A new key can read, and</legend>
${ALL_KEY_SCOPES.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="scope_${scope}" value="on"${ticked.includes(scope) && html` checked`}>${KEY_SCOPES[scope]}</label>
${ALL_CAPS.filter((cap) => CAPS[cap].scope === scope).map((cap) => capField(cap, refused))}`,
)}
</fieldset>`;
}

function capField(cap: Cap, refused: RefusedKey | undefined): Markup {
  const { name, label } = CAPS[cap];
  return field({
    name,
    label,
    inputmode: 'numeric',
    maxlength: 16,
    // Even if it is required: the browser must not insist on it while its box is not ticked.
    optional: true,
    value: refused?.given[cap],
    hint: isNeeded(cap) ? HINT : `${HINT} Leave empty for no limit.`,
    error: refused?.errors[cap],
  });
}

export function readNewKey(body: unknown): NewKey | { readonly refused: RefusedKey } {
  if (parameter(body, 'kind') === 'client') return { kind: 'client' };
  const scopes = ALL_KEY_SCOPES.filter((scope) => parameter(body, `scope_${scope}`) === 'on');
  const given = perCap((cap) => parameter(body, CAPS[cap].name)?.trim() ?? '');
  // While its box is not ticked, the field is hidden and ignored.
  const isRead = (cap: Cap) => !isNeeded(cap) || scopes.includes(CAPS[cap].scope);
  const caps = perCap((cap) => (isRead(cap) ? readCap(given[cap], isNeeded(cap)) : null));
  const errors = perCap((cap) => (typeof caps[cap] === 'string' ? caps[cap] : undefined));
  if (ALL_CAPS.some((cap) => errors[cap] !== undefined)) return { refused: { scopes, given, errors } };
  return { kind: 'server', scopes, ...(caps as KeyCaps) };
}

/** A string is the fault of the input. */
function readCap(text: string, needed: boolean): Quarters | null | string {
  if (text === '') return needed ? `Enter a limit: ${WHOLE_NUMBER}.` : null;
  const limit = /^[1-9]\d{0,15}$/.test(text) ? BigInt(text) : null;
  if (limit !== null && limit <= MAX_QUARTERS) return asQuarters(limit);
  return `Enter ${WHOLE_NUMBER}${needed ? '' : ', or leave this empty'}.`;
}

function perCap<T>(make: (cap: Cap) => T): { readonly [C in Cap]: T } {
  return { payPerDay: make('payPerDay'), askPerDay: make('askPerDay'), approvePerDay: make('approvePerDay') };
}
