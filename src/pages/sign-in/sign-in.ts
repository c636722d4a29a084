import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { signIn } from '../../features/sessions/sign-in.ts';
import type { Service } from '../../settlement/service.ts';
import { clientAddress } from '../../web/client-address.ts';
import { pageHeaders } from '../../web/headers.ts';
import { knownBrowsers, signBrowserIn } from '../../web/known-browsers.ts';
import { isInline, parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send.ts';
import { arrivingBrowser, readVisitor, safeReturn, type Visitor } from '../../web/visitor.ts';
import { ownForm } from '../../web/wizard.ts';
import { type AppOfReturn, returnTargets } from './app-of-return.ts';
import { signInPage } from './sign-in-page.ts';

/** An address without an account gets the same sentence as a wrong password. */
const WRONG = 'Wrong e-mail or password. Try again.';

/** GET /sign-in asks, POST /sign-in takes the password and redirects to `return_to`. `again`: a signed-in user confirms it is them. */
export function signInRoutes(server: FastifyInstance, service: Service, appOfReturn: AppOfReturn): void {
  server.get('/sign-in', async (request, reply) => {
    const { returnTo, again, visitor } = await readArrival(service, request, request.query);
    if (visitor && !again) return reply.redirect(returnTo, 303);
    return ask(request, reply);
  });

  const check = ownForm(service, async (request, reply) => {
    const { returnTo, again } = await readArrival(service, request, request.body);
    const email = again?.user.email ?? parameter(request.body, 'email') ?? '';
    const session = await signIn(service, {
      email,
      password: parameter(request.body, 'password') ?? '',
      client: clientAddress(request),
      ...arrivingBrowser(service, request),
      knownBrowsers: knownBrowsers(service, request),
    });
    if (session === null) return ask(request, reply.code(422), { email, error: WRONG });
    await signBrowserIn(service, request, reply, session);
    return reply.redirect(returnTo, 303);
  });

  server.post('/sign-in', check);

  async function ask(request: FastifyRequest, reply: FastifyReply, refused?: { email: string; error: string }) {
    const parameters = request.method === 'POST' ? request.body : request.query;
    const { returnTo, again } = await readArrival(service, request, parameters);
    const app = await appOfReturn(returnTo);
    const formTargets = returnTargets(app);
    reply.headers(pageHeaders({ frameAncestors: [], formTargets, passkeys: true, opener: true }));
    // The address the app knows (OpenID Connect Core, section 3.1.2.1) is only a suggestion: the player may change it.
    const email = parameter(parameters, 'login_hint');
    const inline = isInline(parameters);
    return sendPage(
      reply,
      signInPage({ inline, returnTo, again: again?.user.email, appName: app?.name, email, ...refused }),
    );
  }
}

type Arrival = {
  readonly returnTo: string;
  readonly visitor: Visitor | null;
  /** The visitor, if they are asked to confirm it is them. */
  readonly again: Visitor | null;
};

export async function readArrival(service: Service, request: FastifyRequest, parameters: unknown): Promise<Arrival> {
  const visitor = await readVisitor(service, request);
  const again = parameter(parameters, 'again') === 'true' ? visitor : null;
  return { returnTo: safeReturn(parameter(parameters, 'return_to'), service.publicUrl), visitor, again };
}
