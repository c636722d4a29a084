import type { FastifyInstance } from 'fastify';
import type { RefuseMethod } from '../http/methods.ts';
import type { Service } from '../service/service.ts';
import { api } from './api.ts';
import { recordOperations } from './describe/describe.ts';
import { openApi, openApiDocument } from './openapi/document.ts';

/** Registers the API under `/v1`, and its description, which the documents for people are made of too. */
export async function registerApi(app: FastifyInstance, service: Service, refuseMethod: RefuseMethod): Promise<void> {
  const operations = recordOperations(app);
  await app.register(api(service, refuseMethod), { prefix: '/v1' });
  const document = openApiDocument(operations, service);
  app.decorate('apiDescription', document);
  await app.register(openApi(document));
}
