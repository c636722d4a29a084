import type { Address } from '../../base/address.ts';
import { type Problem, refusalOfMany } from '../../base/problems.ts';
import type { Instruction } from '../../service/instruction.ts';
import type { Admission, BacklogPlace, Settlement } from '../../service/service.ts';
import { kindOfPayment } from './kinds.ts';
import { SettlingPace } from './settling-pace.ts';

/** So many are admitted whatever the pace was, so that a payout after a quiet night is. */
const ALWAYS_ADMITTED = 5_000;

type Limits = {
  readonly maxBacklog: number;
  readonly maxBacklogPerApp: number;
  readonly transfersPerTransaction: number;
};

/** `now`: the milliseconds of a clock that does not go back. */
export function openAdmission(
  { maxBacklog, maxBacklogPerApp, transfersPerTransaction }: Limits,
  settlement: Pick<Settlement, 'backlog' | 'processes'>,
  now = () => performance.now(),
): Admission {
  const all = new Taken();
  const apps = new Map<Address, Taken>();
  const pace = new SettlingPace();
  const overloaded = refusalOfMany('overloaded', 'Too many transfers are on their way. Try again in a moment.');
  const appIsFull = refusalOfMany(
    'app-backlog-full',
    `${maxBacklogPerApp} transfers of this app are on their way. Try again in a moment.`,
  );

  /** Who waits longer than for the next blocks is better told so at once. */
  const limit = () => Math.min(maxBacklog, Math.max(ALWAYS_ADMITTED, Math.ceil(maxBacklog / 4), pace.lately));

  /** Every other process may hold as many places. */
  const total = (counted: number, here: number) => counted + here * settlement.processes;

  /** An app with less than an equal share does not wait for those with more. */
  function exceedsShare(own: number): boolean {
    const open = total(settlement.backlog, all.here / transfersPerTransaction);
    return open >= limit() && own * Math.max(apps.size, 1) >= limit() * transfersPerTransaction;
  }

  function refusal(app: Address | null): Problem | null {
    const open = total(settlement.backlog, all.here);
    if (open >= maxBacklog) return overloaded(pace.secondsFor(open));
    if (app === null) return null;
    const { counted, here } = apps.get(app) ?? NONE;
    const own = total(counted, here);
    if (own >= maxBacklogPerApp) return appIsFull(pace.secondsFor(open));
    return exceedsShare(own) ? overloaded(pace.secondsFor(open)) : null;
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
    refusal,
    get limit() {
      return limit();
    },
    enter(instruction) {
      const app = appAccountOf(instruction);
      const refused = refusal(app);
      if (refused) throw refused;
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
      const acceptedBefore = takens.map(({ accepted }) => accepted);
      const { open, settled, ofApps } = await count(
        [...apps.keys()],
        Math.min(maxBacklogPerApp, Math.ceil(limit() / 2)),
      );
      takens.forEach((taken, i) => {
        taken.accepted -= acceptedBefore[i]!;
      });
      settlement.backlog = open;
      pace.note(settled, now());
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
function appAccountOf(instruction: Instruction): Address | null {
  const { app } = kindOfPayment(instruction.origin);
  return app && instruction[app];
}

/**
 * Places taken here since the last count. An instruction accepted during a count may count twice until the next one,
 * but it is never missed.
 */
class Taken {
  counted = 0;
  accepting = 0;
  accepted = 0;

  get here(): number {
    return this.accepting + this.accepted;
  }

  take(): BacklogPlace {
    this.accepting++;
    return {
      keep: () => {
        this.accepting--;
        this.accepted++;
      },
      giveBack: () => {
        this.accepting--;
      },
    };
  }
}

const NONE = new Taken();
