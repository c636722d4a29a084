import type { onRequestAsyncHookHandler } from 'fastify';
import { Problem } from '../base/problems.ts';
import { authenticate } from '../features/sessions/authenticate.ts';
import { countCredential, readBearer } from '../http/rate-limits.ts';
import type { AppCaller, Caller, Scope, UserCaller } from '../identity/callers.ts';
import type { KeyScope } from '../identity/key-scopes.ts';
import type { Service } from '../service/service.ts';

const DECORATION = 'caller';

/** Checks the caller of a route before the body is read, so that strangers learn nothing about validation. */
export type Gate<C extends Caller> = {
  /** For the API's description. */
  readonly admits: AllowedCaller;
  readonly onRequest: onRequestAsyncHookHandler;
  /** The caller who passed the gate. */
  caller(request: { getDecorator<T>(name: string): T }): C;
};

export function decorateWithCaller(app: { decorateRequest(name: string, value: null): unknown }): void {
  app.decorateRequest(DECORATION, null);
}

/** The caller of any operation, once its gate is passed; null: it has none. */
export function callerOf(request: { getDecorator<T>(name: string): T }): Caller | null {
  return request.getDecorator<Caller | null>(DECORATION);
}

/** Who may pass a gate, and the scope they need; null: no scope. */
export type AllowedCaller = { readonly user?: Scope | null; readonly app?: KeyScope | null };

/** Admits users whose access token has this scope. */
export function usersOnly(service: Service, scope: Scope | null): Gate<UserCaller> {
  return gate(service, { user: scope }, 'This needs the access token of a user.');
}

/** Admits apps whose server API key has this scope. */
export function appsOnly(service: Service, scope: KeyScope | null): Gate<AppCaller> {
  return gate(service, { app: scope }, "This needs an app's server API key.");
}

/** Admits users whose access token has this scope, and apps: with any server API key, or one with the scope `app`. */
export function usersAndApps(service: Service, scope: Scope, app: KeyScope | null = null): Gate<Caller> {
  return gate(service, { user: scope, app }, '');
}

function gate<C extends Caller>(service: Service, admission: AllowedCaller, refusal: string): Gate<C> {
  return {
    admits: admission,
    async onRequest(request, reply) {
      const secret = bearerSecret(request.headers.authorization);
      const caller = await countCredential(service, request, reply, () => authenticate(service, secret));
      const scope = admission[caller.kind];
      if (scope === undefined) throw new Problem('credential-not-allowed', refusal);
      if (scope !== null && !(caller.scopes as readonly string[]).includes(scope)) {
        // RFC 6750, section 3.1.
        reply.header('www-authenticate', `Bearer realm="quarters", error="insufficient_scope", scope="${scope}"`);
        throw new Problem('insufficient-scope', `The credential lacks the scope ${scope}.`);
      }
      request.setDecorator(DECORATION, caller);
    },
    caller: (request) => request.getDecorator<C>(DECORATION),
  };
}

function bearerSecret(header: string | undefined): string {
  if (header === undefined || header === '') {
    throw new Problem('token-missing', 'This needs a credential in the header Authorization: Bearer ….');
  }
  const secret = readBearer(header);
  if (!secret) throw new Problem('token-invalid', 'The Authorization header is not of the form Bearer ….');
  return secret;
}
