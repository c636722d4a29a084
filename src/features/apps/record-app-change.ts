import type { AppId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { type App, findApps, lockApp } from '../../identity/apps.ts';
import type { LoggedFacts } from '../../operator-log/facts.ts';
import type { LoggedAction } from '../../operator-log/logged-actions.ts';
import { recordChange } from '../../operator-log/record.ts';

/** What the operator's log says of an app. Its addresses are public, and a picture is named by its hash. */
export function appFacts(app: App): LoggedFacts {
  const { name, redirectUris, frameAncestors, resultOrigins, topUpUrl, publicClient, picture, ownerId } = app;
  return {
    ...{ name, redirectUris, frameAncestors, resultOrigins, topUpUrl, publicClient, picture },
    owner: ownerId && { user: ownerId },
    verified: app.verifiedAt !== null,
    autoApproval: app.autoApprove,
    autoApprovalConsent: app.autoApproveConsent,
    autoApprovalLimits: { perTransfer: textOf(app.mandatePerTransfer), perDay: textOf(app.mandatePerDay) },
  };
}

/** A bigint has no JSON to compare. */
function textOf(amount: Quarters | null): string | null {
  return amount === null ? null : `${amount}`;
}

/**
 * Makes a change to an app and records what it changed of it, before and after. Nothing is recorded if all stayed as it was. The app is locked, so
 * nobody else changes it in between. `reason`: the operator's note.
 */
export async function recordAppChange<T>(
  tx: Tx,
  action: LoggedAction,
  id: AppId,
  change: () => Promise<T>,
  reason?: string,
): Promise<T> {
  await lockApp(tx, id);
  const before = await factsOf(tx, id);
  const result = await change();
  const after = await factsOf(tx, id);
  const changed = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length > 0) {
    const only = (facts: LoggedFacts) => Object.fromEntries(changed.map((name) => [name, facts[name]]));
    await recordChange(tx, { action, subject: { kind: 'app', id }, before: only(before), after: only(after), reason });
  }
  return result;
}

async function factsOf(tx: Tx, id: AppId): Promise<LoggedFacts> {
  const app = (await findApps(tx, [id])).get(id);
  return app ? appFacts(app) : {};
}
