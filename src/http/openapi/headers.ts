import type { Json } from './json.ts';

/** Of answers. */
export const HEADERS = {
  Location: {
    description: 'The path of what was made.',
    schema: { type: 'string', pattern: '^/' },
    required: true,
  },
  'Idempotent-Replayed': {
    description: 'On the answer to a key that was used before: nothing was done again.',
    schema: { const: 'true' },
  },
  'Preference-Applied': { description: 'The preference that was honoured (RFC 7240).', schema: { type: 'string' } },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'What is missing or wrong about the credential (RFC 6750).',
    schema: { type: 'string', pattern: '^Bearer ' },
  },
} satisfies Record<string, Json>;

/** Of every answer; those of limits where calls are limited, by the current draft of the IETF. */
export const COMMON_HEADERS = {
  'Request-Id': {
    description: "Names this call in the service's log: say it when you ask for help.",
    schema: { type: 'string', format: 'uuid' },
    example: '6f0c1c9e-3f0f-4a53-9d0b-8f6a3b0e2d71',
  },
  'RateLimit-Policy': {
    description: 'How many calls (`q`) are allowed in how many seconds (`w`).',
    schema: { type: 'string', pattern: '^"[a-z]+";q=\\d+;w=\\d+$' },
    example: '"default";q=100;w=1',
  },
  RateLimit: {
    description: 'How many calls are left (`r`), and in how many seconds there are all of them again (`t`).',
    schema: { type: 'string', pattern: '^"[a-z]+";r=\\d+;t=\\d+$' },
    example: '"default";r=99;t=1',
  },
} satisfies Record<string, Json>;

export const COMMON = Object.fromEntries(
  Object.keys(COMMON_HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** Of calls. */
export const HEADER_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Kept for 24 hours: the same key with the same body gives the same answer, however often it is sent; with another ' +
      'body it is refused. A refusal is not kept.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '5f0c2a9e-order-4711',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`wait=N`: answer when the chain has confirmed it, after N seconds at the latest (RFC 7240).',
    schema: { type: 'string' },
    example: 'wait=10',
  },
} satisfies Record<string, Json>;
