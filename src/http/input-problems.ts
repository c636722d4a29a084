import { type InputFault, Problem } from '../base/problems.ts';

/** A fault the schema validator (Ajv, `verbose`) reports. */
type SchemaFault = {
  readonly keyword: string;
  /** RFC 6901. */
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: unknown };
  readonly parentSchema?: { readonly description?: string };
};

/** All faults of the input as one problem; its sentence is made of theirs. `detail` of a fault finishes "the field …". */
export function inputProblem(faults: readonly InputFault[]): Problem {
  const sentence = faults.map(({ pointer, detail }) => `${fieldName(pointer)} ${detail}`).join('; ');
  return new Problem('invalid-input', `${sentence}.`, faults);
}

/** Faults against a schema. A schema's `description` says what its value must be, to readers of the docs and of errors. */
export function schemaProblem(schemaFaults: readonly SchemaFault[]): Problem {
  const faults = new Map<string, InputFault>();
  for (const schemaFault of schemaFaults) {
    const fault = toFault(schemaFault);
    // One value may miss several bounds at once; it is one fault to its reader.
    if (!faults.has(fault.pointer)) faults.set(fault.pointer, fault);
  }
  return inputProblem([...faults.values()]);
}

function toFault({ keyword, instancePath, params, parentSchema }: SchemaFault): InputFault {
  if (keyword === 'required') return { pointer: `${instancePath}/${params.missingProperty}`, detail: 'is required' };
  return { pointer: instancePath, detail: `must be ${parentSchema?.description ?? 'something else'}` };
}

function fieldName(pointer: string): string {
  return pointer.split('/').at(-1) || 'The body';
}
