import type { DeclaredAction } from './declaration.ts';
import { APP_ACTIONS } from './declarations/apps.ts';
import { CUSTODY_ACTIONS } from './declarations/custody.ts';
import { OPERATOR_ACTIONS } from './declarations/operators.ts';
import { PAYMENT_ACTIONS } from './declarations/payments.ts';
import { REPORT_ACTIONS } from './declarations/reports.ts';
import { USER_ACTIONS } from './declarations/users.ts';

/** Every action that operators have, in the order of lists. */
export const DECLARED_ACTIONS: readonly DeclaredAction[] = [
  ...PAYMENT_ACTIONS,
  ...USER_ACTIONS,
  ...APP_ACTIONS,
  ...REPORT_ACTIONS,
  ...OPERATOR_ACTIONS,
  ...CUSTODY_ACTIONS,
];

/** Undefined: this release knows no such action. */
export function declaredAction(name: string): DeclaredAction | undefined {
  return DECLARED_ACTIONS.find((action) => action.name === name);
}
