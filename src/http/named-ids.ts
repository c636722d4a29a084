import type { FastifyRequest } from 'fastify';
import type { Service } from '../service/service.ts';

/** Fields of a body that name somebody or something, and those of a query. Together with a path they have eight ids at most. */
const ID_FIELDS = ['userId', 'user', 'address', 'appId'] as const;
const QUERY_FIELDS = ['userId', 'requestId'] as const;
/** Refusals that say nothing of what was named: without a credential, and of too many calls. */
const ABOUT_NOTHING: readonly number[] = [401, 429];
const PURPOSE = 'id in a log';
const HASH_DIGITS = 8;

/**
 * Hashes of the ids that a refused call has named, in its path, query and body: `3f9ac41b 07ee21d0`. Null for other calls, and if it names
 * none. The recipients of many transfers are not among them: they are refused one by one, in an answer of 200. The key is this installation's.
 * So a log says which id was not found, and holds neither a secret nor a person's address that stood in its place.
 */
export function namedIds(
  service: Pick<Service, 'vault'>,
  { params, query, body }: Pick<FastifyRequest, 'params' | 'query' | 'body'>,
  status: number | null,
): string | null {
  if (status === null || status < 400 || status >= 500 || ABOUT_NOTHING.includes(status)) return null;
  const [fields, asked] = [body ?? {}, query ?? {}] as Readonly<Record<string, unknown>>[];
  const named = [
    ...Object.values(params ?? {}),
    ...ID_FIELDS.map((name) => fields![name]),
    ...QUERY_FIELDS.map((name) => asked![name]),
  ];
  const ids = named.filter((value) => typeof value === 'string' && value !== '') as string[];
  const hashes = new Set(ids.map((id) => digits(service.vault.mac(PURPOSE, plain(id)))));
  return hashes.size === 0 ? null : [...hashes].join(' ');
}

/** How logs write this id: the newest hash first, then those under earlier data keys. */
export function hashesOfId({ vault }: Pick<Service, 'vault'>, id: string): string[] {
  return vault.everyMac(PURPOSE, plain(id)).map(digits);
}

/** Addresses and requests have any letter case. */
const plain = (id: string) => id.trim().toLowerCase();
const digits = (mac: Buffer) => mac.toString('hex').slice(0, HASH_DIGITS);
