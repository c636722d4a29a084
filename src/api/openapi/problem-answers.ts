import { PROBLEMS, type ProblemCode } from '../../base/problems.ts';
import { retryAfterSeconds } from '../../base/retry-after.ts';
import type { Operation } from '../describe/describe.ts';
import { COMMON, HEADERS } from './headers.ts';
import type { Json } from './json.ts';

/** The problems of an operation: its own, and those that follow from its credentials and input. */
export function problemsOf(operation: Operation, { hasInput, hasBody }: { hasInput: boolean; hasBody: boolean }) {
  const { admits, idempotent, waits, problems = [] } = operation;
  const kinds = Object.values(admits);
  const codes: ProblemCode[] = ['rate-limited', 'internal', 'database-unavailable', ...problems];
  if (kinds.length > 0) codes.push('token-missing', 'token-invalid', 'token-expired');
  if (kinds.length === 1) codes.push('credential-not-allowed');
  if (kinds.some((scope) => scope !== null)) codes.push('insufficient-scope');
  if (hasInput || hasBody || idempotent || waits) codes.push('invalid-input');
  if (hasBody) codes.push('malformed-json', 'body-too-large', 'unsupported-media-type');
  if (idempotent) codes.push('idempotency-mismatch', 'outcome-unknown');
  // In the order of the registry.
  return (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => codes.includes(code));
}

/** The problem responses, by status. */
export function problemAnswers(codes: readonly ProblemCode[], problem: Json): Record<string, Json> {
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
