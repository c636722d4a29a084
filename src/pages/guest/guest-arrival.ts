import { randomUUID } from 'node:crypto';
import type { Vault } from '../../custody/vault.ts';
import type { App } from '../../identity/apps.ts';
import { frameIdOf } from '../../web/delivery.ts';
import { parameter } from '../../web/request-parameters.ts';
import { openField, sealField } from '../../web/sealed-field.ts';
import type { PageFault } from './guest-faults.ts';

/** The part of the page's address that is sealed and passed from step to step: the token's hash, never the token itself. */
export type GuestFlow = {
  /** A secret, new each time the page is opened. */
  readonly id: string;
  readonly appId: string;
  /** base64url */
  readonly tokenHash: string;
  /** As given in the address. */
  readonly redirectUri?: string;
  readonly state?: string;
  readonly codeChallenge?: string;
  /** The game's name for the frame it opened us in. */
  readonly frameId?: string;
};

/** After a code was sent to `email`. */
export type SentFlow = GuestFlow & { readonly email: string; readonly codeId: string };

/** After the code sent to `email` was entered. */
export type ProvedFlow = GuestFlow & { readonly email: string };

/** The parameter that replaces `token` in the address, so that the page can be reloaded. */
export const SEALED_TOKEN = 'sealed_token';
const CONTEXT = 'guest conversion, address';

/**
 * Stands for a guest's access token on this page only, for `minutes`. It does not contain the flow: each page view starts a new flow,
 * and a flow's secret lets the browser that finished it get the code again.
 */
export function sealToken(vault: Vault, tokenHash: Uint8Array, minutes: number): string {
  return sealField(vault, CONTEXT, { tokenHash: Buffer.from(tokenHash).toString('base64url') }, minutes);
}

/** The token's hash; null: it was not sealed here, or is too old. */
export function openToken(vault: Vault, sealed: string | undefined): Uint8Array | null {
  const opened = openField<{ tokenHash: string }>(vault, CONTEXT, sealed);
  return opened && Buffer.from(opened.tokenHash, 'base64url');
}

/** How one shipped client garbles `inline=true&response_type=code`. */
const GARBLED_INLINE = 'trueresponse_type=code';

const MAX_STATE = 2000;

/** Starts the flow from the page's parameters. `app`: the one they name. `tokenHash`: of the guest's token. */
export function beginFlow(query: unknown, app: App, tokenHash: Uint8Array): GuestFlow | PageFault {
  const named = (name: string) => parameter(query, name);
  const inline = named('inline');
  const garbled = inline === GARBLED_INLINE && named('response_type') === undefined;
  if (!garbled && (inline !== 'true' || named('response_type') !== 'code')) return 'wrong-parameters';

  const [codeChallenge, method] = [named('code_challenge'), named('code_challenge_method')];
  const fault = challengeFault(codeChallenge, app);
  if (fault) return fault;
  // Without a method it would be `plain` (RFC 7636, section 4.3), which protects little.
  if ((codeChallenge ?? method) !== undefined && (method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge ?? ''))) {
    return 'wrong-challenge';
  }
  const [redirectUri, state, frameId] = [named('redirect_uri'), named('state'), frameIdOf(query)];
  if (state !== undefined && state.length > MAX_STATE) return 'state-too-long';
  return {
    id: randomUUID(),
    appId: app.id,
    tokenHash: Buffer.from(tokenHash).toString('base64url'),
    ...(redirectUri !== undefined && { redirectUri }),
    ...(state !== undefined && { state }),
    ...(codeChallenge !== undefined && { codeChallenge }),
    ...(frameId !== undefined && { frameId }),
  };
}

/** A client without a secret must use PKCE to prove that the code is its own (RFC 7636). */
export function challengeFault(codeChallenge: string | undefined, { publicClient }: App): PageFault | null {
  return publicClient && codeChallenge === undefined ? 'no-challenge' : null;
}
