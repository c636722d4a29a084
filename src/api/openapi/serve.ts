import type { FastifyInstance } from 'fastify';
import { basesOf } from '../../config/bases.ts';
import type { Service } from '../../settlement/service.ts';
import { sendPage } from '../../web/send-page.ts';
import { referencePage } from '../reference/reference-page.ts';
import { openApiDocument } from './document.ts';
import type { DescribedRoute } from './operations.ts';

/** Serves the description of the routes registered so far: `GET /openapi.json` for tools of any origin, `GET /docs` for people. */
export function openApi({ settings, publicUrl }: Service, routes: readonly DescribedRoute[]) {
  return async (app: FastifyInstance): Promise<void> => {
    const document = openApiDocument(routes, basesOf(settings, publicUrl), publicUrl);
    const text = JSON.stringify(document);
    const page = referencePage(document);
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
    app.get('/docs', (_request, reply) => sendPage(reply, page));
  };
}
