import { Problem } from '../../base/problems.ts';
import type { LogSubject } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import type { ActionDeed, ActionInput } from './action-deed.ts';
import type { ActionParams } from './canonical-params.ts';
import type { ActionField, DeclaredAction } from './declaration.ts';
import { DECLARED_ACTIONS } from './declarations.ts';
import { readActionFields } from './read-fields.ts';

/** One kind of action: what is declared of it, and what it does. */
export type ActionKind = DeclaredAction &
  ActionDeed<ActionParams, unknown> & {
    /** Checks what was typed. */
    read(service: Service, input: ActionInput): Promise<ActionParams>;
    subject(params: ActionParams): LogSubject;
  };

// All at once, so that nothing is loaded while an action is decided.
const KINDS = await Promise.all(DECLARED_ACTIONS.map(kindOf));

/** Every kind of action by its name, in the order of lists. */
export const ACTION_KINDS: ReadonlyMap<string, ActionKind> = new Map(KINDS.map((kind) => [kind.name, kind]));

/** The kinds whose amounts are added up over 24 hours. */
export const SPENDING_KINDS: readonly string[] = KINDS.filter(({ spends }) => spends).map(({ name }) => name);

export function actionKindNamed(name: string): ActionKind {
  const kind = ACTION_KINDS.get(name);
  if (!kind) throw new Problem('not-found', 'There is no such action.');
  return kind;
}

async function kindOf(declared: DeclaredAction): Promise<ActionKind> {
  const deed = await declared.deed();
  const read = async (service: Service, input: ActionInput) => {
    const fields = await readActionFields(service, declared.fields, input);
    return deed.resolve ? deed.resolve(service, fields) : (fields as ActionParams);
  };
  return { ...declared, ...deed, read, subject: deed.subject ?? subjectOf(declared) };
}

/** What the first field names. */
function subjectOf({ fields }: DeclaredAction): ActionKind['subject'] {
  const [[name, { kind }]] = Object.entries(fields) as [[string, ActionField]];
  return (params) => ({ kind: kind === 'person' ? 'user' : kind, id: params[name] }) as LogSubject;
}
