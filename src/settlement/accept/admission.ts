import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import type { Instruction } from '../../service/instruction.ts';
import type { Admission, BacklogPlace, Settlement } from '../../service/service.ts';
import { kindOfPayment } from './kinds.ts';

export function openAdmission(
  { maxBacklog, maxBacklogPerApp }: { readonly maxBacklog: number; readonly maxBacklogPerApp: number },
  settlement: Pick<Settlement, 'backlog' | 'processes'>,
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
    enter(instruction) {
      const app = appAccountOf(instruction);
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
      const acceptedBefore = takens.map(({ accepted }) => accepted);
      const { open, ofApps } = await count([...apps.keys()]);
      takens.forEach((taken, i) => {
        taken.accepted -= acceptedBefore[i]!;
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
