import fc from 'fast-check';
import { EXAMPLES } from '../../src/base/example-values.ts';
import { type Description, operationsOf, type Parameter, resolved, type Schema } from '../kit/unit/description.ts';

/** A planned call: {@link Stage} replaces marks such as `{{userId:3}}`. */
export type Planned = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly credential: Credential;
  /** The guest that the call is about by default. */
  readonly who: number;
  /** Whether it is sent twice at once. */
  readonly twice: boolean;
};

export const CREDENTIALS = [
  'right',
  'other user',
  'other app',
  'other kind',
  'few scopes',
  'revoked',
  'unknown',
  'garbage',
  'none',
] as const;
export type Credential = (typeof CREDENTIALS)[number];

type Json = fc.JsonValue | undefined;

const MARKS = new Map<unknown, string>(Object.entries(EXAMPLES).map(([name, shown]) => [shown, name]));

/** Values that no field accepts, and values at the edge of what some accept. */
const strange: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(
    0,
    -1,
    1.5,
    1e21,
    2 ** 53 - 1,
    2 ** 53,
    -0,
    '',
    '10',
    'null',
    '0x',
    `0x${'0'.repeat(40)}`,
    "' OR 1=1 --",
  ),
  fc.constantFrom(null, true, [], {}, [[]], { length: 1 }, { toString: 1 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(Number),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Bodies that are not JSON, or JSON that makes no sense here. */
const noJson = fc.oneof(
  fc.constantFrom(
    '',
    'null',
    '{',
    '[1,',
    '{"tokens":1e400}',
    '{"amount":1.0000000000000000001}',
    '\ufeff{}',
    '{"a":1,"a":2}',
  ),
  fc.constantFrom(
    '{"__proto__":{"a":1}}',
    '['.repeat(8000),
    '"\\ud800"',
    `{"description":"${'x'.repeat(17_000)}"}`,
    'a=1&b=2',
  ),
  fc.string({ unit: 'binary', maxLength: 100 }),
);

const HEADERS = fc.record(
  {
    'idempotency-key': fc.oneof(
      { weight: 4, arbitrary: fc.nat({ max: 30 }).map((n) => `key-${n}`) },
      fc.constantFrom('', ' ', 'x'.repeat(255), 'x'.repeat(256), '\u00e9', '"quoted"', 'a, b'),
    ),
    'content-type': fc.constantFrom(
      'text/plain',
      'application/json; charset=latin1',
      'application/x-www-form-urlencoded',
      '',
      'json',
    ),
    prefer: fc.constantFrom('wait=0', 'wait=-1', 'wait=many', 'respond-async, wait=0', 'wait=99999999999999999999'),
    accept: fc.constantFrom('text/html', '*/*', 'application/xml'),
    origin: fc.constantFrom('null', 'https://game.example'),
  },
  { requiredKeys: [] },
);

/** Calls generated from the description: valid, nearly valid, and invalid. */
export function callsOf(description: Description): fc.Arbitrary<Planned> {
  return fc.oneof(
    ...operationsOf(description).map(({ method, path, operation }) => {
      const parameters = (operation.parameters ?? []).map((p) => resolved<Parameter>(description, p));
      const schema = operation.requestBody?.content['application/json']?.schema;
      const body = schema ? bodyOf(description, schema) : rarely<string | undefined>(undefined, noJson);
      return fc.record({
        operationId: fc.constant(operation.operationId),
        method: rarely(method, fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'PROPFIND')),
        path: pathOf(path, parameters),
        query: queryOf(description, parameters),
        headers: fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 4, arbitrary: HEADERS }),
        body,
        credential: fc.oneof({ weight: 12, arbitrary: fc.constant('right' as const) }, fc.constantFrom(...CREDENTIALS)),
        who: fc.nat({ max: 1000 }),
        twice: fc.nat({ max: 9 }).map((n) => n === 0),
      });
    }),
  );
}

function pathOf(path: string, parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const values = parameters
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, example }) => fc.tuple(fc.constant(name), rarely(mark(example), strangeSegment(mark(example)))));
  return fc.tuple(...values).chain((all) => {
    const filled = all.reduce((text, [name, value]) => text.replace(`{${name}}`, () => value), path);
    return rarely(
      filled,
      fc.constantFrom(`${filled}/`, `/${filled}`, `${filled}%00`, filled.toUpperCase(), `${filled}/../me`),
      30,
    );
  });
}

