import type { FastifyInstance } from 'fastify';
import type { Service } from '../service/service.ts';
import { PASSKEYS_PATH } from './account/passkey-code.ts';

/** Addresses that browsers and password managers ask for by themselves. */
export function wellKnownRoutes(server: FastifyInstance, { publicUrl }: Pick<Service, 'publicUrl'>): void {
  // A Well-Known URL for Changing Passwords (W3C).
  server.get('/.well-known/change-password', (_request, reply) => reply.redirect('/account/password', 302));
  // A Well-Known URL for Relying Party Passkey Endpoints (W3C).
  const passkeys = `${publicUrl}${PASSKEYS_PATH}`;
  server.get('/.well-known/passkey-endpoints', () => ({ enroll: passkeys, manage: passkeys }));
  server.get('/favicon.ico', (_request, reply) => reply.redirect(server.shell.logo.path, 302));
}
