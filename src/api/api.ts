import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { invalidInput, Problem } from '../base/problems.ts';
import { atOnce } from '../http/hooks.ts';
import type { RefuseMethod } from '../http/methods.ts';
import { countCall } from '../http/rate-limits.ts';
import type { Service } from '../service/service.ts';
import { dropAbsentFields } from './absent-fields.ts';
import { OPERATION_HOOKS } from './additions.ts';
import { decorateWithCaller } from './caller.ts';
import { OPERATIONS } from './operations.ts';
import { holdAnswers } from './request-headers.ts';
import { ANY_ORIGIN, EXPOSED_HEADERS, RESPONSE_HEADERS } from './response-headers.ts';
import type { TypesOfSchemas } from './schemas/schema.ts';

/** Request headers that pages of other origins may send. A tracer adds its own to each call: W3C Trace Context, Baggage, and Sentry's. */
const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'prefer',
  'traceparent',
  'tracestate',
  'baggage',
  'sentry-trace',
];

/** The JSON API, everything under `/v1`. */
export function api(service: Service, refuseMethod: RefuseMethod) {
  return async (app: FastifyInstance): Promise<void> => {
    // Browser clients are cross-origin and use no cookies: any origin, no credentials.
    await app.register(cors, {
      origin: ANY_ORIGIN,
      methods: ['GET', 'HEAD', 'POST'],
      allowedHeaders: ALLOWED_HEADERS,
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: 3600,
      strictPreflight: false,
    });
    app.setNotFoundHandler(() => {});
    app.addHook(
      'onRequest',
      atOnce((_request, reply) => reply.headers(RESPONSE_HEADERS)),
    );
    announceDeprecations(app);
    // After CORS, which answers preflights and lets browsers read refusals.
    app.addHook('onRequest', atOnce(countCall(service)));
    app.addHook(
      'onRequest',
      atOnce((request, reply) => {
        // An unknown path is 404, whatever its body: the check is here, before the framework looks at the body's type.
        if (!request.is404) return;
        throw refuseMethod(request, reply) ?? new Problem('not-found', 'There is no such endpoint.');
      }),
    );
    await app.register(async (scope) => {
      parseBodies(scope);
      scope.addHook('preValidation', dropAbsentFields);
      decorateWithCaller(scope);
      holdAnswers(scope, service);
      for (const addHooks of service.house.of(OPERATION_HOOKS)) addHooks(scope, service);
      for (const register of OPERATIONS) register(scope.withTypeProvider<TypesOfSchemas>(), service);
    });
  };
}

/** A route that will be removed, after a year at least. */
export type Deprecation = {
  /** The day from which new clients should not use it, UTC: `2027-01-31`. */
  readonly since: string;
  /** The first day it may be gone: at least a year later. */
  readonly sunset: string;
  /** The address in the change log that names the replacement. */
  readonly link: string;
};

/** By route: `'GET /v1/accounts/:address/rewards'`. Each has a line in the change log. */
export const DEPRECATIONS: Readonly<Record<string, Deprecation>> = {};

/** Adds the deprecation headers to every response of a deprecated route, refusals too (RFC 9745, RFC 8594). */
export function announceDeprecations(app: FastifyInstance, deprecations = DEPRECATIONS): void {
  const announced = new Map(
    Object.entries(deprecations).map(([route, deprecation]) => [route, headersOf(deprecation)]),
  );
  if (announced.size === 0) return;
  app.addHook('onRequest', async ({ method, routeOptions }, reply) => {
    const headers = announced.get(`${method === 'HEAD' ? 'GET' : method} ${routeOptions.url}`);
    if (headers) reply.headers(headers);
  });
}

function headersOf({ since, sunset, link }: Deprecation): Record<string, string> {
  return {
    deprecation: `@${Date.parse(since) / 1000}`,
    sunset: new Date(sunset).toUTCString(),
    link: `<${link}>; rel="deprecation"; type="text/html", <${link}>; rel="sunset"; type="text/html"`,
  };
}

/** The body is JSON, and not compressed. Without content it may be of any type. */
function parseBodies(app: FastifyInstance): void {
  app.addHook(
    'onRequest',
    atOnce(({ headers }, reply) => {
      const coding = headers['content-encoding'];
      if (coding === undefined || coding.toLowerCase() === 'identity') return;
      // RFC 9110, 15.5.16.
      reply.header('accept-encoding', 'identity');
      throw new Problem('unsupported-media-type', 'The body must not be compressed: send it without Content-Encoding.');
    }),
  );
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    parseJsonBody(body),
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => refuseUnlessEmpty(body));
}

/** An empty body passes with any type: `curl -d ''` sends one. */
function refuseUnlessEmpty(body: Buffer): undefined {
  if (body.length > 0) {
    throw new Problem('unsupported-media-type', 'The body must be JSON, sent as application/json.');
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** A number as JSON writes it. Group 1: the digits after the point; 2: the exponent. */
const NUMBER = /^-?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Missing from TypeScript's types: the reviver's third argument holds a primitive's source text. */
type ParseWithSource = (text: string, reviver: typeof checkValue) => unknown;

/** No call takes more values than a list of 1,000 lines has, and each is looked at several times. */
const MOST_VALUES = 8_000;
/** What other calls take is shorter. */
const SHORT_BYTES = 16_384;

/**
 * Parses a JSON body (RFC 8259); undefined for an empty one. Throws `malformed-json`, and `invalid-input` if it has too many values.
 *
 * A number that is not whole as written, but would be rounded to a whole one (`1.0000000000000000001`), becomes NaN, which
 * integer schemas refuse. Keys that reach into prototypes (`__proto__`, `constructor.prototype`) are refused at any depth.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (bytes.length > SHORT_BYTES && !hasFewValues(bytes)) {
    throw invalidInput('', `has more than ${MOST_VALUES} values, which no call takes`);
  }
  try {
    return (JSON.parse as ParseWithSource)(UTF8.decode(bytes), checkValue);
  } catch {
    // Bodies nested too deeply for the parser's stack end here too, with a RangeError.
    throw new Problem('malformed-json', 'The body is not valid JSON.');
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** `,`, `[` and `{`: at most one value follows each. */
const BEFORE_VALUES: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);

/** Counted before anything is parsed, which takes time for each value. */
function hasFewValues(bytes: Buffer): boolean {
  let isText = false;
  let count = 1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) i++;
    else if (!isText && BEFORE_VALUES.has(byte) && ++count > MOST_VALUES) return false;
  }
  return true;
}

function checkValue(key: string, value: unknown, { source = '' }: { readonly source?: string }): unknown {
  if (key === '__proto__' || (key === 'constructor' && isObject(value) && Object.hasOwn(value, 'prototype'))) {
    throw new SyntaxError('a forbidden key');
  }
  return typeof value === 'number' && Number.isInteger(value) && !isWhole(source) ? Number.NaN : value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether a JSON number is whole as written: `10`, `10.0`, `1.0E7`. The text must be a JSON number. */
function isWhole(text: string): boolean {
  const [, decimals = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  let significant = decimals.length;
  while (decimals[significant - 1] === '0') significant--;
  return significant <= Number(exponent);
}
