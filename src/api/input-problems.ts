import { fieldName, type InputFault, Problem } from '../base/problems.ts';

/** A fault that the schema validator (Ajv, `verbose`) reports. */
type SchemaFault = {
  readonly keyword: string;
  /** RFC 6901. */
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: unknown };
  readonly parentSchema?: { readonly description?: string };
};

/** Nobody reads more; a list of a thousand items may have as many faults. */
const MOST_FAULTS = 50;

/**
 * One problem for the first 50 faults of the input; its message joins their details. A fault's `detail` completes the sentence
 * "the field …".
 */
export function inputProblem(faults: readonly InputFault[]): Problem {
  const told = faults.slice(0, MOST_FAULTS);
  const sentence = told.map(({ pointer, detail }) => `${fieldName(pointer)} ${detail}`).join('; ');
  return new Problem('invalid-input', `${sentence}.`, told);
}

/**
 * The problem for faults against a schema. A schema's `description` says what its value must be, in the docs and in errors.
 * `place`: the part of the request that the schema is for, if not the body.
 */
export function schemaProblem(schemaFaults: readonly SchemaFault[], place: 'query' | '' = ''): Problem {
  const faults = new Map<string, InputFault>();
  for (const schemaFault of schemaFaults) {
    const fault = toFault(schemaFault, place);
    // A value that breaks several rules is one fault. The message of a union says more than those of its branches.
    if (!faults.has(fault.pointer) || schemaFault.keyword === 'anyOf') faults.set(fault.pointer, fault);
  }
  const holders = new Set(
    [...faults.keys()].filter(Boolean).map((pointer) => pointer.slice(0, pointer.lastIndexOf('/'))),
  );
  // A fault deep inside one branch says more than the message of the union.
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
