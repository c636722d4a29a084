import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { asDeveloper } from '../../features/apps/managers.ts';
import { updateApp } from '../../features/apps/update-app.ts';
import { MAX_PICTURE_BYTES } from '../../identity/app-pictures.ts';
import type { Service } from '../../settlement/service.ts';
import { signedIn, signedInBeforeBody, type Visitor } from '../../web/visitor.ts';
import { appIdOf, appPath, sendAppPage } from './app-routes.ts';

/** One byte above the limit shows that a file is too large; the rest of it is discarded as it arrives. */
const LIMITS = { fileSize: MAX_PICTURE_BYTES + 1, files: 1, fields: 4, parts: 5, fieldSize: 2048, headerPairs: 20 };

/**
 * Reads forms with a file (RFC 7578) in this scope: text fields as strings, files as Buffers. A malformed form throws `invalid-input`,
 * and one with too many parts throws `body-too-large`: any error of the parser is a fault of the input.
 */
async function readPictureForms(scope: FastifyInstance): Promise<void> {
  await scope.register(multipart, { limits: LIMITS, throwFileSizeLimit: false });
  // The plugin's own reading of all parts is not used: its errors could not be told from ours.
  scope.addHook('preValidation', async (request) => {
    if (request.isMultipart()) request.body = await readParts(request);
  });
}

async function readParts(request: FastifyRequest): Promise<Record<string, string | Buffer>> {
  const fields: [string, string | Buffer][] = [];
  try {
    for await (const part of request.parts()) {
      const value = part.type === 'file' ? await part.toBuffer() : part.value;
      if (typeof value === 'string' || Buffer.isBuffer(value)) fields.push([part.fieldname, value]);
    }
  } catch (error) {
    const isTooMuch = (error as { statusCode?: unknown }).statusCode === 413;
    throw isTooMuch
      ? new Problem('body-too-large', 'The form has too many parts.')
      : new Problem('invalid-input', 'The form cannot be read.');
  }
  return Object.fromEntries(fields);
}

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
            await updateApp(service, asDeveloper(visitor.session), appIdOf(request), { picture: file });
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
        await updateApp(service, asDeveloper(session), appIdOf(request), { picture: null });
        return reply.redirect(`${appPath(request)}?saved=true`, 303);
      },
      { fresh: true },
    ),
  );
  backToApp(pages, `${PATH}/remove`);

  function refuse(request: FastifyRequest, reply: FastifyReply, visitor: Visitor, picture: string) {
    return sendAppPage(service, request, reply.code(400), visitor, { picture });
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
