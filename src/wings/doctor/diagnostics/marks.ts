import { randomBytes } from 'node:crypto';
import type { Vault } from '../../../custody/vault.ts';

/** The header that carries a mark. A path or a query would be in the logs of proxies. */
export const MARK_HEADER = 'quarters-doctor';
const PURPOSE = 'doctor mark';
/** Longer than a request may take, and than clocks may differ. */
const LIVES_MS = 60_000;
const FORM = /^(\d{13})\.([\w-]{22})\.([\w-]{43})$/;

/** What a process of the service saw of a request that carried a mark. */
export type SeenRequest = {
  /** The caller, as limits count it. */
  readonly client: string;
  readonly host: string;
  /** The entries of `X-Forwarded-For`, the first one first. */
  readonly forwardedFor: readonly string[];
  /** `X-Forwarded-Proto`; null without one. */
  readonly protocol: string | null;
  /** `TRUST_PROXY` of that process. */
  readonly trustProxy: number;
};

/** Makes a mark, which shows to a service with the same database and master key that doctor asks. It is good for one request. */
export function makeMark(vault: Vault): string {
  const stated = `${Date.now() + LIVES_MS}.${randomBytes(16).toString('base64url')}`;
  return `${stated}.${vault.mac(PURPOSE, stated).toString('base64url')}`;
}

/**
 * Returns what tells whether a mark is genuine and was not used in this process. Only genuine marks are remembered, until they expire, so
 * strangers cannot fill the memory.
 */
export function openMarkCheck(vault: Vault): (mark: string) => boolean {
  const used = new Map<string, number>();
  return (mark) => {
    const [, expires = '', nonce = '', mac = ''] = FORM.exec(mark) ?? [];
    const now = Date.now();
    if (mac === '' || !vault.macMatches(PURPOSE, `${expires}.${nonce}`, Buffer.from(mac, 'base64url'))) return false;
    for (const [old, until] of used) if (until < now) used.delete(old);
    // A clock that is far off must not keep a mark for ever.
    if (Math.abs(Number(expires) - now) > 2 * LIVES_MS || Number(expires) < now || used.has(nonce)) return false;
    used.set(nonce, Number(expires));
    return true;
  };
}
