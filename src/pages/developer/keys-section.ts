import { html } from 'hono/html';
import { type Quarters, withThousands } from '../../base/quarters.ts';
import { type AppKey, KEY_SCOPES, type KeyScope, MAX_LIVING_KEYS } from '../../identity/app-keys.ts';
import type { App } from '../../identity/apps.ts';
import { hidden } from '../../web/fields.ts';
import { type Markup, unit } from '../../web/layout.ts';
import { newKeyFields, type RefusedKey } from './new-key-form.ts';

type View = { readonly app: App; readonly keys: readonly AppKey[]; readonly csrf: string };

const REPLACING = 'To replace one, create a second, deploy it, then revoke the first. Both work until then.';

export function serverKeysSection(view: View, refused: RefusedKey | undefined): Markup {
  const keys = view.keys.filter(({ kind }) => kind === 'server');
  return html`<section>
<h2>Server API keys</h2>
<p>Your server calls the API with one of these. Keep them on your server: anyone can read a key inside a game. ${REPLACING}</p>
${keyList(view, keys, 'server key')}
${keys.length < MAX_LIVING_KEYS && newServerKeyForm(view, refused)}
</section>`;
}

export function clientSecretsSection(view: View): Markup {
  if (view.app.publicClient) {
    return html`<section>
<h2>Client secret</h2>
<p>None: this app is a public client. It uses PKCE to sign players in.</p>
</section>`;
  }
  const keys = view.keys.filter(({ kind }) => kind === 'client');
  return html`<section>
<h2>Client secrets</h2>
<p>Your server exchanges sign-in codes for tokens with one of these. ${REPLACING}</p>
${keyList(view, keys, 'client secret')}
${
  keys.length < MAX_LIVING_KEYS &&
  html`<form method="post" action="/developer/apps/${view.app.id}/keys">
${carried(view)}${hidden('kind', 'client')}
<button class="secondary">Create a client secret</button>
</form>`
}
</section>`;
}

function carried({ app, csrf }: View): Markup {
  return html`${hidden('csrf', csrf)}${hidden('page', `/developer/apps/${app.id}`)}`;
}

function keyList(view: View, keys: readonly AppKey[], what: string): Markup {
  if (keys.length === 0) return html`<p>None yet.</p>`;
  return html`<ul class="rows">${keys.map((key) => keyRow(view, key, what, keys.length < MAX_LIVING_KEYS))}</ul>`;
}

function keyRow(view: View, key: AppKey, what: string, mayRotate: boolean): Markup {
  const name = `${what} ending in ${key.ending}`;
  const action = `/developer/apps/${view.app.id}/keys`;
  const form = (verb: string, label: string) => html`<form method="post" action="${action}/${verb}">
${carried(view)}${hidden('key', key.id)}
<button class="small" aria-label="${label} the ${name}">${label}</button>
</form>`;
  return html`<li class="key">
<div>
<p><code>…${key.ending}</code> <span class="hint">created on ${key.createdAt.toISOString().slice(0, 10)}</span></p>
${key.kind === 'server' && html`<p class="hint">It can ${mayDo(key)}.</p>`}
</div>
${mayRotate && form('rotate', 'Replace')}
<details>
<summary aria-label="Revoke the ${name}…">Revoke…</summary>
<p class="hint">Everything that uses it stops working immediately.</p>
${form('revoke', 'Revoke')}
</details>
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
    const text = limit ? ` (${verb} up to ${withThousands(limit)} ${unit(limit)} a day)` : '';
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
