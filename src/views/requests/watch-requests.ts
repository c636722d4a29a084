import { setTimeout as delay } from 'node:timers/promises';
import type { RequestId } from '../../base/ids.ts';
import { readStatuses } from '../../requests/requests.ts';
import { isOnItsWay, type RequestStatus } from '../../requests/states.ts';
import type { Service } from '../../service/service.ts';

const POLL_EVERY_MS = 400;

/** The current status of some requests. */
export type Progress = {
  readonly requests: readonly { readonly id: RequestId; readonly status: RequestStatus }[];
  /** None of them will change any more, unless a reorganisation reverts one. */
  readonly final: boolean;
};

export async function readProgress({ db }: Pick<Service, 'db'>, ids: readonly RequestId[]): Promise<Progress> {
  return progressOf(ids, await readStatuses(db, ids));
}

type Watcher = { known: Progress; readonly changed: (now: Progress) => void };

/** Returns a function that ends the watch. */
export type WatchRequests = (known: Progress, changed: Watcher['changed']) => () => void;

/**
 * Reports every change to the known statuses. One poll of the database serves all watchers in this process, and there
 * is none without watchers. Polling the database, and not this process's loops, shows what other processes do, too.
 */
export function watchRequests({ db }: Pick<Service, 'db'>, pause = betweenPolls): WatchRequests {
  const watchers = new Set<Watcher>();
  let polling = false;

  async function poll(): Promise<void> {
    polling = true;
    for (;;) {
      await pause();
      if (watchers.size === 0) break;
      // A watcher added during the read may know newer statuses.
      const watched = [...watchers];
      const ids = new Set(watched.flatMap(({ known }) => known.requests.map(({ id }) => id)));
      // A database outage is reported elsewhere; the known statuses stay.
      const statuses = await readStatuses(db, [...ids]).catch(() => null);
      if (statuses) for (const watcher of watched) notify(watcher, statuses);
    }
    polling = false;
  }

  function notify(watcher: Watcher, statuses: Map<RequestId, RequestStatus>): void {
    if (!watchers.has(watcher)) return;
    const { requests } = watcher.known;
    if (requests.every(({ id, status }) => statuses.get(id) === status)) return;
    watcher.known = progressOf(
      requests.map(({ id }) => id),
      statuses,
    );
    watcher.changed(watcher.known);
  }

  return (known, changed) => {
    const watcher: Watcher = { known, changed };
    watchers.add(watcher);
    if (!polling) void poll();
    return () => void watchers.delete(watcher);
  };
}

function betweenPolls(): Promise<void> {
  return delay(POLL_EVERY_MS, undefined, { ref: false });
}

function progressOf(ids: readonly RequestId[], statuses: Map<RequestId, RequestStatus>): Progress {
  const requests = ids.flatMap((id) => {
    const status = statuses.get(id);
    return status ? [{ id, status }] : [];
  });
  return { requests, final: requests.every(({ status }) => status !== 'pending' && !isOnItsWay(status)) };
}
