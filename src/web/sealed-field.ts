import type { Vault } from '../custody/vault.ts';

/**
 * Seals the state of an anonymous flow over several pages, for a hidden field. Nobody else can read or forge it, and it is valid
 * for `minutes`. It can be sent many times, so a step that must happen once is guarded where it happens.
 */
export function sealField(vault: Vault, context: string, value: object, minutes: number): string {
  const text = JSON.stringify({ value, expiresAt: Date.now() + minutes * 60_000 });
  return vault.seal(Buffer.from(text), context).toString('base64url');
}

/** Null: it was sealed for another `context`, was altered, or is too old. */
export function openField<T extends object>(vault: Vault, context: string, field: string | undefined): T | null {
  if (field === undefined) return null;
  let text: string;
  try {
    text = vault.unseal(Buffer.from(field, 'base64url'), context).toString();
  } catch {
    return null;
  }
  const { value, expiresAt } = JSON.parse(text) as { value: T; expiresAt: number };
  return expiresAt > Date.now() ? value : null;
}
