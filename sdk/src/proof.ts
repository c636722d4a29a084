import { fromBase64, toUtf8 } from './bytes.ts';
import { VerificationError } from './errors.ts';
import { type CallOptions, type TransportOptions, transport } from './transport.ts';

/** What a signed result says: how a request was decided, not what became of it. */
export type ProvenResult = {
  readonly outcome: 'approved' | 'declined' | 'failed';
  readonly requestId: string;
  /** Where it was approved. */
  readonly txId?: string;
  readonly signedAt: Date;
};

/** Of what the service has signed, which alone makes it believed. */
type Claims = Omit<ProvenResult, 'signedAt'> & { readonly iss: string; readonly aud: string; readonly iat: number };

type ProofOptions = TransportOptions & {
  /** The pages' origin, which is the issuer. */
  readonly url: string;
  /** The API's origin, where it is another one. */
  readonly apiUrl?: string;
  readonly appId: string;
};

/** On the curve P-256 (RFC 7518, section 6.2.1). */
type PublicKey = Readonly<Record<'kid' | 'kty' | 'crv' | 'x' | 'y', string>>;

/**
 * Checks signed results of the approval page (`proof`): a JWS (RFC 7515) in ES256, of this service, for this app. Reads the service's
 * public keys once, and again where a key is not among them.
 */
export class ResultVerifier {
  readonly #options: ProofOptions;
  readonly #call;
  #keys: Promise<ReadonlyMap<string, CryptoKey>> | null = null;

  constructor(options: ProofOptions) {
    this.#options = options;
    this.#call = transport(options.apiUrl ?? options.url, options);
  }

  /** Rejects with {@link VerificationError} for what is not the service's word; `ConnectionError` where its keys can not be read. */
  async verify(proof: string, options: CallOptions = {}): Promise<ProvenResult> {
    const [head = '', body = '', signature = '', ...more] = proof.split('.');
    const { alg, typ, kid } = parsed(head);
    // Named here and not taken from the proof: else it could choose how it is checked (RFC 8725, section 3.1).
    if (alg !== 'ES256' || typ !== 'quarters-result+jwt' || more.length > 0)
      throw new VerificationError('This is no proof.');
    const key = await this.#key(String(kid), options);
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const genuine = key && (await crypto.subtle.verify(algorithm, key, bytes(signature), toUtf8(`${head}.${body}`)));
    if (!genuine) throw new VerificationError('The proof was not signed by this service.');
    const { iss, aud, iat, outcome, requestId, txId } = parsed(body) as Claims;
    if (iss !== new URL(this.#options.url).origin) throw new VerificationError(`The proof is of ${iss}.`);
    if (aud !== this.#options.appId) throw new VerificationError('The proof is for another app.');
    return { outcome, requestId, ...(txId !== undefined && { txId }), signedAt: new Date(iat * 1000) };
  }

  async #key(kid: string, options: CallOptions): Promise<CryptoKey | undefined> {
    const known = (await this.#keys?.catch(() => null))?.get(kid);
    if (known) return known;
    this.#keys = this.#readKeys(options);
    return (await this.#keys).get(kid);
  }

  async #readKeys(options: CallOptions): Promise<ReadonlyMap<string, CryptoKey>> {
    const { keys } = await this.#call<{ keys: PublicKey[] }>({ ...options, method: 'GET', path: '/v1/keys' });
    const imported = keys.map(async ({ kid, kty, crv, x, y }): Promise<[string, CryptoKey]> => {
      const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
      return [kid, await crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm, false, ['verify'])];
    });
    return new Map(await Promise.all(imported));
  }
}

function parsed(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(fromBase64(part)));
    return { ...(value as object) };
  } catch {
    throw new VerificationError('This is no proof.');
  }
}

function bytes(part: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(part);
  } catch {
    throw new VerificationError('This is no proof.');
  }
}
