import { type LogSigner, openLogSigner, type SignedPlace } from '../../custody/log-signer.ts';
import { type LogHead, readHead } from '../../operator-log/chain.ts';
import { isCheckDue, storeCheck } from '../../operator-log/entries.ts';
import type { Service } from '../../service/service.ts';
import { verifyLog } from './verify-log.ts';

type Deps = Pick<Service, 'db' | 'vault' | 'publicUrl' | 'chain'>;

/** `jws`: the signed head, to be kept elsewhere. */
export type SignedHead = SignedPlace & { readonly jws: string };

/** Signs the newest entry's place and hash. Whoever keeps it can prove later that the entries up to it were not rewritten. */
export async function signHead(service: Deps): Promise<SignedHead> {
  const signer = await openLogSigner(service.db, service.vault);
  const place = signedPlaceOf(service, await readHead(service.db));
  return { ...place, jws: signer.sign('head', place) };
}

export function signedPlaceOf(
  { publicUrl, chain }: Pick<Deps, 'publicUrl' | 'chain'>,
  { sequence, hash }: LogHead,
): SignedPlace {
  const { chainId, contracts } = chain;
  return { iss: publicUrl, chainId, token: contracts.token, sequence: Number(sequence), hash: hash.toString('hex') };
}

/** The public key of the log's signatures (RFC 7517). */
export async function readLogKeys({ db, vault }: Pick<Deps, 'db' | 'vault'>): Promise<LogSigner['publicKeys']> {
  return (await openLogSigner(db, vault)).publicKeys;
}

/**
 * Once a day: verifies the log, and one process writes a signed head to the service's log, from where it is collected and kept
 * elsewhere.
 */
export async function checkLogDaily(service: Deps & Pick<Service, 'log' | 'security' | 'development'>): Promise<void> {
  if (!(await isCheckDue(service.db))) return;
  const { fault, head } = await verifyLog(service);
  const isFirst = await storeCheck(service.db, {
    sequence: head.sequence,
    wrongSequence: fault?.sequence ?? null,
    fault: fault?.what ?? null,
  });
  if (!isFirst) return;
  if (fault) {
    service.security.note('log-not-whole', { what: Number(fault.sequence) });
    service.log.error(
      { sequence: Number(fault.sequence), fault: fault.what },
      "the operator's log does not verify: see `quarters log verify`",
    );
  }
  // A try-out's terminal is no place that keeps lines.
  if (service.development) return;
  const { sequence, jws } = await signHead(service);
  service.log.info({ sequence, head: jws }, "the head of the operator's log");
}
