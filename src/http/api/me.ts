import { Type } from 'typebox';
import type { Service } from '../../usecases/service.ts';
import { readMe } from '../../usecases/user/read-me.ts';
import { usersOnly } from '../caller.ts';
import type { Api } from './route.ts';

const User = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  displayName: Type.String(),
  email: Type.String(),
  emailVerified: Type.Boolean(),
});

/** GET /v1/me: the user, as far as the token's scopes go. */
export function me(api: Api, service: Service): void {
  const gate = usersOnly(service, null);
  api.get('/me', { onRequest: gate.onRequest, schema: { response: { 200: User } } }, async (request) => {
    const { id, displayName, email, emailVerified } = await readMe(service, gate.caller(request));
    return { id, userId: id, displayName, email, emailVerified };
  });
}