function strangeSegment(known: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      '%zz',
      '%ff',
      '%00',
      '%20',
      '.',
      '..',
      '*',
      'x'.repeat(2000),
      `${known}0`,
      known.slice(1),
      '{{unknown:0}}',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).map(encodeURIComponent),
  );
}

function queryOf(description: Description, parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const known = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema, example }) =>
      fc
        .oneof(
          fc.constant(mark(example)),
          valid(description, schema).map(String),
          fc.string({ unit: 'grapheme', maxLength: 50 }),
        )
        .map((value) => `${name}=${value.startsWith('{{') ? value : encodeURIComponent(value.toWellFormed())}`),
    );
  const foreign = fc.constantFrom('a=1', 'a=1&a=2', 'limit=1&limit=2', '__proto__=1', '%zz', '=', '&&', 'id=1');
  const one = known.length > 0 ? fc.oneof({ weight: 6, arbitrary: fc.oneof(...known) }, foreign) : foreign;
  const some = fc.array(one, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('&'));
  return known.length > 0 ? fc.oneof(fc.constant(''), some) : rarely('', some);
}

function bodyOf(description: Description, schema: Schema): fc.Arbitrary<string | undefined> {
  const right = valid(description, schema);
  const nearly = fc
    .tuple(right, fc.nat({ max: 9 }), fc.constantFrom('change', 'drop', 'add'), strange)
    .map(([whole, nth, how, value]) => {
      if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return value;
      const names = Object.keys(whole);
      const name = how === 'add' || names.length === 0 ? 'more' : names[nth % names.length]!;
      return { ...whole, [name]: how === 'drop' ? undefined : value };
    });
  const text = (value: Json) => (value === undefined ? undefined : JSON.stringify(value));
  return fc.oneof(
    { weight: 6, arbitrary: right.map(text) },
    { weight: 5, arbitrary: nearly.map(text) },
    { weight: 1, arbitrary: strange.map(text) },
    { weight: 1, arbitrary: noJson },
  );
}

function valid(description: Description, described: Schema): fc.Arbitrary<Json> {
  const schema = resolved<Schema>(description, described);
  const {
    type,
    enum: words,
    const: only,
    anyOf,
    minimum,
    maximum,
    maxLength = 40,
    items,
    minItems = 0,
    examples,
    properties,
    required = [],
  } = schema;
  const name = MARKS.get(examples?.[0]);
  if (name) return fc.nat({ max: 999 }).map((n) => `{{${name}:${n}}}`);
  if (words) return fc.constantFrom(...words);
  if (only !== undefined) return fc.constant(only);
  if (anyOf) return fc.oneof(...anyOf.map((part) => valid(description, part)));
  if (properties) {
    const values = Object.entries(properties).map(([key, inner]) => [key, valid(description, inner)] as const);
    return fc.record<Record<string, Json>>(Object.fromEntries(values), { requiredKeys: required });
  }
  if (type === 'array') {
    const some = fc.array(valid(description, items ?? {}), { minLength: minItems, maxLength: 3 });
    return some as fc.Arbitrary<Json>;
  }
  if (type === 'object') return fc.constant({});
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') {
    const text = fc.string({ unit: 'grapheme', maxLength });
    // Random text is hardly ever a URL, or another text with rules beyond its schema.
    return examples ? fc.oneof({ weight: 2, arbitrary: fc.constant(String(examples[0])) }, text) : text;
  }
  if (type === 'integer') {
    const [min, max] = [minimum ?? 0, maximum ?? 2 ** 53 - 1];
    return fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min, max: Math.min(max, min + 50) }) },
      fc.maxSafeInteger().map((n) => Math.min(max, Math.max(min, Math.abs(n)))),
    );
  }
  throw new Error(`No values are known for ${JSON.stringify(schema)}`);
}

/** The mark for one of the shared example values, or the example itself. */
function mark(example: unknown): string {
  const name = MARKS.get(example);
  return name ? `{{${name}:0}}` : String(example);
}

/** `usual`, or something else one time in `n`. */
function rarely<T>(usual: T, other: fc.Arbitrary<T>, n = 8): fc.Arbitrary<T> {
  return fc.oneof({ weight: n - 1, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}
