import type OidcProvider from 'oidc-provider';
import { derivedSecret, newSecret, type SecretKind } from '../base/secrets.ts';
import { Provider } from './oidc-provider.ts';

type Named = { generateTokenId(): string };

/**
 * Gives tokens our prefixes. The successors of a refresh token are derived from it by a MAC. So a client that asks twice, because an
 * answer was lost or two threads asked at once, gets the same pair and is not taken for a thief.
 *
 * `mac`: 32 bytes under a key of ours.
 */
export function prefixTokens(provider: OidcProvider, mac: (data: string) => Buffer): void {
  // The library's types do not name this method.
  const accessToken = provider.AccessToken.prototype as unknown as Named;
  const refreshToken = provider.RefreshToken.prototype as unknown as Named;
  const setFormat = accessToken.generateTokenId;
  accessToken.generateTokenId = function (this: unknown) {
    // The library's own method also sets the format of the token.
    setFormat.call(this);
    return tokenId('OAuth access token', mac);
  };
  refreshToken.generateTokenId = () => tokenId('refresh token', mac);
}

function tokenId(kind: SecretKind, mac: (data: string) => Buffer): string {
  const oidc = Provider.ctx?.oidc;
  const predecessor = (oidc?.entities.RotatedRefreshToken as { jti?: string } | undefined)?.jti;
  if (predecessor === undefined) return newSecret(kind);
  // An access token with fewer scopes is a different one and must not overwrite the first.
  return derivedSecret(kind, mac(`${kind} ${predecessor} ${oidc?.params?.scope ?? ''}`));
}
