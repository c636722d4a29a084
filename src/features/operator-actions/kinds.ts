import { Problem } from '../../base/problems.ts';
import type { AnyActionKind } from './action-kind.ts';
import { DISABLE_AUTO_APPROVAL, ENABLE_AUTO_APPROVAL } from './kinds/auto-approval.ts';
import { CANCEL_TRANSFER } from './kinds/cancel-transfer.ts';
import { FREEZE_USER, UNFREEZE_USER } from './kinds/frozen.ts';
import { GRANT_REWARD } from './kinds/grant-reward.ts';
import { ISSUE } from './kinds/issue.ts';
import { ADD_OPERATOR, REMOVE_OPERATOR } from './kinds/operator-role.ts';
import { PAY_FILE } from './kinds/pay-file.ts';
import { RESOLVE_REPORT } from './kinds/resolve-report.ts';
import { RESUME_APP, SUSPEND_APP } from './kinds/suspended.ts';
import { UNVERIFY_APP, VERIFY_APP } from './kinds/verified.ts';

const KINDS = [
  ISSUE,
  GRANT_REWARD,
  PAY_FILE,
  CANCEL_TRANSFER,
  FREEZE_USER,
  UNFREEZE_USER,
  SUSPEND_APP,
  RESUME_APP,
  VERIFY_APP,
  UNVERIFY_APP,
  ENABLE_AUTO_APPROVAL,
  DISABLE_AUTO_APPROVAL,
  RESOLVE_REPORT,
  ADD_OPERATOR,
  REMOVE_OPERATOR,
];

/** Every kind of action by its name, in the order of lists. */
export const ACTION_KINDS: ReadonlyMap<string, AnyActionKind> = new Map(KINDS.map((kind) => [kind.name, kind]));

/** The kinds whose amounts are added up over 24 hours. */
export const SPENDING_KINDS: readonly string[] = KINDS.filter(({ spends }) => spends).map(({ name }) => name);

/** Throws `not-found`. */
export function actionKindNamed(name: string): AnyActionKind {
  const kind = ACTION_KINDS.get(name);
  if (!kind) throw new Problem('not-found', 'There is no such action.');
  return kind;
}
