import { PROBLEMS, Problem, type ProblemCode } from '../../base/problems.ts';
import type { Bases } from '../../config/bases.ts';
import { SCOPES } from '../../identity/scopes.ts';
import { TAGS } from '../api/describe.ts';
import { WebhookMessage } from '../api/events.ts';
import { ProblemOut } from '../problem-shape.ts';
import { problemBody } from '../problems.ts';
import { exampleOf } from './example.ts';
import { COMMON_HEADERS, HEADER_PARAMETERS } from './headers.ts';
import type { Json } from './json.ts';
import { NamedSchemas } from './named-schemas.ts';
import type { DescribedRoute } from './operations.ts';
import { pathsOf } from './paths.ts';

/**
 * The API's description, OpenAPI 3.1, made of the very schemas that validate the input and write the answers. Our own
 * generator and not `@fastify/swagger`: problems, credentials and named types come out of what the routes are, without a
 * second telling.
 */
export function openApiDocument(routes: readonly DescribedRoute[], bases: Bases, origin: string): Json {
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
      // The version of the interface: /v1 only grows.
      version: '1',
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

const ABOUT = `The JSON API of Quarters: a game currency that lives on Ethereum.

Amounts are whole numbers of quarters. A transfer is answered when it is irrevocable: signed, stored and committed; its \`txId\` is the
hash of its Ethereum transaction, known before it is sent.

Every answer says how many more calls are allowed now: \`RateLimit-Policy\` and \`RateLimit\`. Beyond that it is 429 with \`Retry-After\`.

Unknown fields of a body are ignored. An unknown path is 404, another method 405 with \`Allow\`. Clients ignore fields they do not know:
under \`/v1\` answers may get more of them.`;

function problemExample(name: string): [string, Json] {
  const code = name as ProblemCode;
  const faults =
    code === 'invalid-input' ? [{ pointer: '/user', detail: "must be a user's id, 28 letters and digits" }] : [];
  const sentence = faults.map(({ detail }) => `user ${detail}.`)[0] ?? `${PROBLEMS[code].title}.`;
  return [code, { summary: PROBLEMS[code].title, value: problemBody(new Problem(code, sentence, faults)) }];
}

/** What the service sends to an app's endpoint: Standard Webhooks. */
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
    summary: "An event, sent to an app's endpoint",
    description:
      'Tried for three days until it is answered with 2xx. It may come more than once, and in another order.',
    security: [],
    parameters: [
      header('webhook-id', 'The id of the event, the same at every attempt.'),
      header('webhook-timestamp', 'Seconds since 1970, of this attempt.'),
      header(
        'webhook-signature',
        '`v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, with points between.',
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: message, example: exampleOf(JSON.parse(JSON.stringify(WebhookMessage))) },
      },
    },
    responses: { '2XX': { description: 'It has arrived.' } },
  };
}

function securitySchemes({ api }: Bases, origin: string): Json {
  const token = `${api}/v1/oauth/token`;
  return {
    accessToken: {
      type: 'oauth2',
      description:
        'The access token of a player who has signed in: authorization code with PKCE (S256). It lives an hour. ' +
        'Errors of the OAuth endpoints have a form of their own (RFC 6749, section 5.2).',
      flows: {
        authorizationCode: {
          authorizationUrl: `${origin}/oauth/authorize`,
          tokenUrl: token,
          refreshUrl: token,
          scopes: SCOPES,
        },
      },
    },
    guestToken: { type: 'http', scheme: 'bearer', description: "A guest's access token. It has all scopes." },
    serverKey: {
      type: 'http',
      scheme: 'bearer',
      description: "An app's server API key. Its scopes are chosen when it is made.",
    },
  };
}
