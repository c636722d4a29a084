import type { CallId } from '../../../base/ids.ts';
import { callIdFrom } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import { type AppKey, listKeys } from '../../../identity/app-keys.ts';
import type { App } from '../../../identity/apps.ts';
import { type AppManager, appFor } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { type CallFilter, type CallStep, findCall, type LoggedCall, searchCalls } from '../store/calls.ts';

/** What of an app's calls is shown. A call that is named by its id is shown alone, whatever else is asked for. */
export type CallSearch = CallFilter & Pick<CallStep, 'from' | 'to'> & { readonly id?: string | undefined };

/** A call with the server API key that made it. */
export type ShownCall = LoggedCall & { readonly key: AppKey | null };

export type CallPage = {
  readonly app: App;
  /** Newest first. */
  readonly calls: readonly ShownCall[];
  /** Where the next page continues; null if nothing is left. */
  readonly next: CallId | null;
};

/** The most calls that one page view reads. */
export const MOST_SEARCHED = 20_000;

/**
 * An app's calls that fulfil a search, newest first, at most `limit`. A page may have fewer, and still be followed by another: it
 * searches 20,000 calls at most. `before`: where the page before ended.
 */
export async function listCalls(
  service: Pick<Service, 'db' | 'reads'>,
  caller: AppManager,
  appId: string,
  { id, from, to, ...filter }: CallSearch,
  limit: number,
  before?: CallId,
): Promise<CallPage> {
  const app = await appFor(service, caller, appId, 'read');
  if (id !== undefined) {
    const call = await callOf(service, app, id);
    return { app, calls: await withKeys(service, app, call ? [call] : []), next: null };
  }
  // One more than is shown tells whether another page follows.
  const step = { appId: app.id, from, to, before, size: MOST_SEARCHED };
  const { calls, end } = await searchCalls(service.reads, step, filter, limit + 1);
  const shown = calls.slice(0, limit);
  const next = calls.length > limit ? shown.at(-1)!.id : end;
  return { app, calls: await withKeys(service, app, shown), next };
}

/** One call of an app. Throws `not-found`, also if it is forgotten. */
export async function showCall(
  service: Pick<Service, 'db' | 'reads'>,
  caller: AppManager,
  appId: string,
  id: string,
): Promise<{ readonly app: App; readonly call: ShownCall }> {
  const app = await appFor(service, caller, appId, 'read');
  const call = await callOf(service, app, id);
  if (!call) throw new Problem('not-found', 'There is no such call of this app.');
  const [shown] = await withKeys(service, app, [call]);
  return { app, call: shown! };
}

async function callOf({ reads }: Pick<Service, 'reads'>, app: App, id: string): Promise<LoggedCall | null> {
  const callId = callIdFrom(id);
  return callId && findCall(reads, app.id, callId);
}

async function withKeys(
  { reads }: Pick<Service, 'reads'>,
  app: App,
  calls: readonly LoggedCall[],
): Promise<readonly ShownCall[]> {
  const named = calls.some(({ keyId }) => keyId !== null);
  const keys = named ? await listKeys(reads, app.id, { living: false }) : [];
  return calls.map((call) => ({ ...call, key: keys.find(({ id }) => id === call.keyId) ?? null }));
}
