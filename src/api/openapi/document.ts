import type { FastifyInstance } from 'fastify';
import { en } from '../../../words/en.ts';
import type { Json } from '../../base/json.ts';
import { PROBLEMS, Problem, type ProblemCode } from '../../base/problems.ts';
import { type Bases, basesOf } from '../../config/bases.ts';
import { RELEASE } from '../../config/release.ts';
import { problemBody } from '../../http/problems.ts';
import type { Scope } from '../../identity/callers.ts';
import type { Service } from '../../service/service.ts';
import { type DescribedRoute, TAGS } from '../describe/describe.ts';
import { ProblemOut } from '../schemas/problem.ts';
import { WebhookMessage } from '../schemas/webhook.ts';
import { COMMON_HEADERS, HEADER_PARAMETERS } from './headers.ts';
import { exampleOf, NamedSchemas } from './named-schemas.ts';
import { pathsOf } from './paths.ts';

/** Serves the description to tools of any origin: `GET /openapi.json`. */
export function openApi(document: Json) {
  return async (app: FastifyInstance): Promise<void> => {
    const text = JSON.stringify(document);
    app.get('/openapi.json', (_request, reply) =>
      reply
        .headers({
          'content-type': 'application/json; charset=utf-8',
          'access-control-allow-origin': '*',
          'cache-control': 'no-cache',
          'x-content-type-options': 'nosniff',
        })
        .send(text),
    );
  };
}

/**
 * The API's description, OpenAPI 3.1, made from the schemas that validate the input and write the responses. We use our own
 * generator instead of `@fastify/swagger`: it derives problems, credentials and named types from the routes, so that nothing is
 * declared twice.
 */
export function openApiDocument(routes: readonly DescribedRoute[], { settings, publicUrl: origin }: Service): Json {
  const bases = basesOf(settings, origin);
  const named = new NamedSchemas();
  const problem = named.print(JSON.parse(JSON.stringify(ProblemOut)));
  const paths = pathsOf(routes, bases, named, problem);
  const webhooks = { event: { post: eventWebhook(named.print(JSON.parse(JSON.stringify(WebhookMessage)))) } };
  const used = JSON.stringify(paths);
  const isUsed = ([name]: [string, unknown]) => used.includes(`/${name}"`);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Quarters',
      // Of the release. The API is version 1 and only gets additions.
      version: RELEASE.version,
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: bases.api }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: named.all,
      parameters: Object.fromEntries(Object.entries(HEADER_PARAMETERS).filter(isUsed)),
      headers: COMMON_HEADERS,
      examples: Object.fromEntries(Object.keys(PROBLEMS).map(problemExample).filter(isUsed)),
      securitySchemes: securitySchemes(bases, origin),
    },
  };
}

const ABOUT = `The JSON API of Quarters, a game currency on Ethereum.

Amounts are whole numbers of quarters. The response to a transfer is sent once the transfer is irrevocable: signed, stored and
committed. Its \`txId\` is the hash of its Ethereum transaction, known before the transaction is sent.

Every response says how many calls are left: \`RateLimit-Policy\` and \`RateLimit\`. Over the limit you get 429 with \`Retry-After\`.

Unknown fields in a body are ignored. A field that is \`null\` or \`""\` is absent, and so is an optional number that is 0 and must not be:
serializers of game engines write these. An unknown path gets 404, an unsupported method 405 with \`Allow\`. Clients should ignore
unknown fields: responses under \`/v1\` may get new ones.`;

function problemExample(name: string): [string, Json] {
  const code = name as ProblemCode;
  const faults =
    code === 'invalid-input' ? [{ pointer: '/user', detail: "must be a user's id, 28 letters and digits" }] : [];
  const sentence = faults.map(({ detail }) => `user ${detail}.`)[0] ?? `${PROBLEMS[code].title}.`;
  return [code, { summary: PROBLEMS[code].title, value: problemBody(new Problem(code, sentence, faults)) }];
}

/** A webhook, sent to an app's endpoint (Standard Webhooks). */
function eventWebhook(message: Json): Json {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  });
  return {
    operationId: 'receiveEvent',
    tags: ['Events'],
    summary: "Receive an event at an app's endpoint",
    description:
      'Retried for three days until the response is 2xx. Events may arrive more than once, and out of order.',
    security: [],
    parameters: [
      header('webhook-id', 'The id of the event, the same for every attempt.'),
      header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.'),
      header(
        'webhook-signature',
        '`v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, joined by full stops.',
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: message, example: exampleOf(JSON.parse(JSON.stringify(WebhookMessage))) },
      },
    },
    responses: { '2XX': { description: 'The event was received.' } },
  };
}

function securitySchemes({ api }: Bases, origin: string): Json {
  const token = `${api}/v1/oauth/token`;
  return {
    accessToken: {
      type: 'oauth2',
      description:
        'The access token of a signed-in player: authorization code with PKCE (S256). It is valid for an hour. ' +
        'Errors of the OAuth endpoints have the form of RFC 6749, section 5.2.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${origin}/oauth/authorize`,
          tokenUrl: token,
          refreshUrl: token,
          scopes: en.consent.scopes satisfies Record<Scope, string>,
        },
      },
    },
    guestToken: { type: 'http', scheme: 'bearer', description: "A guest's access token. It has all scopes." },
    serverKey: {
      type: 'http',
      scheme: 'bearer',
      description: "An app's server API key. You choose its scopes when you create it.",
    },
  };
}
