import { Problem } from '../../base/problems.ts';
import { type ActionFilter, listActions, listOpenActions } from '../../operator-actions/action-list.ts';
import { type ActionId, type ActionRow, actionIdFrom, findAction } from '../../operator-actions/operator-actions.ts';
import type { Service } from '../../service/service.ts';
import type { ActingOperator } from '../operators/operators.ts';
import type { ActionInput, ActionPreview } from './action-deed.ts';
import { actorOf } from './actor.ts';
import { needsApproval } from './four-eyes.ts';
import { actionKindNamed } from './kinds.ts';

type Deps = Pick<Service, 'db'>;

const PAGE = 50;

/** Actions newest first, 50 at a time, and the id that the next page begins after; null on the last page. */
export async function browseActions(
  { db }: Deps,
  filter: ActionFilter,
  after?: string,
): Promise<{ readonly actions: readonly ActionRow[]; readonly next: ActionId | null }> {
  const found = await listActions(db, filter, PAGE + 1, after === undefined ? null : actionIdFrom(after));
  const actions = found.slice(0, PAGE);
  return { actions, next: found.length > PAGE ? actions.at(-1)!.id : null };
}

/** What waits for a second person or was not finished, oldest first, up to 200. */
export function openActions({ db }: Deps): Promise<ActionRow[]> {
  return listOpenActions(db, 200);
}

/** One action. `id`: unchecked. */
export async function readAction({ db }: Deps, id: string): Promise<ActionRow> {
  const known = actionIdFrom(id);
  const action = known && (await findAction(db, known));
  if (!action) throw new Problem('not-found', 'There is no such action.');
  return action;
}

/** What an action will do, before anybody has confirmed it. Throws what the action would throw. */
export async function previewAction(service: Service, kindName: string, input: ActionInput): Promise<ActionPreview> {
  const kind = actionKindNamed(kindName);
  const params = await kind.read(service, input);
  return kind.preview(service, params);
}

/** The same for one operator, with whether another one must approve it. */
export async function previewFor(
  service: Service,
  operator: ActingOperator,
  kindName: string,
  input: ActionInput,
): Promise<ActionPreview & { readonly needsApproval: boolean }> {
  const kind = actionKindNamed(kindName);
  const params = await kind.read(service, input);
  const asked = { kind, params, by: actorOf(operator) };
  return {
    ...(await kind.preview(service, params)),
    needsApproval: await needsApproval(service, service.db, asked),
  };
}

/** What a waiting action would do now. Throws what it would throw. */
export function previewWaiting(service: Service, { kind, params }: ActionRow): Promise<ActionPreview> {
  return actionKindNamed(kind).preview(service, JSON.parse(params));
}
