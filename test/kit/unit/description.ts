import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { LightMyRequestResponse } from 'fastify';

/** An answer of the API, as its caller gets it. */
export type Answer = {
  readonly method: string;
  /** With or without a query. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** The part of a schema that tests read. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: string[];
  readonly examples?: readonly unknown[];
};
export type Parameter = { name: string; in: string; schema: Schema; example: unknown };
type Header = { $ref?: string; schema: Schema; required?: boolean };
type Media = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, object> }>;
type DescribedOperation = {
  operationId: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: object[];
  servers?: { url: string }[];
  requestBody?: { required: boolean; content: Media };
  responses: Record<string, { headers?: Record<string, Header>; content: Media }>;
};
/** The part of an OpenAPI document that tests read. */
export type Description = {
  servers: { url: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, { flows?: { authorizationCode: { authorizationUrl: string; tokenUrl: string } } }>;
  };
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Answers that no description of one operation contains: an unknown path, an unknown method, an unreadable address. */
const ELSEWHERE: Readonly<Record<number, string>> = {
  400: 'invalid-input',
  404: 'not-found',
  405: 'method-not-allowed',
  429: 'rate-limited',
};

/**
 * Returns what is wrong with an answer of `/v1`, by the description alone; null if it is as described. `openToMore`: a later release may
 * add fields and headers.
 */
export function describedBy(description: Description, { openToMore = false } = {}): (answer: Answer) => string | null {
  const paths = Object.entries(description.paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`),
    operations,
  }));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema((openToMore ? description : closed(description)) as Schema, 'api', undefined, false);
  const validators = new Map<string, ValidateFunction>();
  const validator = (pointer: string) => {
    let known = validators.get(pointer);
    if (!known) {
      known = ajv.compile({ $ref: `api#${pointer}` });
      validators.set(pointer, known);
    }
    return known;
  };
  const misses = (pointer: string, value: unknown) => {
    const validate = validator(pointer);
    return validate(value) ? null : ajv.errorsText(validate.errors);
  };

  const fault = ({ method, url, status, headers, body }: Answer): string | null => {
    const place = url.split('?', 1)[0]!;
    const found = paths.find(({ pattern }) => pattern.test(place));
    const key = method === 'HEAD' ? 'get' : method.toLowerCase();
    const operation = METHODS.includes(key) ? found?.operations[key] : undefined;
    const code = /"code":"([a-z-]+)"/.exec(body)?.[1];
    if (!operation || body.includes('"There is nothing at this address."')) {
      const isMethod = found && !operation && status !== 400;
      if (isMethod && status !== 429 && (status !== 405 || !headers.allow)) return 'the method is not described';
      if (ELSEWHERE[status] === undefined) return 'not described';
      if (body === '' && method === 'HEAD') return null;
      return code === ELSEWHERE[status] ? misses('/components/schemas/Problem', JSON.parse(body)) : 'not described';
    }
    const response = operation.responses[status];
    if (!response) return `the status ${status} is not described`;
    const pointer = `/paths/${escaped(found!.path)}/${key}/responses/${status}`;
    const type = String(headers['content-type']).split(';', 1)[0]!;
    if (!response.content[type]) return `the content type ${type} is not described`;
    const wrong =
      body === '' && method === 'HEAD' ? null : misses(`${pointer}/content/${escaped(type)}/schema`, JSON.parse(body));
    if (wrong) return wrong;
    for (const name of CHECKED_HEADERS) {
      const value = headers[name.toLowerCase()];
      const named = response.headers?.[name];
      const header = named && resolved<Header>(description, named);
      if (value === undefined && header?.required) return `the header ${name} is missing`;
      if (value === undefined) continue;
      if (!header && openToMore) continue;
      if (!header) return `the header ${name} is not described`;
      const read = header.schema.type === 'integer' ? Number(value) : String(value);
      const bad = misses(`${named?.$ref?.slice(1) ?? `${pointer}/headers/${name}`}/schema`, read);
      if (bad) return `${name}: ${bad}`;
    }
    return null;
  };
  return (answer) => {
    const wrong = fault(answer);
    return (
      wrong &&
      `${answer.method} ${answer.url.split('?', 1)[0]} ${answer.status}: ${wrong}\n${answer.body.slice(0, 500)}`
    );
  };
}

/** Headers with a meaning for callers of the API. */
const CHECKED_HEADERS = [
  'Location',
  'Idempotent-Replayed',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
];

/** Every object contains what its schema names, and nothing else: other fields are not described. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  // The parts of a composition would forbid each other's fields.
  if ('allOf' in value) return value;
  const inside = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  return inside.type === 'object' && inside.properties ? { additionalProperties: false, ...inside } : inside;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The answer to a call by `inject`, at the address it reached: dots in a path are resolved on the way. */
export function answerOf({ raw, statusCode, headers, body }: LightMyRequestResponse): Answer {
  const { method = '', url = '' } = raw.req;
  return { method, url, status: statusCode, headers, body };
}

/** All operations, in the description's order. */
export function operationsOf({ paths }: Description) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The value, or the target of its reference (`#/components/…`). */
export function resolved<T>(description: Description, value: object): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T;
  const steps = value.$ref.split('/').slice(1);
  return steps.reduce((at, step) => (at as Record<string, unknown>)[step], description as unknown) as T;
}
