import type { FastifyInstance } from 'fastify';
import type { Service } from '../../settlement/service.ts';
import { passkeyAddingRoutes, passkeyPageRoutes } from '../account/passkeys.ts';
import type { AppOfReturn } from './app-of-return.ts';
import { forgotRoutes } from './forgot.ts';
import { jsonScope } from './json-scope.ts';
import { passkeySignInRoutes, signInRoutes } from './sign-in.ts';
import { signOutRoutes } from './sign-out.ts';

/** Sign-in, sign-out, password reset and passkeys. */
export async function peopleRoutes(pages: FastifyInstance, service: Service, appOfReturn: AppOfReturn): Promise<void> {
  signInRoutes(pages, service, appOfReturn);
  signOutRoutes(pages, service);
  forgotRoutes(pages, service, appOfReturn);
  passkeyPageRoutes(pages, service);
  await jsonScope(pages, service, (server) => {
    passkeySignInRoutes(server, service);
    passkeyAddingRoutes(server, service);
  });
}
