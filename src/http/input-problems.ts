import { fieldName, type InputFault, Problem } from '../base/problems.ts';

/** A fault the schema validator (Ajv, `verbose`) reports. */
type SchemaFault = {
  readonly keyword: string;
  /** RFC 6901. */
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: unknown };
  readonly parentSchema?: { readonly description?: string };
};

/** Beyond these nobody reads on; a list of a thousand wrong things has as many faults. */
const MOST_FAULTS = 50;

/**
 * The faults of the input as one problem, the first 50 of them; its sentence is made of theirs. `detail` of a fault finishes "the
 * field …".
 */
export function inputProblem(faults: readonly InputFault[]): Problem {
  const told = faults.slice(0, MOST_FAULTS);
  const sentence = told.map(({ pointer, detail }) => `${fieldName(pointer)} ${detail}`).join('; ');
  return new Problem('invalid-input', `${sentence}.`, told);
}

/**
 * Faults against a schema. A schema's `description` says what its value must be, to readers of the docs and of errors. `place`: what the
 * schema is of, where that is not the body.
 */
export function schemaProblem(schemaFaults: readonly SchemaFault[], place: 'query' | '' = ''): Problem {
  const faults = new Map<string, InputFault>();
  for (const schemaFault of schemaFaults) {
    const fault = toFault(schemaFault, place);
    // One value may miss several bounds at once; it is one fault to its reader. A union tells more than its branches do.
    if (!faults.has(fault.pointer) || schemaFault.keyword === 'anyOf') faults.set(fault.pointer, fault);
  }
  const holders = new Set(
    [...faults.keys()].filter(Boolean).map((pointer) => pointer.slice(0, pointer.lastIndexOf('/'))),
  );
  // What is wrong deep in one branch of a union tells more than the union.
  for (const { keyword, instancePath } of schemaFaults) {
    if (keyword === 'anyOf' && holders.has(place + instancePath)) faults.delete(place + instancePath);
  }
  return inputProblem([...faults.values()]);
}

function toFault({ keyword, instancePath, params, parentSchema }: SchemaFault, place: string): InputFault {
  const pointer = place + instancePath;
  if (keyword === 'required') return { pointer: `${pointer}/${params.missingProperty}`, detail: 'is required' };
  return { pointer, detail: `must be ${parentSchema?.description ?? 'something else'}` };
}
