import type { Service } from '../../service/service.ts';
import { readMe } from '../../views/accounts/read-account.ts';
import { usersOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { UserIdOut } from '../schemas/outputs.ts';
import { Type } from '../schemas/schema.ts';

const User = Type.Object(
  {
    id: UserIdOut,
    userId: UserIdOut,
    displayName: Type.String({ description: 'empty without the scope profile', examples: ['Ada'] }),
    email: Type.String({
      description: 'empty for guests, and without the scope email',
      examples: ['ada@mail.example'],
    }),
    emailVerified: Type.Boolean({
      description: 'whether the player has proved that the address is theirs',
      examples: [true],
    }),
  },
  { title: 'User', description: 'The player who is identified by the access token.' },
);

/** GET /v1/me: the user, with the fields that the token's scopes allow. */
export function getMeRoute(api: Api, service: Service): void {
  const gate = usersOnly(service, null);
  const route = describe(
    gate,
    { operationId: 'getMe', tag: 'Users', summary: 'Get the player', problems: ['not-found'] },
    { response: { 200: User } },
  );
  api.get('/me', route, async (request) => {
    const { id, displayName, email, emailVerified } = await readMe(service, gate.caller(request));
    return { id, userId: id, displayName, email, emailVerified };
  });
}
