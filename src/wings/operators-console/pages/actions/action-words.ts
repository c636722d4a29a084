import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { declaredAction } from '../../../../features/operator-actions/declarations.ts';
import type { ActionActor, ActionRow, ActionState } from '../../../../operator-actions/operator-actions.ts';
import { badge } from '../../../../pages/consoles/console.ts';
import { gameText } from '../../../../web/game-text.ts';
import type { Markup } from '../../../../web/layout.ts';

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
  return declaredAction(kind)?.title ?? kind;
}

/** How a page calls a parameter: `Quarters`. */
export function parameterName({ kind }: Pick<ActionRow, 'kind'>, name: string): string {
  return declaredAction(kind)?.fields[name]?.label ?? asLabel(name);
}

const asLabel = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const RESULTS: Readonly<Record<string, string>> = {
  changed: 'Anything changed',
  granted: 'Spending limits made',
  isNew: 'New operator',
  message: 'Error',
  replayed: 'Done before',
  reward: 'Reward id',
  transferId: 'Transfer',
  txId: 'Transaction',
  verifiedAt: 'Verified',
};

/** How a page calls a part of an action's result: `Spending limits made`. */
export function resultName(name: string): string {
  return RESULTS[name] ?? asLabel(name);
}

/** A parameter or a part of a result: `yes`, `1,234`, `–`, or its text. */
export function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return en.number(BigInt(value));
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : `${value}`;
}

/** `names`: of the operators, by user id. Somebody who has left keeps their id. */
export function actorName(actor: ActionActor, names: ReadonlyMap<string, string>): Markup {
  const [kind, id = ''] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  if (kind === 'shell') return html`<bdi>${id}</bdi> on the command line`;
  return html`<a href="/operator/users/${id}"><bdi>${names.get(id) ?? id}</bdi></a>`;
}

const PAGES: Readonly<Record<string, string>> = { user: 'users', app: 'apps', transfer: 'transfers' };

/** What an action concerns, with a link to its page. `names`: of apps, by id. */
export function subjectLink(subject: string | null, names: ReadonlyMap<string, string>): Markup {
  const [kind = '', id = ''] = (subject ?? '').split(':');
  const page = PAGES[kind];
  const name = gameText(names.get(id) ?? '', 80);
  if (page && kind === 'app' && name) return html`App <a href="/operator/${page}/${id}"><bdi>${name}</bdi></a>`;
  if (page) return html`${asLabel(kind)} <a href="/operator/${page}/${id}"><code>${id}</code></a>`;
  if (/^0x[0-9a-fA-F]{40}$/.test(id)) return html`<a href="/operator/addresses/${id}"><code>${id}</code></a>`;
  return html`<bdi>${id}</bdi>`;
}
