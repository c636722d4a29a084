import { html } from 'hono/html';
import type { UserId } from '../../../base/ids.ts';
import { findApps } from '../../../identity/apps.ts';
import { panel } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { appLink } from '../../../pages/consoles/entity-parts.ts';
import type { Service } from '../../../service/service.ts';
import type { Markup } from '../../../web/layout.ts';
import { refusalsOf } from '../store/refusals.ts';
import { REFUSED_KINDS, refusalReason } from './refusal-words.ts';

const MOST_LISTED = 20;

/** Why payments of a player were refused in the last 30 days. Only codes: the reasons in words may name amounts. */
export async function playerRefusals({ db }: Pick<Service, 'db'>, user: UserId): Promise<Markup | false> {
  const refusals = await refusalsOf(db, user, MOST_LISTED);
  if (refusals.length === 0) return false;
  const apps = await findApps(db, [...new Set(refusals.map(({ appId }) => appId))]);
  const columns: ShownColumn<(typeof refusals)[number]>[] = [
    { label: 'Last time', value: ({ lastAt }) => lastAt },
    { label: 'App', value: ({ appId }) => appLink(appId, apps.get(appId)?.name ?? appId) },
    { label: 'What', value: ({ kind }) => REFUSED_KINDS[kind] },
    { label: 'Reason', value: ({ code }) => refusalReason(code) },
    { label: 'Times', kind: 'number', value: ({ times }) => times },
  ];
  return panel(
    'Refused payments',
    html`${dataTable('What was refused in the last 30 days', columns, refusals)}<p class="hint">Of the last 30 days.</p>`,
  );
}
