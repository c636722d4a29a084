import type { AppId, TransferId, UserId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { KeptCopy } from '../../custody/kept-copies.ts';
import type { App, AutoApproveConsent } from '../../identity/apps.ts';
import type { ActionRow } from '../../operator-actions/operator-actions.ts';
import type { Service } from '../../service/service.ts';
import type { ActionDeed, ActionFacts, ActionInput } from './action-deed.ts';
import type { ActionParams } from './canonical-params.ts';

/** What a field becomes, by its kind. An app, a user and a person are found, in whatever state they are. */
type FieldValues = {
  readonly app: AppId;
  readonly user: UserId;
  /** By e-mail address where it is typed, by id where a page knows it. */
  readonly person: UserId;
  readonly transfer: TransferId;
  readonly report: string;
  /** From 1 to 2^53−1. */
  readonly number: number;
  readonly text: string;
  /** An idempotency key, which only a command takes. */
  readonly key: string;
  readonly choice: string;
};

/** One thing that an action asks for. Forms, their parsing and the command are made of it. */
export type ActionField = {
  readonly kind: keyof FieldValues;
  /** For the page of an action: `Most per payment`. */
  readonly label: string;
  /** Of a text that names an account. A command refuses any other at once. */
  readonly form?: 'address' | 'recipient';
  /** On a form, if that says more. */
  readonly ask?: string;
  /** As the command takes it: an argument or an option, and its help. Left out: the command takes it in another way, or not. */
  readonly typed?: readonly [flags: string, help: string];
  /** The name of the input, if it is typed and not known. */
  readonly input?: string;
  readonly optional?: true;
  /** The most characters of a text; left out: 300. */
  readonly most?: number;
  /** Of a choice: its values and how they are shown. The first one is the default, unless it is optional. */
  readonly options?: Readonly<Record<string, string>>;
};

export type ActionFields = Readonly<Record<string, ActionField>>;

/** What the fields are read as. */
type ReadOf<Fields extends ActionFields> = {
  readonly [Name in keyof Fields]:
    | (Fields[Name] extends { options: infer Options } ? keyof Options : FieldValues[Fields[Name]['kind']])
    | (Fields[Name] extends { optional: true } ? null : never);
};

/** What a page of the console knows of the thing that it shows. */
export type ShownThing = {
  readonly user: {
    readonly id: UserId;
    readonly kind: 'guest' | 'full' | 'closed';
    readonly isFrozen: boolean;
    /** There are addresses to which they may withdraw, now or later. */
    readonly hasAddresses: boolean;
    /** The database was, and the chain may have shown accounts that belong to nobody. */
    readonly wasRestored: boolean;
  };
  readonly app: Pick<App, 'id' | 'verifiedAt' | 'autoApprove' | 'suspendedAt'> & {
    /** How players agree to a spending limit, if nobody says otherwise. */
    readonly consent: AutoApproveConsent;
  };
  readonly transfer: { readonly id: TransferId };
  readonly report: { readonly id: string };
  readonly operator: { readonly id: UserId };
  /** The list of them, which knows nobody. */
  readonly operators: { readonly id: '' };
  readonly copy: { readonly id: KeptCopy };
};

/** Where a form is. It asks for what the page does not know. */
type FormOn<Thing extends keyof ShownThing> = {
  readonly on: Thing;
  readonly button: string;
  /** The field that the page knows; left out: the one of its name. */
  readonly knows?: string;
  /** Left out: always. */
  readonly offered?: (shown: ShownThing[Thing]) => boolean;
  /** What fields hold before anybody fills them in. */
  readonly given?: (shown: ShownThing[Thing]) => Readonly<Record<string, string>>;
  /** Lower ones come first; left out: 0. */
  readonly order?: number;
};

export type DeclaredForm = { readonly [Thing in keyof ShownThing]: FormOn<Thing> }[keyof ShownThing];

/** What a command has done, and how the command line writes amounts and times. */
type DoneByCommand = {
  readonly service: Service;
  /** By the names of fields, as it was typed. */
  readonly typed: ActionInput;
  readonly params: ActionParams;
  readonly action: ActionRow;
  readonly replayed: boolean;
  readonly format: { amount(amount: Quarters): string; time(time: Date): string };
};

/** What a command prints: with `--json`, and otherwise, as lines and tables of facts. A hint says what to do next, and is no part of the result. */
export type CommandReport = readonly [json: object, ...text: (string | ActionFacts | { readonly hint: string })[]];

export type ActionCommand = {
  /** `users freeze`. The words before the last one are a command of `src/cli`. */
  readonly path: string;
  readonly description: string;
  /** Answered with y or yes. */
  readonly question: string;
  /** It needs a reason, and without a terminal `--yes`. Other commands go on without a terminal. */
  readonly asks?: true;
  /** A repetition with the same `--key` is the same action for as many hours; null: for ever. */
  readonly key?: { readonly help: string; readonly hours: number | null };
  readonly examples: readonly string[];
  report(done: DoneByCommand): CommandReport | Promise<CommandReport>;
};

/** An action as operators see it. Loads nothing of what it does, because the command line and its help are made of it. */
export type DeclaredAction = {
  /** Public and never changed: rows keep it. */
  readonly name: string;
  /** For lists and buttons: `Issue quarters`. */
  readonly title: string;
  /** A form has inputs of its own: `action`, `csrf`, `kind`, `page` and `reason`. A command has `key`, `json` and `yes`. */
  readonly fields: ActionFields;
  /** The amounts of one operator's actions of such kinds are added up over 24 hours. */
  readonly spends?: true;
  /** Where four eyes are on, another person must approve it, whatever the amount. */
  readonly alwaysFourEyes?: true;
  readonly forms?: readonly DeclaredForm[];
  /** A form on a page of its own, to which the list of actions links. */
  readonly page?: { readonly path: string; readonly button: string };
  readonly command?: ActionCommand;
  /** A command with a file of its own, which asks for the action. */
  readonly ownCommand?: string;
  deed(): Promise<ActionDeed<ActionParams, unknown>>;
};

/** Checks that the deed takes what the fields are read as. */
export function declareAction<const Fields extends ActionFields, Params extends ActionParams>(
  action: Omit<DeclaredAction, 'deed' | 'fields'> & {
    readonly fields: Fields;
    deed(): Promise<ActionDeed<Params, ReadOf<Fields>>>;
  },
): DeclaredAction {
  return action as unknown as DeclaredAction;
}
