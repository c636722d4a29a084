import type { AppId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { disableAutoApproval as disable } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';

/** Ends auto approval for an app. Mandates stay, without effect, in case it is enabled again. Throws `not-found`. */
export async function disableAutoApproval(
  { db, security }: Pick<Service, 'db' | 'security'>,
  id: AppId,
): Promise<void> {
  if (!(await disable(db, id))) throw new Problem('not-found', `There is no app "${id}".`);
  security.note('auto-approval-disabled', { appId: id });
}
