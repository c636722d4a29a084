import type { Queries } from '../../db/database.ts';
import { type ActionActor, sumUnapproved } from '../../operator-actions/operator-actions.ts';
import type { Service } from '../../service/service.ts';
import type { ActionParams } from './canonical-params.ts';
import { type ActionKind, SPENDING_KINDS } from './kinds.ts';

/**
 * Whether another person must approve an action. What somebody has issued and granted within 24 hours without an approval counts too, so
 * that nobody passes the limit in small steps. What decides must have locked the actions.
 */
export async function needsApproval(
  { settings }: Pick<Service, 'settings'>,
  db: Queries,
  asked: { readonly kind: ActionKind; readonly params: ActionParams; readonly by: ActionActor },
): Promise<boolean> {
  const above = settings.fourEyesAbove;
  if (above === undefined) return false;
  if (asked.kind.alwaysFourEyes) return true;
  const amount = asked.kind.amount?.(asked.params, settings);
  if (amount === undefined) return false;
  const before = asked.kind.spends ? await sumUnapproved(db, asked.by, SPENDING_KINDS) : 0n;
  return before + amount > above;
}
