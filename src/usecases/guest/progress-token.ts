import type { RequestId } from '../../base/ids.ts';
import type { Service } from '../service.ts';

const PURPOSE = 'progress of a payment';
const LIFE_MS = 30 * 60_000;

/**
 * Lets a guest's result page see how far its payment is, and nothing else: it goes into an address, where the guest's own token
 * must never be. `expiry.mac`, the latter in base64url.
 */
export function issueProgressToken({ vault }: Pick<Service, 'vault'>, requestId: RequestId): string {
  const expiry = Date.now() + LIFE_MS;
  return `${expiry}.${vault.mac(PURPOSE, `${requestId}.${expiry}`).toString('base64url')}`;
}

/** Whether the token is of this request, and not too old. */
export function opensProgress({ vault }: Pick<Service, 'vault'>, requestId: RequestId, token: string): boolean {
  const [expiry = '', mac = ''] = token.split('.');
  const genuine = vault.macMatches(PURPOSE, `${requestId}.${expiry}`, Buffer.from(mac, 'base64url'));
  return genuine && Number(expiry) >= Date.now();
}
