import type { AppId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { changeAs } from '../../service/change-as.ts';
import { type AppManager, appFor } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';
import { type Answer, withIdempotency } from '../../service/with-idempotency.ts';

/** Whose webhooks are changed, and by whom: the app's own server, or somebody who manages the app. `appId` may be unchecked input. */
export type WebhookManager =
  | { readonly by: AppCaller; readonly idempotency?: IdempotencyKey | undefined }
  | { readonly by: AppManager; readonly appId: string };

type Options<T> = {
  /** The answer holds a secret. */
  readonly sealed?: boolean;
  /** What the security log says of the change. */
  readonly noted?: (changed: T) => string;
};

/** Makes a change to an app's webhooks in one transaction, and notes it. A server's call with the same Idempotency-Key gets the earlier answer. */
export async function changeWebhooks<T extends Answer>(
  service: Pick<Service, 'db' | 'vault' | 'security'>,
  manager: WebhookManager,
  change: (tx: Tx, appId: AppId) => Promise<T>,
  { sealed = false, noted }: Options<T> = {},
): Promise<T & { readonly replayed?: true }> {
  const changed = await changeOnce(service, manager, change, sealed);
  if (noted && !changed.replayed) {
    service.security.note('webhook-changed', {
      ...('appId' in manager && { appId: manager.appId }),
      what: noted(changed),
    });
  }
  return changed;
}

async function changeOnce<T extends Answer>(
  service: Pick<Service, 'db' | 'vault'>,
  manager: WebhookManager,
  change: (tx: Tx, appId: AppId) => Promise<T>,
  sealed: boolean,
): Promise<T & { readonly replayed?: true }> {
  if (!('appId' in manager)) {
    const { by, idempotency } = manager;
    return withIdempotency(service, idempotency, (tx) => change(tx, by.appId), { sealed });
  }
  const app = await appFor(service, manager.by, manager.appId, 'webhooks');
  return changeAs(service, manager.by, app, 'webhooks', (tx) => change(tx, app.id));
}
