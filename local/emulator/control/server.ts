import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { currentContext, withContext } from '../../../src/base/log.ts';
import { Problem } from '../../../src/base/problems.ts';
import { COMPILERS } from '../../../src/http/compilers.ts';
import type { Emulator } from '../emulator.ts';
import { Refused } from '../refused.ts';
import type { Control } from './control.ts';
import { CONTROLS } from './controls.ts';
import { BASE, describeControls } from './description.ts';
import { addPage } from './page.ts';

/** What answers programs that control the emulator, on a loopback port of its own. */
export type ControlServer = { readonly url: string; readonly token: string; close(): Promise<void> };

/** Opens it. `port` 0: a free one. Each operation waits for the one before. */
export async function openControl(emulator: Emulator, port: number): Promise<ControlServer> {
  const token = randomBytes(24).toString('base64url');
  const server = Fastify({
    forceCloseConnections: true,
    schemaController: { compilersFactory: COMPILERS },
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
  });
  addPage(server);
  server.setNotFoundHandler(notFound);
  await server.register(async (scope) => addControls(scope, emulator, token), { prefix: BASE });
  await server.listen({ host: '127.0.0.1', port });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  return { url, token, close: () => server.close() };
}

function addControls(scope: FastifyInstance, emulator: Emulator, token: string): void {
  const expected = Buffer.from(`Bearer ${token}`);
  scope.addHook('onRequest', async (request, reply) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    if (given.length === expected.length && timingSafeEqual(given, expected)) return;
    return reply
      .status(401)
      .send({ code: 'token-invalid', message: 'Use the token of the start line as a bearer token.' });
  });
  scope.setNotFoundHandler(notFound);
  scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const { status, code } = outcomeOf(error);
    void reply.status(status).send({ code, message: error.message });
  });
  // A client that has nothing to say may still name a type.
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, {});
    try {
      done(null, JSON.parse(String(text)));
    } catch {
      done(Object.assign(new Error('The body is not JSON.'), { statusCode: 400 }));
    }
  });
  scope.get('/openapi.json', () => describeControls());
  const inTurn = oneAfterTheOther();
  for (const control of CONTROLS)
    addControl(scope, control, (input) => inTurn(async () => control.run(emulator, input as never)));
}

function addControl(
  scope: FastifyInstance,
  { method, path, input }: Control,
  run: (input: object) => Promise<object | undefined>,
): void {
  scope.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    ...(input && { schema: { body: input } }),
    preValidation: async (request) => {
      if (input) request.body ??= {};
    },
    handler: async (request, reply) => {
      // What an operation notes of its caller is of no other.
      const context = { ...currentContext() };
      const result = await withContext(context, () =>
        run({ ...(request.body as object), ...(request.params as object) }),
      );
      return result === undefined ? reply.status(204).send() : reply.send(result);
    },
  });
}

function notFound(_request: FastifyRequest, reply: FastifyReply): void {
  void reply.status(404).send({ code: 'not-found', message: `No operation is here. See ${BASE}/openapi.json.` });
}

function outcomeOf(error: Error & { statusCode?: number }): { status: number; code: string } {
  if (error instanceof Problem) return { status: error.status, code: error.code };
  if (error instanceof Refused) return { status: 409, code: 'refused' };
  return error.statusCode === undefined
    ? { status: 500, code: 'internal' }
    : { status: error.statusCode, code: 'invalid-input' };
}

function oneAfterTheOther() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
