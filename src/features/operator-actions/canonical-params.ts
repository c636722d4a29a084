import { createHash } from 'node:crypto';

/** What an action is asked to do, as it is stored: amounts are whole numbers, ids are text. */
export type ActionParams = { readonly [name: string]: string | number | null };

/** The only text for these parameters: fields by name, without spaces. */
export function canonicalParams(params: ActionParams): string {
  const fields = Object.entries(params).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(fields));
}

/** What an approval names: SHA-256 of the kind, a line break and the parameters, in hex. */
export function hashParams(kind: string, canonical: string): string {
  return createHash('sha256').update(`${kind}\n${canonical}`).digest('hex');
}
