import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lazily } from '../../../base/lazily.ts';

/** An answer that is the same for everybody: its bytes, and their compressed forms, each made once, when it is first asked for. */
export type CachedAnswer = {
  readonly type: string;
  readonly hash: string;
  readonly bytes: Readonly<Record<Encoding, () => Promise<Buffer>>>;
};

type Encoding = 'br' | 'gzip' | 'identity';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** `type`: the content type. */
export function cachedAnswer(type: string, text: string): CachedAnswer {
  const body = Buffer.from(text);
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return {
    type,
    hash,
    bytes: {
      br: lazily(() => compressBrotli(body)),
      gzip: lazily(() => compressGzip(body)),
      identity: lazily(async () => body),
    },
  };
}

/**
 * Sends it, compressed as the client allows, or 304 if the client has it (RFC 9110, section 13.1.2). A cache may keep it for a
 * minute, because a page names its assets by their hash and those change with the next version. `headers`: all others.
 *
 * Compression is safe here: the answer depends on neither caller nor query, so it holds no secret that its size could reveal.
 */
export async function sendCached(
  { headers: { 'accept-encoding': accepted, 'if-none-match': known } }: FastifyRequest,
  reply: FastifyReply,
  { type, hash, bytes }: CachedAnswer,
  headers: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  const encoding = encodingOf(String(accepted ?? ''));
  // A strong tag names bytes, and each encoding has its own.
  const etag = `"${hash}-${encoding}"`;
  reply.headers({
    'x-content-type-options': 'nosniff',
    ...headers,
    'cache-control': 'public, max-age=60, must-revalidate',
    etag,
    vary: 'accept-encoding',
  });
  if (isKnown(etag, known)) return reply.code(304).send();
  return reply
    .headers({ 'content-type': type, ...(encoding !== 'identity' && { 'content-encoding': encoding }) })
    .send(await bytes[encoding]());
}

/** The smallest form that `Accept-Encoding` allows (RFC 9110, section 12.5.3). */
function encodingOf(accepted: string): Encoding {
  const allowed = accepted
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]!.trim());
  return (['br', 'gzip'] as const).find((encoding) => allowed.includes(encoding)) ?? 'identity';
}

function isKnown(etag: string, known: string | undefined): boolean {
  const tags = known?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
