import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../../base/problems.ts';
import { basesOf } from '../../../../config/bases.ts';
import { issueKey, revokeKey, rotateKey } from '../../../../features/keys/keys.ts';
import { appIdOf, appPath } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { showApp } from '../../../../views/apps/show-app.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { keysPage, type RefusedKeyForm } from './keys-page.ts';
import { readNewKey } from './keys-section.ts';
import { type NewSecret, secretsPage } from './secrets-page.ts';

const PATH = '/developer/apps/:id/keys';

/**
 * GET /developer/apps/{id}/keys shows an app's keys, POST creates one, …/rotate creates a second one like the given one, …/revoke ends one. All need a fresh
 * sign-in, as a key moves quarters.
 */
export function keyRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get(PATH, async (request, reply, visitor) => sendKeysPage(service, request, reply, visitor, {}));
  visitors.post(PATH, { fresh: true, action: 'create a key' }, async (request, reply, visitor) => {
    const wanted = readNewKey(request.body);
    if ('refused' in wanted) {
      return sendKeysPage(service, request, reply.code(400), visitor, { newKey: wanted.refused });
    }
    return showNewKey(service, request, reply, visitor, async () => ({
      kind: wanted.kind,
      scopes: wanted.kind === 'server' ? wanted.scopes : [],
      secret: await issueKey(service, asDeveloper(visitor.session), appIdOf(request), wanted),
    }));
  });
  visitors.post(
    `${PATH}/rotate`,
    { fresh: true, action: 'replace a key', back: keysOf },
    async (request, reply, visitor) =>
      showNewKey(service, request, reply, visitor, () =>
        rotateKey(service, asDeveloper(visitor.session), appIdOf(request), parameter(request.body, 'key') ?? ''),
      ),
  );
  visitors.post(
    `${PATH}/revoke`,
    { fresh: true, action: 'revoke a key', back: keysOf },
    async (request, reply, { session }) => {
      await revokeKey(service, asDeveloper(session), appIdOf(request), parameter(request.body, 'key') ?? '');
      return reply.redirect(keysOf(request), 303);
    },
  );
}

function keysOf(request: FastifyRequest): string {
  return `${appPath(request)}/keys`;
}

/** `refused`: what a refused form leaves on the page. */
async function sendKeysPage(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  refused: RefusedKeyForm,
): Promise<FastifyReply> {
  const own = await showApp(service, asDeveloper(session), appIdOf(request));
  return sendConsolePage(reply, keysPage({ ...own, csrf, house: service.house, refused }));
}

/** Creates a key and shows its secret. If there are already two, the page of keys says so. */
async function showNewKey(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  create: () => Promise<NewSecret>,
): Promise<FastifyReply> {
  try {
    const secret = await create();
    const { app, address } = await showApp(service, asDeveloper(visitor.session), appIdOf(request));
    const title = secret.kind === 'server' ? 'Your new server API key' : 'Your new client secret';
    const bases = basesOf(service.settings, service.publicUrl);
    return await sendConsolePage(reply, secretsPage({ title, app, address, secrets: [secret], bases }));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'limit-reached') throw error;
    return sendKeysPage(service, request, reply.code(error.status), visitor, { notice: error.message });
  }
}
