import { html } from 'hono/html';
import { ACTION_KINDS } from '../../../features/operator-actions/kinds.ts';
import type { ActionActor, ActionRow, ActionState } from '../../../operator-actions/operator-actions.ts';
import { badge } from '../../../web/console.ts';
import type { Markup } from '../../../web/layout.ts';

const STATES: Readonly<Record<ActionState, readonly [word: string, kind: 'good' | 'bad' | 'wait' | 'plain']>> = {
  waiting: ['waiting', 'wait'],
  started: ['interrupted', 'bad'],
  done: ['done', 'good'],
  failed: ['failed', 'bad'],
  refused: ['refused', 'plain'],
  expired: ['expired', 'plain'],
};

export function actionBadge(state: ActionState): Markup {
  return badge(...STATES[state]);
}

export function stateWord(state: ActionState): string {
  return STATES[state][0];
}

export function titleOf({ kind }: Pick<ActionRow, 'kind'>): string {
  return ACTION_KINDS.get(kind)?.title ?? kind;
}

const PARAMETERS: Readonly<Record<string, string>> = {
  perTransfer: 'Most per payment',
  perDay: 'Most per day',
  sha256: 'SHA-256 of the file',
};

/** How a page calls a parameter: `Quarters`. */
export function parameterName(name: string): string {
  return PARAMETERS[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** `names`: of the operators, by user id. Somebody who has left keeps their id. */
export function actorName(actor: ActionActor, names: ReadonlyMap<string, string>): Markup {
  const [kind, id = ''] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  if (kind === 'shell') return html`<bdi>${id}</bdi> on the command line`;
  return html`<a href="/operator/users/${id}"><bdi>${names.get(id) ?? id}</bdi></a>`;
}

const PAGES: Readonly<Record<string, string>> = { user: 'users', app: 'apps', transfer: 'transfers' };

/** What an action concerns, with a link to its page. */
export function subjectLink(subject: string | null): Markup {
  const [kind = '', id = ''] = (subject ?? '').split(':');
  const page = PAGES[kind];
  if (page) return html`<a href="/operator/${page}/${id}">${kind} <code>${id}</code></a>`;
  if (/^0x[0-9a-fA-F]{40}$/.test(id)) return html`<a href="/operator/addresses/${id}"><code>${id}</code></a>`;
  return html`<bdi>${id}</bdi>`;
}
