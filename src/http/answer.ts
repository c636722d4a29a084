import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** So much of a body that nobody wants is read and thrown away. */
const MOST_READ_OUT_BYTES = 1024 * 1024;
/** It has this long to arrive. */
const READ_OUT_WITHIN_MS = 5_000;

/** Connections whose request has its response already, while its body is still read out. */
const answered = new WeakSet<Socket>();

/** Whether anything more on this connection would look like the response to a request that nobody has made yet. */
export function isAnswered(socket: Socket): boolean {
  return answered.has(socket);
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];
type Chunk = string | Uint8Array;

/**
 * The response to one request, whoever writes it: the framework, the OAuth provider, or Node.js itself.
 *
 * A response may go out before its request's body has arrived: a credential is refused, or the body is too long. The rest must be
 * read, or nothing that follows on the connection ever is, and behind a keep-alive proxy that is somebody else's request. Node.js
 * reads it out only where nobody has begun to, and then without a bound. Here at most a megabyte is read out, whoever began. A body that may
 * be longer also ends its connection (`Connection: close`); it is read out all the same, as closing on a client that still
 * sends resets the connection, and the client may lose the response (RFC 9112, section 9.6).
 */
class Answer<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  override writeHead(status: number, ...rest: [(string | Headers)?, Headers?]): this {
    const { req: request } = this;
    if (asksForUpgrade(request) || !(request.complete || isShort(request))) this.setHeader('connection', 'close');
    return super.writeHead(status, ...(rest as [Headers?]));
  }

  override end(...args: unknown[]): this {
    const { req: request } = this;
    const end = super.end.bind(this) as (...args: unknown[]) => this;
    if (request.complete || request.destroyed) {
      // What has arrived and lies unread in the stream keeps the connection from being read.
      this.once('finish', () => request.resume());
      return end(...args);
    }
    if (this.writableEnded) return this;
    const [chunk, encoding] = args;
    const callback = args.find((arg) => typeof arg === 'function');
    this.#sendWhole(typeof chunk === 'function' ? undefined : (chunk as Chunk | undefined), encoding);
    // For the framework too: what it asks to know whether a hook has refused a request.
    Object.defineProperty(this, 'writableEnded', { value: true });
    const { socket } = request;
    answered.add(socket);
    void readOut(request).then((isRead) => {
      answered.delete(socket);
      end(callback);
      if (!isRead) socket.destroySoon();
    });
    return this;
  }

  /** All of the response goes out now. Only that it has ended is said later. */
  #sendWhole(chunk: Chunk | null | undefined, encoding: unknown): void {
    const charset = (typeof encoding === 'string' ? encoding : 'utf8') as BufferEncoding;
    if (chunk && !this.headersSent && !this.hasHeader('content-length') && !this.hasHeader('transfer-encoding')) {
      this.setHeader('content-length', typeof chunk === 'string' ? Buffer.byteLength(chunk, charset) : chunk.length);
    }
    if (chunk) this.write(chunk, charset);
    else this.flushHeaders();
  }
}

/** RFC 6797. A year; other hosts of the domain are not ours to decide about, so without `includeSubDomains`. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/** Where players reach us by https, every response says that nothing else is to be tried. */
class SecureAnswer<R extends IncomingMessage = IncomingMessage> extends Answer<R> {
  override writeHead(status: number, ...rest: [(string | Headers)?, Headers?]): this {
    this.setHeader('strict-transport-security', STRICT_TRANSPORT_SECURITY);
    return super.writeHead(status, ...rest);
  }
}

export function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/** The class of a server's responses. */
export function answersAt(publicUrl: string): typeof ServerResponse {
  return isSecure(publicUrl) ? SecureAnswer : Answer;
}

/**
 * We change to no other protocol, but Node.js' parser stops at such a request, and what has arrived together with it is lost: whoever sent
 * more must know that it has no response.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined;
}

/** RFC 9112, section 6.3: where neither header is, there is no body. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= MOST_READ_OUT_BYTES;
}

/** Throws away what still comes of a body. Whether it has ended within the bounds. */
function readOut(request: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let length = 0;
    const timer = setTimeout(done, READ_OUT_WITHIN_MS, false);
    function done(isRead: boolean): void {
      clearTimeout(timer);
      request.off('data', count);
      resolve(isRead);
    }
    function count(chunk: Uint8Array): void {
      length += chunk.length;
      if (length > MOST_READ_OUT_BYTES) done(false);
    }
    request.on('data', count);
    request.once('end', () => done(true));
    request.once('error', () => done(false));
    request.once('close', () => done(request.complete));
    request.resume();
  });
}
