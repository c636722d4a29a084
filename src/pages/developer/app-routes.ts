import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { requestAutoApproval } from '../../features/apps/auto-approval.ts';
import { asDeveloper } from '../../features/apps/managers.ts';
import { showApp } from '../../features/apps/show-app.ts';
import { updateApp } from '../../features/apps/update-app.ts';
import { MAX_PICTURE_BYTES } from '../../identity/app-pictures.ts';
import type { Service } from '../../settlement/service.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, signedInBeforeBody, type Visitor } from '../../web/visitor.ts';
import { detailErrors, readDetails } from './app-form.ts';
import { appPage, type RefusedForm } from './app-page.ts';
import { appIdOf, appPath, sendDeveloperPage } from './developer-page.ts';

const APP = '/developer/apps/:id';
const PICTURE = `${APP}/picture`;

/** GET /developer/apps/{id} shows an app, POST changes its details, and …/auto-approval requests auto approval. */
export function appRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    APP,
    signedIn(service, async (request, reply, visitor) => sendAppPage(service, request, reply, visitor, {})),
  );
  pages.post(
    APP,
    // Needs a fresh sign-in: a new redirect address could receive players' codes.
    signedIn(
      service,
      async (request, reply, visitor) => {
        const given = readDetails(request.body);
        const refusal = await catchInvalidInput(() =>
          updateApp(service, asDeveloper(visitor.session), appIdOf(request), given),
        );
        if (refusal) {
          const details = { given, errors: detailErrors(refusal, given) };
          return sendAppPage(service, request, reply.code(refusal.status), visitor, { details });
        }
        return showSaved(request, reply);
      },
      { fresh: true },
    ),
  );
  pages.post(
    `${APP}/auto-approval`,
    signedIn(service, async (request, reply, { session }) => {
      await requestAutoApproval(service, asDeveloper(session), appIdOf(request));
      return reply.redirect(appPath(request), 303);
    }),
  );
}

/** Shows the app's page. `refused`: what a refused form leaves on it. */
export async function sendAppPage(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  refused: RefusedForm,
): Promise<FastifyReply> {
  const own = await showApp(service, asDeveloper(session), appIdOf(request));
  const saved = parameter(request.query, 'saved') === 'true';
  return sendDeveloperPage(reply, appPage({ ...own, csrf, saved, refused }));
}

function showSaved(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.redirect(`${appPath(request)}?saved=true`, 303);
}

/** POST /developer/apps/{id}/picture sets the app's picture, …/remove removes it. Both need a fresh sign-in. */
export async function pictureRoutes(pages: FastifyInstance, service: Service): Promise<void> {
  const set = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const refuse = (picture: string) => sendAppPage(service, request, reply.code(400), visitor, { picture });
    const file = fileIn(request.body);
    if (!file) return refuse('Choose a file.');
    const refusal = await catchInvalidInput(() =>
      updateApp(service, asDeveloper(visitor.session), appIdOf(request), { picture: file }),
    );
    return refusal ? refuse(`The picture ${refusal.faults[0]?.detail}.`) : showSaved(request, reply);
  };
  const remove = async (request: FastifyRequest, reply: FastifyReply, { session }: Visitor) => {
    await updateApp(service, asDeveloper(session), appIdOf(request), { picture: null });
    return showSaved(request, reply);
  };

  await pages.register(async (scope) => {
    await readPictureForms(scope);
    backToApp(scope, PICTURE);
    const onRequest = signedInBeforeBody(service, appPath, { fresh: true });
    scope.post(PICTURE, { onRequest }, signedIn(service, set, { fresh: true }));
  });
  pages.post(`${PICTURE}/remove`, signedIn(service, remove, { fresh: true }));
  backToApp(pages, `${PICTURE}/remove`);
}

/** The address bar shows this path while a refused form is shown. Loading it by hand gives the app's page. */
function backToApp(scope: FastifyInstance, path: string): void {
  scope.get(path, { config: { isUnlisted: true } }, (request, reply) => reply.redirect(appPath(request), 303));
}

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

/** Null: the form has no file. */
function fileIn(body: unknown): Buffer | null {
  const file = (body as Readonly<Record<string, unknown>> | null)?.picture;
  return Buffer.isBuffer(file) && file.length > 0 ? file : null;
}
