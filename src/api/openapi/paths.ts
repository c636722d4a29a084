import type { Json } from '../../base/json.ts';
import { PROBLEMS, type ProblemCode, retryAfterSeconds } from '../../base/problems.ts';
import type { Bases } from '../../config/bases.ts';
import type { AllowedCaller } from '../caller.ts';
import type { DescribedRoute, Operation } from '../describe/describe.ts';
import { COMMON, HEADERS } from './headers.ts';
import { exampleOf, type NamedSchemas } from './named-schemas.ts';

/** The operations by path and method. */
export function pathsOf(routes: readonly DescribedRoute[], bases: Bases, named: NamedSchemas, problem: Json): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = {
      ...operationOf(route, named, problem),
      // Creating guests may have its own address.
      ...(path === '/v1/new-guest' && bases.devApi !== bases.api && { servers: [{ url: bases.devApi }] }),
    };
  }
  return paths;
}

function operationOf(route: DescribedRoute, named: NamedSchemas, problem: Json): Json {
  const { method, operation, params, querystring, body } = route;
  const { operationId, tag, summary, description, admits, idempotent, waits } = operation;
  const parameters = [
    ...parametersIn('path', params, named),
    ...parametersIn('query', querystring, named),
    ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(waits ? [{ $ref: '#/components/parameters/Prefer' }] : []),
  ];
  const codes = problemsOf(operation, { hasInput: parameters.length > 0, hasBody: method !== 'GET' });
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: securityOf(admits),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: requestBody(body, named) }),
    responses: { ...success(route, named), ...problemAnswers(codes, problem) },
  };
}

/** Any one of these credentials. The scopes of server API keys are not OAuth scopes, but are listed in the same way. */
function securityOf({ user, app }: AllowedCaller): Json[] {
  return [
    ...(user === undefined ? [] : [{ accessToken: user === null ? [] : [user] }, { guestToken: [] }]),
    ...(app === undefined ? [] : [{ serverKey: app === null ? [] : [app] }]),
  ];
}

function parametersIn(place: 'path' | 'query', schema: Json | undefined, named: NamedSchemas): Json[] {
  const required = (schema?.required ?? []) as string[];
  return Object.entries((schema?.properties ?? {}) as Record<string, Json>).map(([name, property]) => {
    const shown = (property.readsAs ?? property) as Json;
    const { description, examples, ...rest } = shown;
    return {
      name,
      in: place,
      ...(required.includes(name) && { required: true }),
      description,
      schema: named.print(rest),
      ...(examples !== undefined && { example: exampleOf(shown) }),
    };
  });
}

function requestBody(schema: Json, named: NamedSchemas): Json {
  const optional = Array.isArray(schema.anyOf) && schema.anyOf.some(({ type }) => type === 'null');
  return {
    required: !optional,
    content: { 'application/json': { schema: named.print(schema), example: exampleOf(schema) } },
  };
}

function success({ operation, response }: DescribedRoute, named: NamedSchemas): Record<string, Json> {
  const { idempotent, waits, location } = operation;
  const headers = {
    ...COMMON,
    ...(location && { Location: HEADERS.Location }),
    ...(idempotent && { 'Idempotent-Replayed': HEADERS['Idempotent-Replayed'] }),
    ...(waits && { 'Preference-Applied': HEADERS['Preference-Applied'] }),
  };
  return Object.fromEntries(
    Object.entries(response as Record<string, Json>).map(([status, schema]) => [
      status,
      {
        description: schema.description,
        headers,
        content: { 'application/json': { schema: named.print(schema), example: exampleOf(schema) } },
      },
    ]),
  );
}

/** The problems of an operation: its own, and those that follow from its credentials and input. */
function problemsOf(operation: Operation, { hasInput, hasBody }: { hasInput: boolean; hasBody: boolean }) {
  const { admits, idempotent, waits, problems = [] } = operation;
  const kinds = Object.values(admits);
  const codes: ProblemCode[] = ['rate-limited', 'internal', 'database-unavailable', ...problems];
  if (kinds.length > 0) codes.push('token-missing', 'token-invalid', 'token-expired', 'app-suspended');
  if (kinds.length === 1) codes.push('credential-not-allowed');
  if (kinds.some((scope) => scope !== null)) codes.push('insufficient-scope');
  if (hasInput || hasBody || idempotent || waits) codes.push('invalid-input');
  if (hasBody) codes.push('malformed-json', 'body-too-large', 'unsupported-media-type');
  // While the database may be older than the chain, what it lacks may be found later.
  if (problems.includes('not-found')) codes.push('payments-suspended');
  if (idempotent) codes.push('idempotency-mismatch', 'outcome-unknown');
  // In the order of the registry.
  return (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => codes.includes(code));
}

/** The problem responses, by status. */
function problemAnswers(codes: readonly ProblemCode[], problem: Json): Record<string, Json> {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      problemAnswer(
        codes.filter((code) => PROBLEMS[code].status === status),
        problem,
      ),
    ]),
  );
}

function problemAnswer(codes: readonly ProblemCode[], problem: Json): Json {
  const headers: Record<string, Json> = {
    ...COMMON,
    ...(codes.some(saysWhenToRetry) && {
      'Retry-After': { ...HEADERS['Retry-After'], required: codes.every(saysWhenToRetry) },
    }),
    ...(codes.includes('token-invalid') && { 'WWW-Authenticate': { ...HEADERS['WWW-Authenticate'], required: true } }),
    ...(codes.includes('insufficient-scope') && { 'WWW-Authenticate': HEADERS['WWW-Authenticate'] }),
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers,
    content: {
      'application/problem+json': {
        schema: { allOf: [problem, { type: 'object', properties: { code: { enum: codes } }, required: ['code'] }] },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function saysWhenToRetry(code: ProblemCode): boolean {
  return retryAfterSeconds(code) !== undefined;
}
