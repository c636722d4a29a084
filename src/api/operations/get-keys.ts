import type { Service } from '../../service/service.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { Type } from '../schemas/schema.ts';

const Jwk = Type.Object(
  {
    kty: Type.String({ examples: ['EC'] }),
    crv: Type.String({ examples: ['P-256'] }),
    x: Type.String({ description: 'base64url', examples: ['f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'] }),
    y: Type.String({ description: 'base64url', examples: ['x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'] }),
    kid: Type.String({
      description: 'the key id that signed results name',
      examples: ['d5b7a7e4-1c0f-4b6e-9f1b-2a4c5d6e7f80'],
    }),
    use: Type.String({ examples: ['sig'] }),
    alg: Type.String({ examples: ['ES256'] }),
  },
  { title: 'PublicKey', description: 'A public key (RFC 7517).' },
);

const Jwks = Type.Object(
  { keys: Type.Array(Jwk) },
  { title: 'PublicKeys', description: 'A JWK set (RFC 7517) for verifying signed results.' },
);

/** GET /v1/keys: the public keys of signed results, a JWK set (RFC 7517). Anybody may read them. */
export function getKeysRoute(api: Api, { results }: Service): void {
  const route = describe(
    null,
    { operationId: 'getKeys', tag: 'Requests', summary: 'Get the public keys of signed results' },
    { response: { 200: Jwks } },
  );
  api.get('/keys', route, async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=300');
    return results.publicKeys;
  });
}
