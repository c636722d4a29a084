import type { AppId, UserId } from '../../../src/base/ids.ts';
import { freezeUser, noteFreeze, unfreezeUser } from '../../../src/features/accounts/freeze.ts';
import { finishSuspension, resumeApp, suspendApp } from '../../../src/features/apps/suspend.ts';
import type { Service } from '../../../src/service/service.ts';

type Deps = Pick<Service, 'db' | 'security'>;

/** As an operator's action does it: the change, its COMMIT, and what follows. Resolves once nothing more is accepted. */
export async function freeze(service: Deps, userId: UserId): Promise<void> {
  const change = await service.db.transaction((tx) => freezeUser(tx, userId, 'a chargeback'));
  noteFreeze(service, userId, change);
}

export async function unfreeze(service: Deps, userId: UserId): Promise<void> {
  const change = await service.db.transaction((tx) => unfreezeUser(tx, userId));
  noteFreeze(service, userId, change);
}

export async function suspend(service: Deps, appId: AppId): Promise<void> {
  const change = await service.db.transaction((tx) => suspendApp(tx, appId, 'it is a copy of another game'));
  await finishSuspension(service, appId, change);
}

export async function resume(service: Deps, appId: AppId): Promise<void> {
  const change = await service.db.transaction((tx) => resumeApp(tx, appId));
  await finishSuspension(service, appId, change);
}
