import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../../../base/quarters.ts';
import { KEY_NAME_RULE } from '../../../../features/keys/keys.ts';
import {
  type AppKey,
  CAPPED_SCOPES,
  type KeyCaps,
  type KeyKind,
  keyNameFrom,
  MAX_KEY_NAME_CHARACTERS,
  MAX_LIVING_KEYS,
  type NewKey,
} from '../../../../identity/app-keys.ts';
import { ALL_KEY_SCOPES, KEY_SCOPES, type KeyScope, USUAL_KEY_SCOPES } from '../../../../identity/key-scopes.ts';
import { callsAddress } from '../../../../pages/consoles/app-frame.ts';
import { consoleTime } from '../../../../pages/consoles/console.ts';
import type { House } from '../../../../service/house.ts';
import { type ManagedApp, mayManage } from '../../../../service/managers.ts';
import { field, hidden } from '../../../../web/fields.ts';
import type { Markup } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';

type Cap = keyof KeyCaps;

const CAPS: { readonly [C in Cap]: { readonly scope: KeyScope; readonly name: string; readonly label: string } } = {
  payPerDay: { scope: 'pay', name: 'pay_per_day', label: 'Daily payout limit' },
  askPerDay: { scope: 'create-requests', name: 'ask_per_day', label: 'Daily request limit' },
  approvePerDay: { scope: 'approve-requests', name: 'approve_per_day', label: 'Daily approval limit' },
};
const ALL_CAPS = Object.keys(CAPS) as Cap[];

/** The ticks and inputs of a refused form, and its faults. */
export type RefusedKey = {
  readonly kind: KeyKind;
  readonly name: string;
  readonly nameError: string | undefined;
  readonly scopes: readonly KeyScope[];
  readonly given: { readonly [C in Cap]: string };
  readonly errors: { readonly [C in Cap]: string | undefined };
};

const isNeeded = (cap: Cap) => Object.values<Cap>(CAPPED_SCOPES).includes(cap);
const WHOLE_NUMBER = `a whole number from 1 to ${MAX_QUARTERS}, digits only`;
const HINT = 'In quarters, digits only. A day starts at 0:00 UTC.';

/** The scopes of the new key, each with its limit below. {@link readNewKey} reads the form. */
function newKeyFields(given: RefusedKey | undefined): Markup {
  const refused = given?.kind === 'server' ? given : undefined;
  const ticked = refused?.scopes ?? USUAL_KEY_SCOPES;
  return html`${nameField('server', given)}
<fieldset>
<legend>A new key can read, and</legend>
${ALL_KEY_SCOPES.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="scope_${scope}" value="on"${ticked.includes(scope) && html` checked`}>${KEY_SCOPES[scope]}</label>
${ALL_CAPS.filter((cap) => CAPS[cap].scope === scope).map((cap) => capField(cap, refused))}`,
)}
</fieldset>`;
}

/** Both kinds have a form on the page, so each has a field of its own. */
const NAME_FIELDS: Readonly<Record<KeyKind, string>> = { server: 'key_name', client: 'secret_name' };

function nameField(kind: KeyKind, refused: RefusedKey | undefined): Markup {
  const given = refused?.kind === kind ? refused : undefined;
  return field({
    name: NAME_FIELDS[kind],
    label: 'Name',
    maxlength: MAX_KEY_NAME_CHARACTERS,
    optional: true,
    autocomplete: 'off',
    value: given?.name,
    hint: 'Optional. To help you recognise it, such as “Game server”.',
    error: given?.nameError,
  });
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
  const kind = parameter(body, 'kind') === 'client' ? 'client' : 'server';
  const typed = parameter(body, NAME_FIELDS[kind]) ?? '';
  const name = keyNameFrom(typed);
  const nameError = name === null ? `The name ${KEY_NAME_RULE}.` : undefined;
  const scopes = ALL_KEY_SCOPES.filter((scope) => kind === 'server' && parameter(body, `scope_${scope}`) === 'on');
  const given = perCap((cap) => parameter(body, CAPS[cap].name)?.trim() ?? '');
  // While its box is not ticked, the field is hidden and ignored.
  const isRead = (cap: Cap) => kind === 'server' && (!isNeeded(cap) || scopes.includes(CAPS[cap].scope));
  const caps = perCap((cap) => (isRead(cap) ? readCap(given[cap], isNeeded(cap)) : null));
  const errors = perCap((cap) => (typeof caps[cap] === 'string' ? caps[cap] : undefined));
  if (name === null || ALL_CAPS.some((cap) => errors[cap] !== undefined)) {
    return { refused: { kind, name: typed, nameError, scopes, given, errors } };
  }
  return kind === 'client' ? { kind, name } : { kind, name, scopes, ...(caps as KeyCaps) };
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

type View = {
  readonly app: ManagedApp;
  readonly keys: readonly AppKey[];
  readonly csrf: string;
  readonly house: House;
};

const REPLACING = 'To replace one, create a second, deploy it, then revoke the first. Both work until then.';

export function serverKeysSection(view: View, refused: RefusedKey | undefined): Markup {
  const keys = view.keys.filter(({ kind }) => kind === 'server');
  return html`<section class="card">
