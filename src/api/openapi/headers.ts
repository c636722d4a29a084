import type { Json } from '../../base/json.ts';

/** Headers of some responses. */
export const HEADERS = {
  Location: {
    description: 'The path of the new resource.',
    schema: { type: 'string', pattern: '^/' },
    required: true,
  },
  'Idempotent-Replayed': {
    description:
      'Set when the Idempotency-Key was used before: the stored response is repeated, and nothing is done again.',
    schema: { const: 'true' },
  },
  'Preference-Applied': { description: 'The preference that was applied (RFC 7240).', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'What is missing or wrong about the credential (RFC 6750).',
    schema: { type: 'string', pattern: '^Bearer ' },
  },
} satisfies Record<string, Json>;

/** Headers of every response. The rate limit's follow the current IETF draft; they are left out where calls are not limited. */
export const COMMON_HEADERS = {
  'Request-Id': {
    description: "The id of this call in the service's log. Include it when you ask for help.",
    schema: { type: 'string', format: 'uuid' },
    example: '6f0c1c9e-3f0f-4a53-9d0b-8f6a3b0e2d71',
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` calls in `w` seconds.',
    schema: { type: 'string', pattern: '^"[a-z]+";q=\\d+;w=\\d+$' },
    example: '"default";q=100;w=1',
  },
  RateLimit: {
    description: 'What is left: `r` calls. The full limit is available again in `t` seconds.',
    schema: { type: 'string', pattern: '^"[a-z]+";r=\\d+;t=\\d+$' },
    example: '"default";r=99;t=1',
  },
} satisfies Record<string, Json>;

export const COMMON = Object.fromEntries(
  Object.keys(COMMON_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** Headers of calls. */
export const HEADER_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Kept for 24 hours. The same key with the same body gives the same response, however often it is sent. With ' +
      'another body it is refused. Refusals are not kept.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '5f0c2a9e-order-4711',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`wait=N`: wait until the chain confirms the transfer, for at most N seconds (RFC 7240).',
    schema: { type: 'string' },
    example: 'wait=10',
  },
} satisfies Record<string, Json>;
