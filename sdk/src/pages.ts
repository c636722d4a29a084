/** Addresses of the service's pages, for games that open the pages themselves. In browsers, `/quarters.js` does it. */

type ApprovalPage = {
  /** The request's id. */
  readonly requestId: string;
  /** A guest's `firebase_token`. Full users sign in on the page. */
  readonly pageToken?: string;
  /** One of the app's registered addresses. It receives the result in its query. */
  readonly redirectUri?: string;
  /** The app's id. With it, the game gets a result for an unknown request too. */
  readonly clientId?: string;
  /** Asks for a signed result, see `ResultVerifier`. */
  readonly proof?: boolean;
  readonly locale?: PageLocale;
};

/** The language that the player plays in (BCP 47, such as `de`). Without it, the page takes the account's or the browser's. */
type PageLocale = string;

/** `approvalUrl`: `{approval_url}`: the pages' origin, unless the operator has set another address. */
export function approvalPage(approvalUrl: string, page: ApprovalPage): string {
  return withQuery(`${approvalUrl}/requests/${encodeURIComponent(page.requestId)}`, {
    inline: 'true',
    firebase_token: page.pageToken,
    redirect_uri: page.redirectUri,
    client_id: page.clientId,
    proof: page.proof ? 'true' : undefined,
    locale: page.locale,
  });
}

type GuestSignUpPage = {
  readonly clientId: string;
  /** The guest's access token. */
  readonly token: string;
  readonly redirectUri?: string;
  /** Returned unchanged with the code. */
  readonly state?: string;
  /** BASE64URL(SHA-256(verifier)) (RFC 7636); needed if the app has no client secret. */
  readonly codeChallenge?: string;
  readonly locale?: PageLocale;
};

/** `signUpUrl`: `{signup_url}`: the pages' origin, unless the operator has set another address. */
export function guestSignUpPage(signUpUrl: string, page: GuestSignUpPage): string {
  return withQuery(`${signUpUrl}/guest`, {
    response_type: 'code',
    client_id: page.clientId,
    token: page.token,
    inline: 'true',
    redirect_uri: page.redirectUri,
    state: page.state,
    code_challenge: page.codeChallenge,
    code_challenge_method: page.codeChallenge && 'S256',
    locale: page.locale,
  });
}

/** The result from the approval page. */
export type ApprovalResult =
  | { readonly outcome: 'approved'; readonly requestId: string; readonly txId: string; readonly proof?: string }
  | { readonly outcome: 'declined'; readonly requestId?: string; readonly proof?: string }
  | {
      readonly outcome: 'failed';
      readonly requestId?: string;
      readonly error: string;
      readonly reason?: string;
      readonly proof?: string;
    };

/**
 * Reads the result from the query of the redirect address; null without one. Never trust what a browser says: read the request
 * with the server key before you deliver anything for it.
 */
export function readApprovalResult(query: URLSearchParams): ApprovalResult | null {
  const { txId, requestId, cancel, error, reason, proof } = Object.fromEntries(query);
  const more = { ...(proof !== undefined && { proof }) };
  const which = { ...(requestId !== undefined && { requestId }) };
  if (txId !== undefined && requestId !== undefined) return { outcome: 'approved', requestId, txId, ...more };
  if (cancel === 'true') return { outcome: 'declined', ...which, ...more };
  if (error !== undefined)
    return { outcome: 'failed', ...which, error, ...(reason !== undefined && { reason }), ...more };
  return null;
}

function withQuery(address: string, query: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
