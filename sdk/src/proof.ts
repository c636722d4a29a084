import { fromBase64, toUtf8 } from './bytes.ts';
import { VerificationError } from './errors.ts';
import { type CallOptions, type TransportOptions, transport } from './transport.ts';

/** A signed result: how the request was decided, not the later outcome of its transfer. */
export type ProvenResult = {
  readonly outcome: 'approved' | 'declined' | 'failed';
  readonly requestId: string;
  /** Set if the request was approved. */
  readonly txId?: string;
  readonly signedAt: Date;
};

/** The claims that the service has signed. */
type Claims = Omit<ProvenResult, 'signedAt'> & { readonly iss: string; readonly aud: string; readonly iat: number };

type ProofOptions = TransportOptions & {
  /** The pages' origin, which is the issuer. */
  readonly url: string;
  /** The API's origin, if it differs. */
  readonly apiUrl?: string;
  readonly appId: string;
};

/** A key on the curve P-256 (RFC 7518, section 6.2.1). */
type PublicKey = Readonly<Record<'kid' | 'kty' | 'crv' | 'x' | 'y', string>>;

/** Anybody can forge a proof that names an unknown key, so the service is not asked each time. */
const KEYS_PAUSE_MS = 30_000;

/**
 * Checks signed results of the approval page (`proof`): a JWS (RFC 7515) in ES256, from this service, for this app. It reads the
 * service's public keys once, and again for an unknown key, at most every 30 seconds.
 */
export class ResultVerifier {
  readonly #options: ProofOptions;
  readonly #call;
  #keys: ReadonlyMap<string, CryptoKey> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(options: ProofOptions) {
    this.#options = options;
    this.#call = transport(options.apiUrl ?? options.url, options);
  }

  /** Rejects with {@link VerificationError} if the proof is not genuine, with `ConnectionError` if the keys cannot be read. */
  async verify(proof: string, options: CallOptions = {}): Promise<ProvenResult> {
    const [head = '', body = '', signature = '', ...more] = proof.split('.');
    const { alg, typ, kid } = parsed(head);
    // Fixed here: a proof must not choose how it is checked (RFC 8725, section 3.1).
    if (alg !== 'ES256' || typ !== 'quarters-result+jwt' || more.length > 0)
      throw new VerificationError('This is no proof.');
    const key = await this.#key(String(kid), options);
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
    const genuine = key && (await crypto.subtle.verify(algorithm, key, bytes(signature), toUtf8(`${head}.${body}`)));
    if (!genuine) throw new VerificationError('The proof was not signed by this service.');
    const { iss, aud, iat, outcome, requestId, txId } = parsed(body) as Claims;
    if (iss !== new URL(this.#options.url).origin) throw new VerificationError(`The proof was issued by ${iss}.`);
    if (aud !== this.#options.appId) throw new VerificationError('The proof is for another app.');
    return { outcome, requestId, ...(txId !== undefined && { txId }), signedAt: new Date(iat * 1000) };
  }

  async #key(kid: string, { signal }: CallOptions): Promise<CryptoKey | undefined> {
    if (!this.#keys.has(kid) && performance.now() - this.#readAt >= KEYS_PAUSE_MS) {
      this.#reading ??= this.#readKeys().finally(() => {
        this.#reading = null;
      });
      await unlessAborted(this.#reading, signal);
    }
    return this.#keys.get(kid);
  }

  /** Shared by all callers that wait, so that no caller's signal ends it. After a failure, the next proof tries again. */
  async #readKeys(): Promise<void> {
    const { keys } = await this.#call<{ keys: PublicKey[] }>({ method: 'GET', path: '/v1/keys' });
    const imported = keys.map(async ({ kid, kty, crv, x, y }): Promise<[string, CryptoKey]> => {
      const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
      return [kid, await crypto.subtle.importKey('jwk', { kty, crv, x, y }, algorithm, false, ['verify'])];
    });
    this.#keys = new Map(await Promise.all(imported));
    this.#readAt = performance.now();
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop));
  });
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
