import type { AppId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import type { App } from './apps.ts';

/** Records that its developer requests auto approval. Requesting it again changes nothing. */
export async function storeAutoApprovalRequest({ query }: Queries, id: AppId): Promise<void> {
  await query(
    `UPDATE apps SET auto_approve_requested_at = now()
      WHERE id = $1 AND NOT auto_approve AND auto_approve_requested_at IS NULL`,
    [id],
  );
}

/** The most that spending limits for an app allow; null where the settings of the service alone count. */
export type AppMandateLimits = Pick<App, 'mandatePerTransfer' | 'mandatePerDay'>;

/** How an operator enables auto approval. */
export type AutoApprovalTerms = AppMandateLimits & Pick<App, 'autoApproveConsent'>;

const USUAL_TERMS: AutoApprovalTerms = {
  mandatePerTransfer: null,
  mandatePerDay: null,
  autoApproveConsent: 'approval',
};

/** How players agree, if the operator does not say: as until now, or as the setting says where auto approval is not enabled. */
export function usualConsent(
  { autoApprove, autoApproveConsent }: Pick<App, 'autoApprove' | 'autoApproveConsent'>,
  byDefault: App['autoApproveConsent'],
): App['autoApproveConsent'] {
  return autoApprove ? autoApproveConsent : byDefault;
}

/** Enables auto approval on these terms; false if there is no such app. */
export async function storeAutoApprovalOn(
  { query }: Queries,
  id: AppId,
  { mandatePerTransfer, mandatePerDay, autoApproveConsent }: AutoApprovalTerms = USUAL_TERMS,
): Promise<boolean> {
  const rows = await query(
    `UPDATE apps SET auto_approve = true, auto_approve_since = coalesce(auto_approve_since, now()),
                     mandate_per_transfer = $2, mandate_per_day = $3, auto_approve_consent = $4
      WHERE id = $1 AND deleted_at IS NULL RETURNING 1`,
    [id, mandatePerTransfer, mandatePerDay, autoApproveConsent],
  );
  return rows.length > 0;
}

/** Disables auto approval and forgets its request; false if there is no such app. */
export async function storeAutoApprovalOff({ query }: Queries, id: AppId): Promise<boolean> {
  const rows = await query(
    `UPDATE apps SET auto_approve = false, auto_approve_requested_at = NULL WHERE id = $1 RETURNING 1`,
    [id],
  );
  return rows.length > 0;
}
