import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';

/** An answer, or why there is none. */
export type Visited = Answered | { readonly kind: 'failed'; readonly reason: string; readonly isCertificate: boolean };

type Answered = {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most 64 kB of it. */
  readonly body: string;
  /** The milliseconds between the first bytes of the body and its end. */
  readonly bodyMs: number;
  /** When it began to arrive, by our clock. */
  readonly at: Date;
  /** Until when the certificate is valid; null without TLS. */
  readonly certificateEnds: Date | null;
};

const MOST_BYTES = 64 * 1024;
/** Codes of OpenSSL and Node.js for a certificate that is not accepted. */
const OF_CERTIFICATES = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_(GET|VERIFY)|^ERR_(TLS|SSL)/;

/** Asks for one page on a connection of its own, follows no redirection and verifies certificates. Never rejects. */
export function visit(url: URL, headers: Readonly<Record<string, string>>, limitMs: number): Promise<Visited> {
  const { promise, resolve } = Promise.withResolvers<Visited>();
  const failed = (error: NodeJS.ErrnoException) => {
    const reason = (error.cause as Error | undefined)?.message || error.message || error.code || 'no answer';
    resolve({ kind: 'failed', reason, isCertificate: OF_CERTIFICATES.test(error.code ?? '') });
  };
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(limitMs);
  const options = { agent: false, headers: { 'user-agent': 'quarters doctor', ...headers }, signal } as const;
  request(url, options, (incoming) => {
    readAnswer(incoming).then(resolve, failed);
  })
    .on('error', failed)
    .end();
  return promise;
}

async function readAnswer(incoming: IncomingMessage): Promise<Answered> {
  const at = new Date();
  const certificateEnds = endOfCertificate(incoming);
  const chunks: Buffer[] = [];
  let size = 0;
  let first = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    first ||= performance.now();
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_BYTES) break;
  }
  const bodyMs = first === 0 ? 0 : performance.now() - first;
  const body = Buffer.concat(chunks).toString().slice(0, MOST_BYTES);
  return {
    kind: 'answered',
    status: incoming.statusCode!,
    headers: incoming.headers,
    body,
    bodyMs,
    at,
    certificateEnds,
  };
}

function endOfCertificate({ socket }: IncomingMessage): Date | null {
  const certificate = (socket as Partial<TLSSocket>).getPeerCertificate?.();
  return certificate?.valid_to ? new Date(certificate.valid_to) : null;
}
