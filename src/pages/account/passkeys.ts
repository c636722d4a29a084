import type { FastifyInstance } from 'fastify';
import { addPasskey, offerPasskey } from '../../features/credentials/add-passkey.ts';
import { removePasskey } from '../../features/credentials/remove-passkey.ts';
import { removePasskeys } from '../../features/credentials/remove-passkeys.ts';
import { listPasskeys } from '../../identity/passkeys.ts';
import type { Service } from '../../settlement/service.ts';
import { gameText } from '../../web/game-text.ts';
import { pageHeaders } from '../../web/headers.ts';
import { parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send.ts';
import { safeReturn, signedIn } from '../../web/visitor.ts';
import { answerOf } from '../sign-in/json-scope.ts';
import { changed, noticeOf } from './account-frame.ts';
import { PASSKEYS_PATH, passkeysPage, REMOVE_ALL_PATH } from './passkeys-page.ts';

/** Lists a user's passkeys, and removes one or all. Changing what protects an account requires a fresh sign-in. */
export function passkeyPageRoutes(server: FastifyInstance, service: Service): void {
  const fresh = { fresh: true };

  server.get(
    PASSKEYS_PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        reply.headers(pageHeaders({ frameAncestors: [], passkeys: true }));
        const passkeys = await listPasskeys(service.db, visitor.user.id);
        return sendPage(reply, passkeysPage(visitor, noticeOf(request), passkeys));
      },
      fresh,
    ),
  );

  server.post(
    `${PASSKEYS_PATH}/remove`,
    signedIn(
      service,
      async (request, reply, { user, session }) => {
        await removePasskey(service, user, session, parameter(request.body, 'id') ?? '');
        return reply.redirect(PASSKEYS_PATH, 303);
      },
      fresh,
    ),
  );

  server.post(
    REMOVE_ALL_PATH,
    signedIn(
      service,
      async (request, reply, { user, session }) => {
        await removePasskeys(service, user, session);
        return changed(reply, 'passkeys', safeReturn(parameter(request.body, 'page'), service.publicUrl));
      },
      fresh,
    ),
  );
}

/** The script of the same page gets the options for a new passkey, and sends the one that was made. JSON in, JSON out. */
export function passkeyAddingRoutes(server: FastifyInstance, service: Service): void {
  const fresh = { fresh: true };

  server.post(
    '/passkeys/options',
    signedIn(service, (_request, _reply, { user }) => offerPasskey(service, user), fresh),
  );

  server.post(
    '/passkeys',
    signedIn(
      service,
      async (request, reply, { user, session }) => {
        const name = gameText(parameter(request.body, 'name') ?? '', 60);
        if (name === null) return reply.code(422).send({ message: 'Enter a name.' });
        const refusal = await addPasskey(service, user, session, { name, answer: answerOf(request) });
        return refusal === null ? { go: PASSKEYS_PATH } : reply.code(422).send({ message: refusal });
      },
      fresh,
    ),
  );
}
