import type { AppId } from '../../../base/ids.ts';
import type { Tx } from '../../../db/database.ts';
import { recordChange } from '../../../operator-log/record.ts';
import type { Service } from '../../../service/service.ts';
import type { StateChange } from '../../accounts/freeze.ts';
import { type AppSuspension, finishSuspension, resumeApp, suspendApp } from '../../apps/suspend.ts';
import type { ActionDeed, ActionEnd, ActionResult } from '../action-deed.ts';
import { livingApp } from '../named-subjects.ts';

type Params = { readonly app: AppId };

/** Stops an app: its keys and tokens, and what it is paid or pays. */
export const SUSPEND_APP: ActionDeed<Params> = {
  async preview(service, { app: id }) {
    const app = await livingApp(service, id);
    return {
      sentence: `Suspend the app ${app.name}. Its keys and its players’ tokens stop working, and nothing more is paid to it or by it. Its quarters stay.`,
      facts: [['Suspended', `${app.suspendedAt ? 'yes' : 'no'} → yes`]],
    };
  },
  apply: async (_service, tx, { app }, { reason }) =>
    recorded(tx, app, await suspendApp(tx, app, reason), 'app-suspended', reason),
  finish: (service, { app }, { result }) => finish(service, app, result),
};

/** Lets a suspended app work again. */
export const RESUME_APP: ActionDeed<Params> = {
  async preview(service, { app: id }) {
    const app = await livingApp(service, id);
    return {
      sentence: `Resume the app ${app.name}. Its keys and its players’ tokens work again.`,
      facts: [['Suspended', `${app.suspendedAt ? 'yes' : 'no'} → no`]],
    };
  },
  apply: async (_service, tx, { app }, { reason }) =>
    recorded(tx, app, await resumeApp(tx, app), 'app-resumed', reason),
  finish: (service, { app }, { result }) => finish(service, app, result),
};

/** The result is what {@link finish} needs, also in another process. */
async function recorded(
  tx: Tx,
  id: AppId,
  { before, after }: StateChange<AppSuspension>,
  action: 'app-suspended' | 'app-resumed',
  reason: string,
): Promise<ActionResult> {
  const changed = before.suspendedAt !== after.suspendedAt;
  if (changed) await recordChange(tx, { action, subject: { kind: 'app', id }, reason });
  return { before: before.suspendedAt?.toISOString() ?? null, after: after.suspendedAt?.toISOString() ?? null };
}

/** Once this has ended, nothing is accepted for a suspended app any more. */
async function finish(service: Service, app: AppId, result: ActionResult | null): Promise<ActionEnd> {
  const at = (time: unknown) => ({ suspendedAt: typeof time === 'string' ? new Date(time) : null, reason: null });
  const same = result?.before === result?.after;
  const after = at(result?.after);
  await finishSuspension(service, app, { before: same ? after : at(result?.before), after });
  return { state: 'done', result: { suspended: after.suspendedAt !== null, changed: !same } };
}
