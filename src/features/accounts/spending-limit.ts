import { typedCount } from '../../base/digits.ts';
import { refusedEntry } from '../../base/problems.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { App } from '../../identity/apps.ts';
import { changeMandateLimits } from '../../identity/mandates.ts';
import type { User } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { listAccess } from '../../views/accounts/list-access.ts';
import { mandateOffer } from '../../views/approvals/confirmation.ts';

type Amounts = { readonly perTransfer: Quarters; readonly perDay: Quarters };

/** What an app may take without asking, and the most that its player may choose. */
export type SpendingLimit = { readonly app: App; readonly now: Amounts; readonly most: Amounts };

/** Null: the app has to ask every time. */
export async function readSpendingLimit(
  service: Service,
  user: Pick<User, 'id'>,
  appId: string | undefined,
): Promise<SpendingLimit | null> {
  const { app, mandate } = (await listAccess(service, user)).find((access) => access.app.id === appId) ?? {};
  if (!app || !mandate) return null;
  const { maxPerTransfer, maxPerDay } = mandateOffer(service, app);
  const most = { perTransfer: maxPerTransfer, perDay: maxPerDay };
  // It may have been agreed to when the operator allowed more.
  const now = {
    perTransfer: lesser(mandate.maxPerTransfer, most.perTransfer),
    perDay: lesser(mandate.maxPerDay, most.perDay),
  };
  return { app, now, most };
}

/** As typed. */
export type TypedAmounts = { readonly perTransfer: string; readonly perDay: string };

/**
 * Changes what an app may take without asking, up to the operator's limits. It applies to the next payment, and approving does not raise it
 * again. Does nothing if the app has to ask every time by now. Throws `invalid-input`, whose faults point at `/perTransfer` and
 * `/perDay`.
 */
export async function changeSpendingLimit(
  service: Service,
  { id: userId }: Pick<User, 'id'>,
  { app, most }: Pick<SpendingLimit, 'app' | 'most'>,
  typed: TypedAmounts,
): Promise<void> {
  refuseInTheDark(service);
  const { db, security } = service;
  const { perTransfer, perDay } = amountsIn(typed, most);
  const chosen = {
    maxPerTransfer: perTransfer,
    maxPerDay: perDay,
    // Somebody who chose the most wants what the operator allows, later too.
    ownPerTransfer: perTransfer < most.perTransfer ? perTransfer : null,
    ownPerDay: perDay < most.perDay ? perDay : null,
  };
  if (await changeMandateLimits(db, { userId, appId: app.id }, chosen)) {
    security.note('spending-limit-changed', { userId, appId: app.id });
  }
}

function amountsIn(typed: TypedAmounts, most: Amounts): Amounts {
  const [perTransfer, perDay] = [amountIn(typed.perTransfer, most.perTransfer), amountIn(typed.perDay, most.perDay)];
  if (perTransfer === null || perDay === null) {
    const outOfRange = (['perTransfer', 'perDay'] as const).filter(
      (name) => amountIn(typed[name], most[name]) === null,
    );
    throw refusedEntry(
      ...outOfRange.map((name) => [`/${name}`, { code: 'limit-out-of-range', number: most[name] }] as const),
    );
  }
  if (perTransfer > perDay) throw refusedEntry(['/perTransfer', { code: 'limit-above-day' }]);
  return { perTransfer, perDay };
}

/** Quarters have no fractions. Null: no number, or not from 1 to `most`. */
function amountIn(text: string, most: Quarters): Quarters | null {
  const amount = typedCount(text);
  return amount !== null && amount >= 1n && amount <= most ? asQuarters(amount) : null;
}
