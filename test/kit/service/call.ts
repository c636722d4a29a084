import assert from 'node:assert/strict';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { InputFault, ProblemCode } from '../../../src/base/problems.ts';
import { STATUS } from '../../../src/requests/requests.ts';
import type { Service } from '../../../src/service/service.ts';

type Call = {
  token?: string;
  /** Sent as JSON. */
  body?: object;
  /** Sent unchanged. */
  text?: string | Buffer;
  headers?: Record<string, string>;
};

/** One call of the API: `call(app, 'POST /v1/new-guest', { token })`. */
export async function call(
  app: FastifyInstance,
  what: string,
  { token, body, text, headers = {} }: Call = {},
): Promise<LightMyRequestResponse> {
  const [method, url] = what.split(' ') as ['GET', string];
  const payload = text ?? (body && JSON.stringify(body));
  const options: InjectOptions = {
    method,
    url,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(payload !== undefined && { 'content-type': 'application/json;charset=UTF-8' }),
      ...headers,
    },
    ...(payload !== undefined && { payload }),
  };
  return app.inject(options);
}

type ProblemAnswer = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  message: string;
  errors?: InputFault[];
};

/** Asserts that a response is exactly this problem, without internal details. Returns its body. */
export function assertProblem(answer: LightMyRequestResponse, status: number, code: ProblemCode): ProblemAnswer {
  assert.equal(`${answer.statusCode} ${JSON.parse(answer.body).code}`, `${status} ${code}`, answer.body);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  const problem = answer.json<ProblemAnswer>();
  const fields = ['type', 'title', 'status', 'detail', 'code', 'message'];
  assert.deepEqual(Object.keys(problem), code === 'invalid-input' ? [...fields, 'errors'] : fields);
  assert.equal(problem.type, `urn:quarters:problem:${code}`);
  assert.equal(problem.status, status);
  assert.equal(problem.message, problem.detail);
  for (const text of [problem.title, problem.detail]) assert.match(text, /^[A-Z\w].{5,}/);
  assert.doesNotMatch(answer.body, /FST_|fastify|ajv|node_modules|\.ts\b|SELECT|stack/i);
  return problem;
}

/** Asserts invalid input with exactly these pointers, each with a reason. */
export function assertInvalid(answer: LightMyRequestResponse, ...pointers: string[]): ProblemAnswer {
  const problem = assertProblem(answer, 400, 'invalid-input');
  assert.deepEqual(problem.errors?.map(({ pointer }) => pointer).sort(), pointers.sort());
  for (const { detail } of problem.errors ?? []) assert.ok(detail.length > 5, detail);
  return problem;
}

/** Runs `work` and asserts that it moved, held and stored nothing. */
export async function assertNothingMoves(service: Service, work: () => Promise<void>): Promise<void> {
  const state = async () => ({
    accounts: await service.db.query('SELECT address, posted, held FROM accounts ORDER BY address'),
    // A request past its time is expired, whenever a job records it.
    requests: await service.db.query(`SELECT id, ${STATUS} AS status FROM requests ORDER BY id`),
    transfers: await service.db.query('SELECT id, status FROM transfers ORDER BY id'),
    transactions: await service.db.query('SELECT hash FROM transactions ORDER BY hash'),
  });
  const before = await state();
  await work();
  assert.deepEqual(await state(), before);
}
