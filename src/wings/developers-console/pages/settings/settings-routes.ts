import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../../base/problems.ts';
import { requestAutoApproval } from '../../../../features/apps/auto-approval.ts';
import { updateApp } from '../../../../features/apps/update-app.ts';
import { MAX_PICTURE_BYTES } from '../../../../identity/app-pictures.ts';
import { appIdOf, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { appFor, asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { catchInvalidInput } from '../../../../web/page-scope.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import { isFresh, type SignedInRoutes, signedIn, signedInBeforeBody, type Visitor } from '../../../../web/visitor.ts';
import { addFormPage, type FormOutcome, type SentForm } from '../page-forms.ts';
import { detailErrors, readDetails } from './app-form.ts';
import { type RefusedForm, settingsPage } from './settings-page.ts';

const SETTINGS = '/developer/apps/:id/settings';
const PICTURE = `${SETTINGS}/picture`;

/**
 * GET /developer/apps/{id}/settings shows what can be changed, POST changes the details, …/auto-approval requests auto approval,
 * …/picture/remove removes the picture.
 */
export function settingsRoutes(visitors: SignedInRoutes, service: Service): void {
  addFormPage<RefusedForm>(visitors, service, {
    path: SETTINGS,
    at: settingsOf,
    show: sendSettings,
    refusal(problem, body) {
      const given = readDetails(body);
      const details = { given, errors: detailErrors(problem, given) };
      return problem.code === 'invalid-input' ? { refused: { details } } : null;
    },
    forms: {
      // Needs a fresh sign-in: a new redirect address could receive players' codes.
      '': {
        action: 'change the details of your app',
        act: (form) => update(form, readDetails(form.body)),
      },
      'auto-approval': {
        action: 'request auto approval',
        fresh: false,
        act: ({ by, appId }) => requestAutoApproval(service, by, appId),
      },
      'picture/remove': {
        action: 'remove the picture of your app',
        act: (form) => update(form, { picture: null }),
      },
    },
  });
}

async function update({ service, by, appId, request }: SentForm, change: Parameters<typeof updateApp>[3]) {
  await updateApp(service, by, appId, change);
  return savedAt(request);
}

async function sendSettings(
  service: Service,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  { refused = {} }: FormOutcome<RefusedForm>,
) {
  const { request } = reply;
  const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
  const saved = parameter(request.query, 'saved') === 'true';
  const confirmed = parameter(request.query, 'confirmed') === 'true' && isFresh(session);
  return sendConsolePage(reply, settingsPage({ app, csrf, fresh: isFresh(session), saved, confirmed, refused }));
}

function settingsOf(request: FastifyRequest): string {
  return `${pathOfApp(appIdOf(request))}/settings`;
}

function savedAt(request: FastifyRequest): string {
  return `${settingsOf(request)}?saved=true`;
}

/** Where somebody chooses a picture after confirming who they are: the file itself is not kept. */
function toPicture(request: FastifyRequest): string {
  return `${settingsOf(request)}?confirmed=true`;
}

/** POST …/settings/picture sets the app's picture. Needs a fresh sign-in. */
export async function pictureRoutes(pages: FastifyInstance, service: Service): Promise<void> {
  const set = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const refuse = (picture: string) => sendSettings(service, reply.code(400), visitor, { refused: { picture } });
    const file = fileIn(request.body);
    if (!file) return refuse('Choose a file.');
    const refusal = await catchInvalidInput(() =>
      updateApp(service, asDeveloper(visitor.session), appIdOf(request), { picture: file }),
    );
    return refusal ? refuse(`The picture ${refusal.faults[0]?.detail}.`) : reply.redirect(savedAt(request), 303);
  };

  await pages.register(async (scope) => {
    await readPictureForms(scope);
    // The address bar shows this path while a refused form is shown. Loading it by hand gives the settings.
    scope.get(PICTURE, { config: { isUnlisted: true } }, (request, reply) => reply.redirect(settingsOf(request), 303));
    const onRequest = signedInBeforeBody(service, toPicture, { fresh: true });
    scope.post(PICTURE, { onRequest }, signedIn(service, set, { fresh: true }));
  });
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
