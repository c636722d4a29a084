import { toBase64Url, toUtf8 } from './bytes.ts';
import { QuartersError, VerificationError } from './errors.ts';
import { type Call, type CallOptions, type TransportOptions, transport } from './transport.ts';

export type OAuthOptions = TransportOptions & {
  /** The pages' origin, which is the issuer: `https://quarters.example`. */
  readonly url: string;
  /** The API's origin, if it differs. */
  readonly apiUrl?: string;
  /** The app's id. */
  readonly clientId: string;
  /** The client secret of an app with a server. Apps without a server have none and rely on PKCE. */
  readonly clientSecret?: string;
  /** One of the app's registered addresses; optional if only one is registered. */
  readonly redirectUri?: string;
};

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token ends. */
  readonly expiresAt: Date;
  readonly scope: string;
  /** Present if the scope `openid` was requested. */
  readonly idToken?: string;
};

/** Keep it on the player's device until the player comes back. */
export type SignIn = { readonly state: string; readonly codeVerifier: string };

/**
 * The service accepts a used refresh token again for 30 seconds. After that it treats reuse as theft and signs the player out. So no
 * retry starts later than this, which leaves it time to arrive.
 */
const REFRESH_TRIES_MS = 25_000;

type SignInOptions = {
  /** All scopes by default. */
  readonly scope?: string;
  /** Start with the sign-up page. */
  readonly forceSignUp?: boolean;
  readonly prompt?: 'login' | 'consent' | 'none';
  /** The language that the player plays in (BCP 47, such as `de`), or several, separated by spaces (OpenID Connect's `ui_locales`). */
  readonly locale?: string;
};

type TokenAnswer = {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope?: string;
  id_token?: string;
};

/**
 * Signs players in: authorization code (RFC 6749) with PKCE (RFC 7636). It checks the state and the issuer (RFC 9207). Calls reject
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

  /** The address to send the player to, and what to keep until the player comes back. */
  async signIn({ scope, forceSignUp, prompt, locale }: SignInOptions = {}): Promise<{ url: string; keep: SignIn }> {
    const keep = { state: random(), codeVerifier: random() };
    const url = new URL('/oauth/authorize', this.#issuer);
    const query = {
      response_type: 'code',
      client_id: this.#options.clientId,
      redirect_uri: this.#options.redirectUri,
      scope,
      prompt,
      ui_locales: locale,
      force_signup: forceSignUp ? 'true' : undefined,
      state: keep.state,
      code_challenge: await codeChallenge(keep.codeVerifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    return { url: url.href, keep };
  }

  /** Completes the sign-in. `query`: of the address the player came back to. `keep`: from {@link signIn}. */
  async comeBack(query: URLSearchParams, keep: SignIn, options: CallOptions = {}): Promise<Tokens> {
    // Checked first: a code that was not requested here belongs to somebody else (RFC 6749, section 10.12).
    if (query.get('state') !== keep.state)
      throw new VerificationError('The state does not match the one that was sent.');
    const issuer = query.get('iss');
    if (issuer !== null && issuer !== this.#issuer) throw new VerificationError(`The code was issued by ${issuer}.`);
    const code = query.get('code');
    if (code === null) {
      const [error, text] = [query.get('error') ?? 'unknown', query.get('error_description')];
      throw new QuartersError({ status: 400, code: error, message: text ?? 'The player was not signed in.' });
    }
    return this.redeem(code, { ...options, codeVerifier: keep.codeVerifier, redirectUri: this.#options.redirectUri });
  }

  /** Redeems a code, once, within 60 seconds. Codes from the guest's sign-up page, or from a message, need no `redirectUri`. */
  redeem(
    code: string,
    {
      codeVerifier,
      redirectUri,
      ...options
    }: CallOptions & { codeVerifier?: string; redirectUri?: string | undefined } = {},
  ): Promise<Tokens> {
    // Not retried: redeeming a code twice revokes its tokens.
    return this.#token(
      { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier },
      { ...options, repeatable: false },
    );
  }

  /** Gets a new pair of tokens. Store it in place of the old one, which works for 30 more seconds in case the response is lost. */
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
