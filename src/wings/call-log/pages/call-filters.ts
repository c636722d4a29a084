import { html } from 'hono/html';
import { isDay } from '../../../base/dates.ts';
import { PROBLEMS } from '../../../base/problems.ts';
import { shortHash } from '../../../base/secrets.ts';
import { pathOfApp } from '../../../pages/consoles/app-frame.ts';
import { choice, hidden } from '../../../web/fields.ts';
import type { Markup } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { CallSearch } from '../views/read-calls.ts';

const NAMES = ['status', 'code', 'route', 'user', 'request', 'key', 'about', 'server', 'from', 'to'] as const;
type Name = (typeof NAMES)[number];

/** What a visitor asks for, as the address says it. */
export type Asked = { readonly [K in Name]?: string | undefined };

const MAX_LENGTH = 255;
const SHORT_HASH = /^[0-9a-f]{8}$/i;
/** Rare ones are behind a click. */
const RARE: readonly Name[] = ['user', 'request', 'key', 'about', 'from', 'to'];

/** The parameters of a page of the log. Others are ignored. */
export function readAsked(query: unknown): Asked {
  const clean = (value: string | undefined) =>
    value
      ?.replaceAll(/\p{Cc}/gu, '')
      .trim()
      .slice(0, MAX_LENGTH)
      .toWellFormed();
  const given = NAMES.map((name) => [name, clean(parameter(query, name))] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ''));
}

/** The same with 8 digits of a hash in place of a pasted key, which must not stay in the address; null if there is none. */
export function withoutKey(asked: Asked): Asked | null {
  return asked.key === undefined || SHORT_HASH.test(asked.key) ? null : { ...asked, key: shortHash(asked.key) };
}

/** Values that mean nothing count as missing, since an address may be typed. `hashesOf`: how the log writes an id. */
export function searchOf(
  { status, code, route, user, request, key, about, server, from, to }: Asked,
  hashesOf: (id: string) => string[],
): CallSearch {
  return {
    statuses: statusesOf(status),
    code,
    // The docs write a placeholder in braces.
    route: route?.replaceAll(/\{(\w+)\}/g, ':$1'),
    userId: user,
    keyId: server,
    // A key may look like a hash.
    idempotency: key === undefined ? undefined : [key.toLowerCase(), shortHash(key)],
    // An id has no 8 digits.
    about: about === undefined ? undefined : SHORT_HASH.test(about) ? [about.toLowerCase()] : hashesOf(about),
    from: momentOf(from),
    to: momentOf(to),
    id: request,
  };
}

function statusesOf(status = ''): [number, number] | undefined {
  if (status === NO_RESPONSE) return [0, 0];
  const [, one, digit] = /^(?:(\d{3})|([1-5])xx)$/i.exec(status) ?? [];
  if (one !== undefined) return [Number(one), Number(one)];
  return digit === undefined ? undefined : [Number(digit) * 100, Number(digit) * 100 + 99];
}

/** A `datetime-local` in UTC. */
function momentOf(text = ''): Date | undefined {
  const isMoment = isDay(text.slice(0, 10)) && /^.{10}T\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text);
  const date = new Date(`${text}Z`);
  return isMoment && !Number.isNaN(date.getTime()) ? date : undefined;
}

/** The address of an app's log. */
export function logAddress(appId: string, asked: Asked = {}, before?: string): string {
  const given = Object.entries({ ...asked, before }).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given as [string, string][]).toString();
  return `${pathOfApp(appId)}/log${query && `?${query}`}`;
}

type Choice = readonly [value: string, label: string];

const NO_RESPONSE = 'none';
const ALL_CODES = Object.keys(PROBLEMS).sort();
const ALL_STATUSES = [...new Set([200, 201, ...Object.values(PROBLEMS).map(({ status }) => status as number)])].sort();

/** The form that filters a log. It works as a link, so a search can be bookmarked and shared with the team. */
export function filterForm(appId: string, asked: Asked): Markup {
  const hasRare = RARE.some((name) => asked[name] !== undefined);
  return html`<form method="get" action="${logAddress(appId)}" class="filters" role="search" aria-label="Filter calls">
${select('status', 'Status', asked.status, [
  ['', 'Any'],
  ['2xx', '2xx, succeeded'],
  ['4xx', '4xx, refused'],
  ['5xx', '5xx, failed'],
  ...ALL_STATUSES.map((status): Choice => [`${status}`, `${status}`]),
  [NO_RESPONSE, 'No response'],
])}
${select('code', 'Error code', asked.code, [['', 'Any'], ...ALL_CODES.map((code): Choice => [code, code])])}
${input('route', 'Call', asked.route, { placeholder: 'POST /v1/requests' })}
${hidden('server', asked.server)}
<button class="secondary">Filter</button>
<details class="more"${hasRare && html` open`}>
<summary>More filters</summary>
<div class="filters">
${input('request', 'Request id', asked.request)}
${input('user', 'User id', asked.user)}
${input('about', 'Refused id', asked.about, { placeholder: 'id, or 8 digits of its hash' })}
${input('key', 'Idempotency-Key', asked.key, { placeholder: 'key, or 8 digits of its hash' })}
${input('from', 'From (UTC)', asked.from, { type: 'datetime-local' })}
${input('to', 'Until (UTC)', asked.to, { type: 'datetime-local' })}
</div>
</details>
</form>
${asked.server !== undefined && html`<p class="chips"><a href="${logAddress(appId, { ...asked, server: undefined })}" aria-current="true">Only one server key ×</a></p>`}`;
}

function select(name: Name, label: string, chosen: string | undefined, listed: readonly Choice[]): Markup {
  // An error of OAuth is none of the listed codes.
  const isListed = chosen === undefined || listed.some(([value]) => value === chosen);
  return choice({ name, label, value: chosen, options: isListed ? listed : [...listed, [chosen, chosen]] });
}

function input(
  name: Name,
  label: string,
  value: string | undefined,
  { type = 'text', placeholder }: { readonly type?: string; readonly placeholder?: string } = {},
): Markup {
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type}" value="${value ?? ''}" maxlength="${MAX_LENGTH}" autocomplete="off" spellcheck="false"${
    placeholder && html` placeholder="${placeholder}"`
  }></div>`;
}
