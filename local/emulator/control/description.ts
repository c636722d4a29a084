import { RELEASE } from '../../../src/config/release.ts';
import type { Control, Schema } from './control.ts';
import { CONTROLS } from './controls.ts';

/** Where the operations are, on the port that controls the emulator. */
export const BASE = '/emulator/v1';

/** The control API as OpenAPI 3.1. An operation's body is named `…Input`, and its answer `…Result`. */
export function describeControls(): object {
  const paths: Record<string, Record<string, object>> = {};
  const schemas: Record<string, Schema> = {};
  for (const control of CONTROLS) {
    paths[control.path] ??= {};
    paths[control.path]![control.method.toLowerCase()] = operationOf(control);
    const { input, result } = control;
    if (input) schemas[`${nameOf(control)}Input`] = input;
    if (result) schemas[`${nameOf(control)}Result`] = result;
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quarters emulator',
      version: RELEASE.version,
      description: "Controls the emulator from a game's tests. Operations run one after the other.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: BASE, description: 'Below `control` of the start line' }],
    security: [{ startToken: [] }],
    paths,
    components: {
      schemas: { ...schemas, Fault: FAULT },
      responses: Object.fromEntries(
        Object.entries(FAULTS).map(([name, description]) => [name, { description, content: json('Fault') }]),
      ),
      securitySchemes: {
        startToken: { type: 'http', scheme: 'bearer', description: '`token` of the start line' },
      },
    },
  };
}

const FAULT = {
  type: 'object',
  description: 'Why an operation was refused',
  properties: {
    code: { type: 'string', description: 'For programs' },
    message: { type: 'string', description: 'For people' },
  },
  required: ['code', 'message'],
  additionalProperties: false,
};

const FAULTS = {
  BadInput: '`invalid-input`: the body is not as described',
  NoToken: '`token-invalid`: the token of the start line is missing',
  Refused: '`refused`: the emulator does not do that in its present state',
  Other: "A problem of the service, with the API's own code and status, or `internal`",
};

function operationOf(control: Control): object {
  const { operationId, path, says, input, result } = control;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    operationId,
    summary: says,
    ...(parameters.length > 0 && { parameters }),
    ...(input && {
      requestBody: {
        required: 'required' in input && isFilled(input.required),
        content: json(`${nameOf(control)}Input`),
      },
    }),
    responses: {
      ...(result
        ? { 200: { description: 'Done', content: json(`${nameOf(control)}Result`) } }
        : { 204: { description: 'Done' } }),
      ...(input && { 400: fault('BadInput') }),
      401: fault('NoToken'),
      409: fault('Refused'),
      default: fault('Other'),
    },
  };
}

const nameOf = ({ operationId }: Control) => operationId.charAt(0).toUpperCase() + operationId.slice(1);
const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;
const json = (schema: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } });
const fault = (name: keyof typeof FAULTS) => ({ $ref: `#/components/responses/${name}` });
