import type { Quarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import type { ActionId, ActionRow } from '../../operator-actions/operator-actions.ts';
import type { LogSubject } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import type { ActionParams } from './canonical-params.ts';

/** For people: each with its name. */
export type ActionFacts = readonly (readonly [name: string, value: string])[];

/** What will happen, for whoever is about to confirm or approve it. */
export type ActionPreview = {
  /** One sentence: `Issue 1,000 quarters to the app Space Race.` */
  readonly sentence: string;
  /** What is so now and what will be so, and what else the decision needs. */
  readonly facts: ActionFacts;
  readonly warnings?: readonly string[];
};

/** What a repetition returns: plain JSON. */
export type ActionResult = Readonly<Record<string, unknown>>;

/** An action while it is carried out. */
export type PlannedAction = {
  readonly id: ActionId;
  readonly reason: string;
  /** In the console, and not on the command line. */
  readonly byPerson: boolean;
};

/** How an action ended that goes on after its transaction. */
export type ActionEnd = { readonly state: 'done' | 'failed'; readonly result: ActionResult };

/** What an action does. `Read`: what its fields are read as, which is stored as `Params`. */
export type ActionDeed<Params extends ActionParams, Read = Params> = {
  /**
   * Makes of the fields what is stored, where this is something else, and checks them together. What they name is found in whatever state
   * it is: the parameters of a repetition must be the same.
   */
  resolve?(service: Service, read: Read): Params | Promise<Params>;
  /** Whether both ask for the same, although their parameters differ in what was found out of the fields. Left out: they do not. */
  asksSame?(one: Params, other: Params): boolean;
  /** Left out: what the first of its fields names. */
  subject?(params: Params): LogSubject;
  /** What four eyes compare with the limit; without it, one person is enough. */
  amount?(params: Params, settings: Service['settings']): Quarters;
  /** What will happen. Throws what {@link apply} would throw, as far as that is known before. */
  preview(service: Service, params: Params): Promise<ActionPreview>;
  /** Refuses a key that an earlier version of the program has paid for. */
  refuseUsedKey?(service: Service, params: Params, key: string): Promise<void>;
  /** Makes the change in the action's transaction, with its entry in the operator's log. It may run again after a deadlock. */
  apply(service: Service, tx: Tx, params: Params, action: PlannedAction): Promise<ActionResult | null>;
  /** Carries on after the COMMIT, as often as it is called, with one effect: what cannot be done in that transaction. */
  finish?(service: Service, params: Params, action: ActionRow): Promise<ActionEnd>;
  /** Whether whoever gets quarters by it can spend them. Left out: it moves none. */
  hasArrived?(service: Service, params: Params, action: ActionRow): Promise<boolean>;
  /** It spends, grants or ends something, so it is refused while the database may be older than the chain. */
  readonly waits?: true;
  /** It is paid by a transfer, whose id is chosen with the action. */
  readonly pays?: true;
  /** Notes the security event, after the COMMIT. */
  note?(service: Service, params: Params, action: ActionRow): void;
  /** Completes "We could not confirm whether this was done: …" for somebody at the command line. */
  advice?(params: Params): string;
};

/** What came from a form or a command: not checked. */
export type ActionInput = { readonly [name: string]: unknown };
