// Written by scripts/write-sdk-types.ts from src/web/assets/quarters.d.ts: run npm run generate.

/**
 * Types of /quarters.mjs and /quarters.js, the script that games open our pages with. The classic script defines the same as the
 * global `Quarters`.
 */
/** A value or a promise of it, so that a window can open within the click while your server still answers. */
type Soon<T> = T | Promise<T>;

type Place = {
  /**
   * `iframe`: in the container, or in a dialog over the page. The frame is as high as our page. If our page does not come within
   * three seconds, the player can open it in a window. `popup`: in a new window; call it from the player's click. A page with
   * `Cross-Origin-Opener-Policy: same-origin` would lose that window, so there it is as `iframe`.
   * `redirect`: leaves the page; the result comes to `redirectUri`, and the promise never settles.
   */
  mode?: 'iframe' | 'popup' | 'redirect';
  /** The element that holds the frame. Without it, a dialog over the page does. */
  container?: HTMLElement;
  /** For `redirect`: one of the app's registered addresses. Optional if only one is registered. */
  redirectUri?: string;
  /**
   * The language that the player plays in (BCP 47, such as `de` or `pt-BR`), for our page and for the dialog. Without it: the account's or
   * the browser's. The messages of errors are in English.
   */
  locale?: string;
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
 * `requestId` or `pageToken`. Settles when the player is done: it waits for a window that the player opened. If your page cannot see
 * that window (`Cross-Origin-Opener-Policy: same-origin`), it waits until the payment is decided or expires.
 */
export declare function approve(options: ApproveOptions & { mode: 'redirect' }): Promise<never>;
export declare function approve(options: ApproveOptions): Promise<Approved>;

export type SignUpOptions = Place & {
  /** Client identifier: the app's id. */
  clientId: string;
  /** The guest's access token. */
  token: Soon<string>;
  /** Returned unchanged with a redirect. */
  state?: string;
  /** BASE64URL(SHA-256(verifier)). Required if the app has no client secret (RFC 7636). */
  codeChallenge?: Soon<string | undefined>;
  /** `{signup_url}`, if it is not the one of the service that served the script. */
  signUpUrl?: string;
};

/**
 * Lets a guest become a user and keep the account, or move to the account that the player has: then the code is for that one, which has
 * another user id. `mode` is `popup` unless given. Your server redeems the code at `POST /v1/oauth/token`. The guest's tokens no longer work then. Rejects with {@link QuartersError}, or with the error of `token`.
 */
export declare function signUpGuest(options: SignUpOptions & { mode: 'redirect' }): Promise<never>;
export declare function signUpGuest(options: SignUpOptions): Promise<{ code: string }>;

/** More may be added. */
export type FailureReason =
  /** The player has too few quarters. The request stays pending. */
  | 'insufficient-quarters'
  /** The player has enough, and the chain is confirming it again. The request stays pending. */
  | 'quarters-unconfirmed'
  /** The operator has frozen the player's account, or suspended the app. The request stays pending, and the player can decline it. */
  | 'account-frozen'
  | 'app-suspended'
  /** Nobody decided in time. */
  | 'expired'
  /** The app cancelled the request. */
  | 'cancelled'
  /** It was approved, and stopped before it was confirmed. Part of it may be paid. */
  | 'stopped'
  /** There is no such request, or it is another player's, or the page token is wrong. Needs `clientId`. */
  | 'not-found'
  /** The page was open for too long. The request may still be pending. */
  | 'token-expired'
  /** `redirectUri` is not registered. */
  | 'redirect-not-registered'
  /** We do not know yet whether it was approved. */
  | 'outcome-unknown'
  /** For `closed`: our page did not come. */
  | 'unavailable'
  /** We cannot answer now. */
  | 'database-unavailable'
  | 'chain-unavailable'
  /** `signUpGuest`: something in the options is missing or wrong. */
  | 'no-token'
  | 'dead-token'
  | 'foreign-token'
  | 'page-token'
  | 'wrong-parameters'
  | 'no-challenge'
  | 'wrong-challenge'
  | 'state-too-long'
  | (string & {});

export declare class QuartersError extends Error {
  name: 'QuartersError';
  /**
   * `declined`: the player declined. `failed`: it did not work, `reason` says why, and `message` says it in a sentence. `closed`: the
   * player closed the page. `blocked`: the browser blocked the window.
   *
   * An error never means "not paid". Your server asks `GET /v1/requests/{id}`.
   */
  code: 'declined' | 'failed' | 'closed' | 'blocked';
  /** For `failed`. For `closed` only `unavailable`: our page did not come. */
  reason?: FailureReason;
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
      result: (
        | { txId: string; requestId: string }
        | { cancel: true }
        | { error: string; reason?: FailureReason; requestId?: string }
      ) & {
        proof?: string;
      },
    ) => void;
  }
}
