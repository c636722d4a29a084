import type { Service } from '../../../service/service.ts';
import { type LogHead, readHead } from '../store/chain.ts';
import { type LogSigner, openLogSigner, type SignedLogPlace } from '../store/log-signer.ts';

type Deps = Pick<Service, 'db' | 'vault' | 'publicUrl' | 'chain'>;

/** `jws`: the signed head, to be kept elsewhere. */
export type SignedHead = SignedLogPlace & { readonly jws: string };

/** Signs the newest entry's place and hash. Whoever keeps it can prove later that the entries up to it were not rewritten. */
export async function signHead(service: Deps): Promise<SignedHead> {
  const signer = await openLogSigner(service.db, service.vault);
  const place = signedPlaceOf(service, await readHead(service.db));
  return { ...place, jws: signer.sign('head', place) };
}

export function signedPlaceOf(
  { publicUrl, chain }: Pick<Deps, 'publicUrl' | 'chain'>,
  { sequence, hash }: LogHead,
): SignedLogPlace {
  const { chainId, contracts } = chain;
  return { iss: publicUrl, chainId, token: contracts.token, sequence: Number(sequence), hash: hash.toString('hex') };
}

/** The public key of the log's signatures (RFC 7517). */
export async function readLogKeys({ db, vault }: Pick<Deps, 'db' | 'vault'>): Promise<LogSigner['publicKeys']> {
  return (await openLogSigner(db, vault)).publicKeys;
}