<h2>Server API keys</h2>
<p>Your server calls the API with one of these. Keep them on your server: anyone can read a key inside a game. ${REPLACING}</p>
${keyList(view, keys, 'server key')}
${isRoomFor(view, keys) && newServerKeyForm(view, refused)}
</section>`;
}

export function clientSecretsSection(view: View, refused: RefusedKey | undefined): Markup {
  if (view.app.publicClient) {
    return html`<section class="card">
<h2>Client secret</h2>
<p>None: this app is a public client. It uses PKCE to sign players in.</p>
</section>`;
  }
  const keys = view.keys.filter(({ kind }) => kind === 'client');
  return html`<section class="card">
<h2>Client secrets</h2>
<p>Your server exchanges sign-in codes for tokens with one of these. ${REPLACING}</p>
${keyList(view, keys, 'client secret')}
${
  isRoomFor(view, keys) &&
  html`<form method="post" action="/developer/apps/${view.app.id}/keys">
${carried(view)}${hidden('kind', 'client')}
${nameField('client', refused)}
<button class="secondary">Create a client secret</button>
</form>`
}
</section>`;
}

function carried({ app, csrf }: View): Markup {
  return html`${hidden('csrf', csrf)}${hidden('page', `/developer/apps/${app.id}/keys`)}`;
}

function isRoomFor({ app }: View, keys: readonly AppKey[]): boolean {
  return mayManage(app, 'keys') && keys.length < MAX_LIVING_KEYS;
}

function keyList(view: View, keys: readonly AppKey[], what: string): Markup {
  if (keys.length === 0) return html`<p>None yet.</p>`;
  return html`<ul class="rows">${keys.map((key) => keyRow(view, key, what, isRoomFor(view, keys)))}</ul>`;
}

function keyRow(view: View, key: AppKey, what: string, mayRotate: boolean): Markup {
  const name = key.name ? `${what} “${key.name}”, ending in ${key.ending}` : `${what} ending in ${key.ending}`;
  const action = `/developer/apps/${view.app.id}/keys`;
  const calls = callsAddress(view.house, view.app.id, { server: key.id });
  const form = (verb: string, label: string) => html`<form method="post" action="${action}/${verb}">
${carried(view)}${hidden('key', key.id)}
<button class="small" aria-label="${label} the ${name}">${label}</button>
</form>`;
  return html`<li class="key">
<div>
<p>${key.name && html`<strong><bdi>${key.name}</bdi></strong> `}<code>…${key.ending}</code></p>
<p class="hint">Created on ${key.createdAt.toISOString().slice(0, 10)}. ${key.lastUsedAt ? html`Last used: ${consoleTime(key.lastUsedAt)}` : 'No use recorded.'}</p>
${key.kind === 'server' && html`<p class="hint">It can ${mayDo(key)}.${calls && html` <a href="${calls}" aria-label="Calls with the ${name}">Calls</a>`}</p>`}
</div>
${mayRotate && form('rotate', 'Replace')}
${
  mayManage(view.app, 'revoke-keys') &&
  html`<details>
<summary aria-label="Revoke the ${name}…">Revoke…</summary>
<p class="hint">Everything that uses it stops working immediately.</p>
${form('revoke', 'Revoke')}
</details>`
}
</li>`;
}

/** Each scope with its limit, if it has one. */
function mayDo({ scopes, payPerDay, askPerDay, approvePerDay }: AppKey): string {
  const limits: Partial<Record<KeyScope, readonly [verb: string, limit: Quarters | null]>> = {
    pay: ['pays', payPerDay],
    'create-requests': ['asks for', askPerDay],
    'approve-requests': ['approves', approvePerDay],
  };
  const limited = (scope: KeyScope) => {
    const [verb, limit] = limits[scope] ?? [];
    const text = limit ? ` (${verb} up to ${en.quarters(limit)} a day)` : '';
    return `${KEY_SCOPES[scope]}${text}`;
  };
  return ['read', ...scopes.map(limited)].join('; ');
}

function newServerKeyForm(view: View, refused: RefusedKey | undefined): Markup {
  return html`<form method="post" action="/developer/apps/${view.app.id}/keys">
${carried(view)}${hidden('kind', 'server')}
${newKeyFields(refused)}
<button class="secondary">Create a server key</button>
</form>`;
}
