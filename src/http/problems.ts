import type { FastifyReply, FastifyRequest } from 'fastify';
import { currentContext, noteRefusal } from '../base/log.ts';
import { faultyFields, fieldName, type InputFault, PROBLEMS, Problem, type ProblemCode } from '../base/problems.ts';
import { MAX_QUARTERS } from '../base/quarters.ts';
import { kindOfSecret } from '../base/secrets.ts';
import { RpcUnreachable } from '../chain/rpc.ts';
import { faultOfAmount, faultText } from '../features/payments/row-faults.ts';
import type { Service } from '../service/service.ts';
import { databaseProblem } from '../service/unknown-outcome.ts';
import { inTheDark, mayAct } from '../settlement/may-act.ts';
import { isSecure, STRICT_TRANSPORT_SECURITY } from './answer.ts';
import { readBearer } from './rate-limits.ts';

/** RFC 9457 problem details; `code` and `message` are ours. The API's schema describes the same, and tests compare each answer with that. */
export type ProblemBody = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly message: string;
  readonly errors?: InputFault[];
};

export const PROBLEM_TYPE = 'application/problem+json';

/** `type` is a URN, so it is the same in every installation. */
export function problemBody({ code, status, message, faults }: Problem): ProblemBody {
  return {
    type: `urn:quarters:problem:${code}`,
    title: PROBLEMS[code].title,
    status,
    detail: message,
    code,
    message,
    ...(faults.length > 0 && { errors: faults.map(({ pointer, detail }) => ({ pointer, detail })) }),
  };
}

/**
 * A whole HTTP/1.1 response for input that the parser refuses. It is written to the socket, which is then closed. `publicUrl`: the
 * address players use.
 */
export function rawAnswer(problem: Problem, publicUrl: string): string {
  const body = JSON.stringify(problemBody(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${PROBLEMS[problem.code].title}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    ...(isSecure(publicUrl) ? [`Strict-Transport-Security: ${STRICT_TRANSPORT_SECURITY}`] : []),
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Denials for the security log: a credential that is invalid or not allowed here. Missing and expired ones are normal. */
const DENIALS: ReadonlySet<ProblemCode> = new Set([
  'token-invalid',
  'credential-not-allowed',
  'insufficient-scope',
  'app-mismatch',
]);

/** Handles every error of the JSON API: the response is a problem, without internal details. */
export function problemHandler({ log, security, readiness }: Pick<Service, 'log' | 'security' | 'readiness'>) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const found = toProblem(error, request);
    const problem = isFoundLater(found, request) && !mayAct(readiness) ? inTheDark(readiness) : found;
    if (problem.code === 'internal') {
      // The route's pattern, never the address: a query string may hold a token.
      const route = request.routeOptions?.url;
      log.error({ err: error, requestId: request.id, method: request.method, route }, 'a request failed');
    }
    if (DENIALS.has(problem.code)) {
      const kind = kindOfSecret(readBearer(request.headers.authorization ?? '') ?? '');
      security.note('credential-denied', { what: `${kind ?? 'credential'}: ${problem.code}` });
    }
    return sendProblem(problem, reply);
  };
}

/**
 * A database that may be older than the chain may lack what a call names, and find it by a restore. To clients, 404 would be final. A path
 * that does not exist stays unknown.
 */
function isFoundLater({ code }: Problem, { is404, routeOptions }: FastifyRequest): boolean {
  return code === 'not-found' && !is404 && routeOptions?.url?.startsWith('/v1/') === true;
}

function sendProblem(problem: Problem, reply: FastifyReply): FastifyReply {
  noteRefusal(problem.code, faultyFields(problem));
  if (problem.status === 401) reply.header('www-authenticate', challenge(problem.code));
  if (problem.retryAfter !== undefined) reply.header('retry-after', problem.retryAfter);
  return (
    reply
      .code(problem.status)
      .headers({ 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
      // As bytes: otherwise the framework would write it by the route's response schema.
      .send(Buffer.from(JSON.stringify(problemBody(problem))))
  );
}

/** RFC 6750, section 3.1: no error code where no credential was sent. */
function challenge(code: ProblemCode): string {
  return code === 'token-missing' ? 'Bearer realm="quarters"' : 'Bearer realm="quarters", error="invalid_token"';
}

/** A problem inside a response, where only a part of a call failed. Internal errors are logged. */
export function partProblem({ log }: Pick<Service, 'log'>, error: unknown): ProblemBody {
  const problem = toProblem(error);
  if (problem.code === 'internal') {
    log.error({ err: error, requestId: currentContext()?.requestId }, 'a part of a request failed');
  }
  return problemBody(problem);
}

function toProblem(error: unknown, request?: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof Error)) return internal();
  if (error instanceof RpcUnreachable) {
    return new Problem('chain-unavailable', 'The chain cannot be reached at the moment. Try again.');
  }
  return frameworkProblem(error, request) ?? databaseProblem(error) ?? internal();
}

function internal(): Problem {
  return new Problem('internal', "Something went wrong on our side. We've logged it.");
}

/** The largest body this route accepts. */
function kilobytes(request?: FastifyRequest): number {
  return Math.floor((request?.routeOptions.bodyLimit ?? 0) / 1024);
}

/** A problem for what the HTTP framework refuses before it reaches a route. */
function frameworkProblem(
  error: Error & { code?: unknown; statusCode?: unknown; validation?: unknown; validationContext?: unknown },
  request?: FastifyRequest,
): Problem | null {
  if (Array.isArray(error.validation)) {
    return schemaProblem(error.validation, error.validationContext === 'querystring' ? 'query' : '');
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body-too-large', `The body is too large; ${kilobytes(request)} kB are allowed.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported-media-type', 'The body must be JSON, sent as application/json.');
    case 'FST_ERR_BAD_URL':
      return inputProblem([{ pointer: 'path', detail: 'must be percent-encoded UTF-8' }]);
  }
  const refused = typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500;
  return refused ? new Problem('invalid-input', 'The request cannot be read.') : null;
}

