/**
 * Types of /quarters.mjs and /quarters.js, the script games open our pages with. With the classic script the same things
 * are the global `Quarters`.
 */
export as namespace Quarters;

/** Either there, or on its way: so that a window can open within the click while your server is still asked. */
type Soon<T> = T | Promise<T>;

type Place = {
  /**
   * `iframe`: in the page, over it unless there is a container. `popup`: in a window of its own; call it from the player's
   * click. `redirect`: leaves the page; the result comes to `redirectUri`, and the promise never settles.
   */
  mode?: 'iframe' | 'popup' | 'redirect';
  /** Where the frame goes. None: in a dialog over the page. */
  container?: HTMLElement;
  /** For `redirect`: one of the app's registered addresses; may be left out where just one is registered. */
  redirectUri?: string;
};

export type ApproveOptions = Place & {
  /** `id` of `POST /v1/requests`. */
  requestId: Soon<string>;
  /** The app's id: with it, an unknown request is answered too. */
  clientId?: string;
  /** A guest's `firebase_token`; full users are signed in on our page. */
  pageToken?: Soon<string | undefined>;
  /** Asks for the result's signed form, `proof`; your server verifies it by `GET /v1/keys`. */
  proof?: boolean;
  /** `{approval_url}`, where it is not that of the service the script came from. */
  approvalUrl?: string;
};

export type Approved = {
  /** Hash of the Ethereum transaction. */
  txId: string;
  requestId: string;
  /** Where it was asked for: a compact JWS. It says that the player decided so, not that it is on the chain. */
  proof?: string;
};

/**
 * Asks the player to approve a request. `mode` is `iframe` unless given.
 *
 * A browser can be made to say anything: give nothing away before your server has seen the payment at
 * `GET /v1/requests/{id}`. Calls `window.onServiceCallback(result)` too where the page defines it.
 * Rejects with {@link QuartersError}, or with what `requestId` or `pageToken` reject with.
 */
export function approve(options: ApproveOptions & { mode: 'redirect' }): Promise<never>;
export function approve(options: ApproveOptions): Promise<Approved>;

export type SignUpOptions = Place & {
  /** Client identifier: the app's id. */
  clientId: string;
  /** The guest's access token. */
  token: Soon<string>;
  /** Comes back with a redirect, to the letter. */
  state?: string;
  /** BASE64URL(SHA-256(verifier)): needed where the app has no client secret (RFC 7636). */
  codeChallenge?: string;
  /** `{signup_url}`, where it is not that of the service the script came from. */
  signUpUrl?: string;
};

/**
 * Lets a guest become a user who keeps the account. `mode` is `popup` unless given. Your server redeems the code at
 * `POST /v1/oauth/token`; the guest's tokens are dead by then. Rejects with {@link QuartersError}, or with what `token` rejects with.
 */
export function signUpGuest(options: SignUpOptions & { mode: 'redirect' }): Promise<never>;
export function signUpGuest(options: SignUpOptions): Promise<{ code: string }>;

export class QuartersError extends Error {
  name: 'QuartersError';
  /**
   * `declined`: the player said no. `failed`: it can not be done, `message` says why. `closed`: the page was closed; whether something was decided,
   * your server knows. `blocked`: the browser let no window through.
   */
  code: 'declined' | 'failed' | 'closed' | 'blocked';
  /** Of `failed`, where it is known. */
  requestId?: string;
  /** Of `declined` and `failed`, where it was asked for and something was decided. */
  proof?: string;
  /** Of `blocked`: the mode that works all the same. */
  fallback?: 'redirect';
}

declare global {
  interface Window {
    /** Where the page defines it, it is given each result of an approval. */
    onServiceCallback?: (
      result: ({ txId: string; requestId: string } | { cancel: true } | { error: string; requestId?: string }) & {
        proof?: string;
      },
    ) => void;
  }
}
