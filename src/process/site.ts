import type { FastifyInstance } from 'fastify';
import { registerApi } from '../api/register-api.ts';
import type { Counting } from '../http/process-counts.ts';
import { type AnswerVisit, createHttpServer } from '../http/server.ts';
import { registerPages } from '../pages/pages.ts';
import type { Service } from '../service/service.ts';
import { messageForError } from '../web/message-page.ts';
import { failureOf } from '../web/page-scope.ts';
import { decorateWords, readersWords } from '../web/readers-words.ts';
import { sendMessage } from '../web/send-page.ts';
import { openShell } from '../web/shell.ts';

/** The HTTP server with all that it serves. It does not listen yet. `counting`: what `/metrics` shows of other workers. */
export async function createSite(service: Service, counting?: Counting): Promise<FastifyInstance> {
  const app = await createApiSite(service, counting);
  await registerPages(app, service);
  return app;
}

/** The same without pages. */
export async function createApiSite(service: Service, counting?: Counting): Promise<FastifyInstance> {
  const { app, refuseMethod } = await createHttpServer(service, answerVisit(service), counting);
  app.decorate('shell', openShell(service.settings, service.publicUrl, service.house));
  decorateWords(app, service);
  await registerApi(app, service, refuseMethod);
  return app;
}

function answerVisit(service: Service): AnswerVisit {
  return (thrown, request, reply) => {
    // The framework decorates no request whose address it cannot read.
    const { headers } = request;
    if (!('words' in request)) Object.assign(request, { words: readersWords(service, { headers, parameters: [] }) });
    const { error, status } = failureOf(service, thrown, request, reply);
    // An address that cannot be read leads nowhere either.
    return sendMessage(request, reply, messageForError(request.words, error, status === 400 ? 404 : status), []);
  };
}
