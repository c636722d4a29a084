import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { changePicture } from '../../features/apps/change-picture.ts';
import type { Service } from '../../settlement/service.ts';
import { signedIn, signedInBeforeBody, type Visitor } from '../../web/visitor.ts';
import { appIdOf, appPath, showApp } from './app-routes.ts';
import { readPictureForms } from './picture-form.ts';

const PATH = '/developer/apps/:id/picture';

/** POST /developer/apps/{id}/picture sets the app's picture, …/remove removes it. Both need a fresh sign-in. */
export async function pictureRoutes(pages: FastifyInstance, service: Service): Promise<void> {
  await pages.register(async (scope) => {
    await readPictureForms(scope);
    backToApp(scope, PATH);
    scope.post(
      PATH,
      { onRequest: signedInBeforeBody(service, appPath, { fresh: true }) },
      signedIn(
        service,
        async (request, reply, visitor) => {
          const file = fileIn(request.body);
          if (!file) return refuse(request, reply, visitor, 'Choose a file.');
          try {
            await changePicture(service, visitor.session, appIdOf(request), file);
          } catch (error) {
            if (!(error instanceof Problem) || error.code !== 'invalid-input') throw error;
            return refuse(request, reply, visitor, `The picture ${error.faults[0]?.detail}.`);
          }
          return reply.redirect(`${appPath(request)}?saved=true`, 303);
        },
        { fresh: true },
      ),
    );
  });
  pages.post(
    `${PATH}/remove`,
    signedIn(
      service,
      async (request, reply, { session }) => {
        await changePicture(service, session, appIdOf(request), null);
        return reply.redirect(`${appPath(request)}?saved=true`, 303);
      },
      { fresh: true },
    ),
  );
  backToApp(pages, `${PATH}/remove`);

  function refuse(request: FastifyRequest, reply: FastifyReply, visitor: Visitor, picture: string) {
    return showApp(service, request, reply.code(400), visitor, { picture });
  }
}

/** The address bar shows this path while a refused form is shown. Loading it by hand gives the app’s page. */
function backToApp(scope: FastifyInstance, path: string): void {
  scope.get(path, { config: { isUnlisted: true } }, (request, reply) => reply.redirect(appPath(request), 303));
}

/** Null: the form has no file. */
function fileIn(body: unknown): Buffer | null {
  const file = (body as Readonly<Record<string, unknown>> | null)?.picture;
  return Buffer.isBuffer(file) && file.length > 0 ? file : null;
}
