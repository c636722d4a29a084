import type { Vault } from '../../custody/vault.ts';
import { openField, sealField } from '../../web/wizard.ts';

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
