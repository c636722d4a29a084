import type { FastifyInstance, FastifyReply } from 'fastify';
import { offerPasskeySignIn, signInWithPasskey } from '../../features/credentials/passkeys.ts';
import type { Service } from '../../settlement/service.ts';
import { clientAddress } from '../../web/client-address.ts';
import { signBrowserIn } from '../../web/known-browsers.ts';
import { arrivingBrowser } from '../../web/visitor.ts';
import { answerOf } from './json-scope.ts';
import { readArrival } from './sign-in.ts';

/** The script of the sign-in page gets a challenge, and sends what the passkey signed. JSON in, JSON out. */
export function passkeySignInRoutes(server: FastifyInstance, service: Service): void {
  server.post('/passkeys/sign-in/options', async (request) => {
    const { again } = await readArrival(service, request, request.body);
    return offerPasskeySignIn(service, { userId: again?.user.id ?? null, client: clientAddress(request) });
  });

  server.post('/passkeys/sign-in', async (request, reply) => {
    const { again, returnTo } = await readArrival(service, request, request.body);
    const session = await signInWithPasskey(service, answerOf(request), {
      userId: again?.user.id ?? null,
      ...arrivingBrowser(service, request),
    });
    if (session === null) return refuse(reply);
    await signBrowserIn(service, request, reply, session);
    return { go: returnTo };
  });
}

/** A removed passkey gets the same answer as an unknown one. */
function refuse(reply: FastifyReply) {
  return reply.code(422).send({ message: 'We don’t recognise this passkey. Sign in another way.' });
}
