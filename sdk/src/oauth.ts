import { toBase64Url, toUtf8 } from './bytes.ts';
import { QuartersError, VerificationError } from './errors.ts';
import { type Call, type CallOptions, type TransportOptions, transport } from './transport.ts';

export type OAuthOptions = TransportOptions & {
  /** The pages' origin, which is the issuer: `https://quarters.example`. */
  readonly url: string;
  /** The API's origin, where it is another one. */
  readonly apiUrl?: string;
  /** The app's id. */
  readonly clientId: string;
  /** Of an app with a server. Apps without one have none, and rely on PKCE. */
  readonly clientSecret?: string;
  /** One of the app's registered addresses; may be left out where just one is registered. */
  readonly redirectUri?: string;
};

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token ends. */
  readonly expiresAt: Date;
  readonly scope: string;
  /** Where `openid` was asked for. */
  readonly idToken?: string;
};

/** What must be kept, on the device that asked, until the player comes back. */
export type SignIn = { readonly state: string; readonly codeVerifier: string };

/**
 * The service answers a used refresh token again for 30 seconds; after them it takes a reuse for theft, and signs the player out. So no try
 * begins later than this after the first, which leaves it time to arrive.
 */
const REFRESH_TRIES_MS = 25_000;

type SignInOptions = {
  /** All of them unless given. */
  readonly scope?: string;
  /** Begin with the sign-up page. */
  readonly forceSignUp?: boolean;
  readonly prompt?: 'login' | 'consent' | 'none';
};

type TokenAnswer = {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope?: string;
  id_token?: string;
};

/**
 * Signs players in: authorization code (RFC 6749) with PKCE (RFC 7636), the state checked and the issuer (RFC 9207). Calls reject
 * with `QuartersError` (whose `code` is OAuth's `error`), `ConnectionError`, `VerificationError`.
 */
export class QuartersOAuth {
  readonly #options: OAuthOptions;
  readonly #call;
  readonly #issuer: string;

  constructor(options: OAuthOptions) {
    this.#options = options;
    this.#issuer = new URL(options.url).origin;
    this.#call = transport(options.apiUrl ?? options.url, options);
  }

  /** Where the player is sent, and what to keep until the player comes back. */
  async signIn({ scope, forceSignUp, prompt }: SignInOptions = {}): Promise<{ url: string; keep: SignIn }> {
    const keep = { state: random(), codeVerifier: random() };
    const url = new URL('/oauth/authorize', this.#issuer);
    const query = {
      response_type: 'code',
      client_id: this.#options.clientId,
      redirect_uri: this.#options.redirectUri,
      scope,
      prompt,
      force_signup: forceSignUp ? 'true' : undefined,
      state: keep.state,
      code_challenge: await codeChallenge(keep.codeVerifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    return { url: url.href, keep };
  }

  /** Takes the player back in: `query` of the address the player came back to, `keep` of {@link signIn}. */
  async comeBack(query: URLSearchParams, keep: SignIn, options: CallOptions = {}): Promise<Tokens> {
    // Before anything else is believed: a code that was not asked for here is somebody else's (RFC 6749, section 10.12).
    if (query.get('state') !== keep.state) throw new VerificationError('The state is not the one that was sent.');
    const issuer = query.get('iss');
    if (issuer !== null && issuer !== this.#issuer) throw new VerificationError(`The code is of ${issuer}.`);
    const code = query.get('code');
    if (code === null) {
      const [error, text] = [query.get('error') ?? 'unknown', query.get('error_description')];
      throw new QuartersError({ status: 400, code: error, message: text ?? 'The player was not signed in.' });
    }
    return this.redeem(code, { ...options, codeVerifier: keep.codeVerifier, redirectUri: this.#options.redirectUri });
  }

  /** A code, once, within 60 seconds. One from the guest's sign-up page, or from a message, is redeemed without `redirectUri`. */
  redeem(
    code: string,
    {
      codeVerifier,
      redirectUri,
      ...options
    }: CallOptions & { codeVerifier?: string; redirectUri?: string | undefined } = {},
  ): Promise<Tokens> {
    // Not tried again: a code that is redeemed twice ends what came of it.
    return this.#token(
      { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier },
      { ...options, repeatable: false },
    );
  }

  /** A new pair. Store it in place of the old one, which works for 30 more seconds: within them a lost answer can be asked for again. */
  refresh(refreshToken: string, options: CallOptions = {}): Promise<Tokens> {
    return this.#token(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      { ...options, repeatable: true, repeatableForMs: REFRESH_TRIES_MS },
    );
  }

  async #token(
    fields: Readonly<Record<string, string | undefined>>,
    options: CallOptions & Pick<Call, 'repeatable' | 'repeatableForMs'>,
  ): Promise<Tokens> {
    const { clientId: client_id, clientSecret: client_secret } = this.#options;
    const body = { client_id, client_secret, ...fields };
    const answer = await this.#call<TokenAnswer>({ ...options, method: 'POST', path: '/v1/oauth/token', body });
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresAt: new Date(Date.now() + answer.expires_in * 1000),
      scope: answer.scope ?? '',
      ...(answer.id_token !== undefined && { idToken: answer.id_token }),
    };
  }
}

/** BASE64URL(SHA-256(verifier)) (RFC 7636, section 4.2). */
export async function codeChallenge(codeVerifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', toUtf8(codeVerifier))));
}

function random(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}
