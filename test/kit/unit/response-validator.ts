import assert from 'node:assert/strict';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { type Answer, answerOf, type Description, describedBy } from './description.ts';

const faultsOf = new WeakMap<FastifyInstance, Set<string>>();
let validate: ((answer: Answer) => string | null) | undefined;

/** Compares every answer of the API with its description, by `inject` and over HTTP, for {@link assertAsDescribed}. */
export async function validateResponses(app: FastifyInstance): Promise<void> {
  const inject = app.inject.bind(app);
  // The schemas are the same for all services of this process.
  validate ??= describedBy((await inject('/openapi.json')).json<Description>());
  const faults = new Set<string>();
  faultsOf.set(app, faults);
  const see = (answer: Answer) => {
    const fault = isOfApi(answer) && validate!(answer);
    if (fault && faults.size < 5) faults.add(fault);
  };
  app.inject = (async (what: InjectOptions | string) => {
    const answer = await inject(what);
    see(answerOf(answer));
    return answer;
  }) as typeof app.inject;
  app.server.prependListener('request', ({ method = '', url = '' }, response: ServerResponse) => {
    if (isOfApi({ method, url })) watch(response, (answer) => see({ method, url, ...answer }));
  });
}

/** Asserts that all answers since the last call were as described. */
export function assertAsDescribed(app: FastifyInstance): void {
  const faults = [...(faultsOf.get(app) ?? [])];
  faultsOf.get(app)?.clear();
  assert.deepEqual(faults, [], 'answers that do not match their description');
}

/** Passes on what is sent over HTTP; the framework sends the API's answers in one piece. */
function watch(response: ServerResponse, see: (answer: Omit<Answer, 'method' | 'url'>) => void): void {
  const { writeHead, end } = response;
  let headers: Answer['headers'] = {};
  const methods = {
    writeHead(this: ServerResponse, status: number, sent: OutgoingHttpHeaders) {
      headers = { ...this.getHeaders(), ...sent };
      return writeHead.call(this, status, sent);
    },
    end(this: ServerResponse, ...all: Parameters<typeof end>) {
      see({ status: this.statusCode, headers, body: String(all[0] ?? '') });
      return end.apply(this, all);
    },
  };
  Object.assign(response, methods);
}

/** OAuth's endpoint keeps OAuth's format (RFC 6749), and OPTIONS is left to CORS. */
export function isOfApi({ method, url }: Pick<Answer, 'method' | 'url'>): boolean {
  return url.startsWith('/v1/') && !url.startsWith('/v1/oauth/') && method !== 'OPTIONS';
}