/** A fault that the schema validator (Ajv, `verbose`) reports. */
type SchemaFault = {
  readonly keyword: string;
  /** RFC 6901. */
  readonly instancePath: string;
  readonly params: { readonly missingProperty?: unknown };
  readonly parentSchema?: { readonly description?: string; readonly maximum?: number };
  /** The value. */
  readonly data?: unknown;
};

/** Nobody reads more; a list of a thousand items may have as many faults. */
const MOST_FAULTS = 50;

/**
 * One problem for the first 50 faults of the input; its message joins their details, and says how many more there are. A fault's `detail`
 * completes the sentence "the field …".
 */
export function inputProblem(faults: readonly InputFault[]): Problem {
  const listed = faults.slice(0, MOST_FAULTS);
  const sentence = listed.map(({ pointer, detail }) => `${fieldName(pointer)} ${detail}`).join('; ');
  const more = faults.length - listed.length;
  return new Problem('invalid-input', `${sentence}${more > 0 ? `; and ${more} more faults` : ''}.`, listed);
}

/**
 * The problem for faults against a schema. A schema's `description` says what its value must be, in the docs and in errors.
 * `place`: the part of the request that the schema is for, if not the body.
 */
function schemaProblem(schemaFaults: readonly SchemaFault[], place: 'query' | '' = ''): Problem {
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

function toFault({ keyword, instancePath, params, parentSchema, data }: SchemaFault, place: string): InputFault {
  const pointer = place + instancePath;
  if (keyword === 'required') return { pointer: `${pointer}/${params.missingProperty}`, detail: 'is required' };
  const advice = parentSchema?.maximum === Number(MAX_QUARTERS) ? adviceOnAmount(data) : '';
  return { pointer, detail: `must be ${parentSchema?.description ?? 'something else'}${advice}` };
}

/** What to write instead, in the words that files of payments are refused with. */
function adviceOnAmount(value: unknown): string {
  if (typeof value === 'string')
    return `: ${faultText(value, faultOfAmount(value) ?? 'is text: leave the quotes out')}`;
  if (typeof value !== 'number' || Number.isInteger(value)) return '';
  return `: ${faultText(`${value}`, faultOfAmount(`${value}`)!)}`;
}
