/**
 * Types of /quarters.mjs and /quarters.js, the script that games open our pages with. The classic script defines the same as the
 * global `Quarters`.
 */
export as namespace Quarters;

/** A value or a promise of it, so that a window can open within the click while your server still answers. */
type Soon<T> = T | Promise<T>;

type Place = {
  /**
   * `iframe`: in the page, or over it without a container. `popup`: in a new window; call it from the player's click.
   * `redirect`: leaves the page; the result comes to `redirectUri`, and the promise never settles.
   */
  mode?: 'iframe' | 'popup' | 'redirect';
  /** The element that holds the frame. Without it, a dialog over the page does. */
  container?: HTMLElement;
  /** For `redirect`: one of the app's registered addresses. Optional if only one is registered. */
  redirectUri?: string;
};

export type ApproveOptions = Place & {
  /** `id` of `POST /v1/requests`. */
  requestId: Soon<string>;
  /** The app's id. With it, you also get an error for an unknown request. */
  clientId?: string;
  /** A guest's `firebase_token`. Full users sign in on our page. */
  pageToken?: Soon<string | undefined>;
  /** Asks for a signed result, `proof`. Your server verifies it with `GET /v1/keys`. */
  proof?: boolean;
  /** `{approval_url}`, if it is not the one of the service that served the script. */
  approvalUrl?: string;
};

export type Approved = {
  /** Hash of the Ethereum transaction. */
  txId: string;
  requestId: string;
  /** If you asked for it: a compact JWS. It proves the player's decision, not that the payment is on the chain. */
  proof?: string;
};

/**
 * Asks the player to approve a request. `mode` is `iframe` unless given.
 *
 * Do not trust a result from the browser: deliver nothing before your server has seen the payment at `GET /v1/requests/{id}`.
 * Also calls `window.onServiceCallback(result)` if the page defines it. Rejects with {@link QuartersError}, or with the error of
 * `requestId` or `pageToken`.
 */
export function approve(options: ApproveOptions & { mode: 'redirect' }): Promise<never>;
export function approve(options: ApproveOptions): Promise<Approved>;

export type SignUpOptions = Place & {
  /** Client identifier: the app's id. */
  clientId: string;
  /** The guest's access token. */
  token: Soon<string>;
  /** Returned unchanged with a redirect. */
  state?: string;
  /** BASE64URL(SHA-256(verifier)). Required if the app has no client secret (RFC 7636). */
  codeChallenge?: string;
  /** `{signup_url}`, if it is not the one of the service that served the script. */
  signUpUrl?: string;
};

/**
 * Lets a guest become a user and keep the account. `mode` is `popup` unless given. Your server redeems the code at
 * `POST /v1/oauth/token`. The guest's tokens no longer work then. Rejects with {@link QuartersError}, or with the error of `token`.
 */
export function signUpGuest(options: SignUpOptions & { mode: 'redirect' }): Promise<never>;
export function signUpGuest(options: SignUpOptions): Promise<{ code: string }>;

export class QuartersError extends Error {
  name: 'QuartersError';
  /**
   * `declined`: the player declined. `failed`: it cannot be done, and `message` says why. `closed`: the page was closed; your
   * server can find out whether the player decided. `blocked`: the browser blocked the window.
   */
  code: 'declined' | 'failed' | 'closed' | 'blocked';
  /** For `failed`, if it is known. */
  requestId?: string;
  /** For `declined` and `failed`, if you asked for it and there is a decision. */
  proof?: string;
  /** For `blocked`: the mode that still works. */
  fallback?: 'redirect';
}

declare global {
  interface Window {
    /** If the page defines it, it gets every result of an approval. */
    onServiceCallback?: (
      result: ({ txId: string; requestId: string } | { cancel: true } | { error: string; requestId?: string }) & {
        proof?: string;
      },
    ) => void;
  }
}
