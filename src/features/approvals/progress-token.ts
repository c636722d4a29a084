import type { RequestId } from '../../base/ids.ts';
import type { Service } from '../../settlement/service.ts';

const PURPOSE = 'progress of a payment';
const LIFE_MS = 30 * 60_000;

/**
 * Issues a token that lets a guest's result page see the status of its payment, and nothing else. It goes into an
 * address, where the guest's own token must never be. Its form is `expiry.mac`, the latter in base64url.
 */
export function issueProgressToken({ vault }: Pick<Service, 'vault'>, requestId: RequestId): string {
  const expiry = Date.now() + LIFE_MS;
  return `${expiry}.${vault.mac(PURPOSE, `${requestId}.${expiry}`).toString('base64url')}`;
}

/** Whether the token belongs to this request and is not too old. */
export function opensProgress({ vault }: Pick<Service, 'vault'>, requestId: RequestId, token: string): boolean {
  const [expiry = '', mac = ''] = token.split('.');
  const genuine = vault.macMatches(PURPOSE, `${requestId}.${expiry}`, Buffer.from(mac, 'base64url'));
  return genuine && Number(expiry) >= Date.now();
}
