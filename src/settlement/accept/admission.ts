import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import type { Instruction } from './instruction.ts';

/** A place among the transfers on their way. The caller calls exactly one of the two. */
export type Place = {
  /** The instruction was accepted, or may have been. */
  keep(): void;
  giveBack(): void;
};

/** What the database counted: open transactions, and transfers on their way by app account. */
export type BacklogCounts = { readonly open: number; readonly ofApps: ReadonlyMap<Address, number> };

/**
 * Limits the transfers on their way: `MAX_BACKLOG` in all, `MAX_BACKLOG_PER_APP` for one app. A place is taken before
 * an instruction is accepted, so concurrent calls cannot exceed the limit. The database is counted from time to time;
 * places taken since then are counted here.
 */
export type Admission = {
  /** Takes a place. Throws `overloaded` or `app-backlog-full`; then nothing was accepted. */
  enter(order: Instruction): Place;
  /** Throws as `enter` would for an app's instruction, but takes no place. */
  check(app: Address): void;
  /** `count` gets the accounts of the apps that hold places here. */
  recount(count: (apps: readonly Address[]) => Promise<BacklogCounts>): Promise<void>;
};

/**
 * Places taken here since the last count. An instruction accepted during a count may count twice until the next one,
 * but it is never missed.
 */
class Taken {
  counted = 0;
  deciding = 0;
  decided = 0;

  get here(): number {
    return this.deciding + this.decided;
  }

  take(): Place {
    this.deciding++;
    return {
      keep: () => {
        this.deciding--;
        this.decided++;
      },
      giveBack: () => {
        this.deciding--;
      },
    };
  }
}

export function openAdmission(
  { maxBacklog, maxBacklogPerApp }: { readonly maxBacklog: number; readonly maxBacklogPerApp: number },
  settlement: { backlog: number; readonly processes: number },
): Admission {
  const all = new Taken();
  const apps = new Map<Address, Taken>();

  /** Every other process may hold as many places. */
  const isFull = (counted: number, here: number, most: number) => counted + here * settlement.processes >= most;

  function check(app: Address | null): void {
    if (isFull(settlement.backlog, all.here, maxBacklog)) {
      throw new Problem('overloaded', 'Too many transfers are on their way. Try again in a moment.');
    }
    if (app === null) return;
    const { counted, here } = apps.get(app) ?? new Taken();
    if (isFull(counted, here, maxBacklogPerApp)) {
      throw new Problem(
        'app-backlog-full',
        `${maxBacklogPerApp} transfers of this app are on their way. Try again in a moment.`,
      );
    }
  }

  function ofApp(app: Address): Taken {
    let own = apps.get(app);
    if (!own) {
      own = new Taken();
      apps.set(app, own);
    }
    return own;
  }

  return {
    check,
    enter(order) {
      const app = appAccountOf(order);
      check(app);
      const places = [all.take(), ...(app === null ? [] : [ofApp(app).take()])];
      return {
        keep() {
          for (const place of places) place.keep();
        },
        giveBack() {
          for (const place of places) place.giveBack();
        },
      };
    },
    async recount(count) {
      const takens = [all, ...apps.values()];
      const decidedBefore = takens.map(({ decided }) => decided);
      const { open, ofApps } = await count([...apps.keys()]);
      takens.forEach((taken, i) => {
        taken.decided -= decidedBefore[i]!;
      });
      settlement.backlog = open;
      for (const [app, own] of apps) {
        own.counted = ofApps.get(app) ?? 0;
        if (own.counted + own.here === 0) apps.delete(app);
      }
    },
  };
}

/**
 * The account of the app that a transfer concerns: as its payer, or as its user's payee. Null for the operator's own
 * transfers.
 */
function appAccountOf({ origin, from, to }: Instruction): Address | null {
  if (origin.kind === 'approval') return to;
  return origin.kind === 'payout' ? from : null;
}
