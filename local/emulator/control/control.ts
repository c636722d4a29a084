import type { Emulator } from '../emulator.ts';

/** JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = { readonly [name: string]: unknown };

/** One operation of the control API. A table of them is served, and described. */
export type Control = {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/emulator/v1`, with `{names}` of parameters, which `run` gets among the input. */
  readonly path: string;
  /** One sentence. */
  readonly says: string;
  /** Of the body, an object. Left out: there is none. */
  readonly input?: Schema;
  /** Left out: nothing is answered. */
  readonly result?: Schema;
  run(emulator: Emulator, input: never): Promise<object | undefined> | object | undefined;
};

export const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
