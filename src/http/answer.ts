import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The most of an unwanted body that is read and thrown away. */
const MOST_READ_OUT_BYTES = 1024 * 1024;
/** How long it may take to arrive. */
const READ_OUT_WITHIN_MS = 5_000;

/** Connections whose request has got its response while its body is still being read. */
const answered = new WeakSet<Socket>();

/** Whether anything more on this connection would look like the response to the next request. */
export function isAnswered(socket: Socket): boolean {
  return answered.has(socket);
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];
type Chunk = string | Uint8Array;

/**
 * The response to one request, written by the framework, the OAuth provider or Node.js.
 *
 * A response may be sent before the request's body has arrived, such as when the credential is refused or the body is too long.
 * The rest of the body must be read: otherwise nothing that follows on the connection is, and behind a keep-alive proxy that is
 * another client's request. Node.js reads it only if nobody has started to, and without a limit. Here at most a megabyte is read
 * in either case. A body that may be longer also ends its connection (`Connection: close`). It is read all the same: closing while
 * a client still sends resets the connection, and the client may lose the response (RFC 9112, section 9.6).
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
    if (hasArrived(request) || request.destroyed) {
      // Input that stays unread in the stream would block the connection. Node.js reads it if nobody has started to.
      if (request.readableLength > 0 && request.readableFlowing !== null) this.once('finish', () => request.resume());
      return end(...args);
    }
    if (this.writableEnded) return this;
    const [chunk, encoding] = args;
    const callback = args.find((arg) => typeof arg === 'function');
    this.#sendWhole(typeof chunk === 'function' ? undefined : (chunk as Chunk | undefined), encoding);
    // The framework reads this to see whether a hook has refused the request.
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

  /** Sends the whole response now. Its end is signalled later. */
  #sendWhole(chunk: Chunk | null | undefined, encoding: unknown): void {
    const charset = (typeof encoding === 'string' ? encoding : 'utf8') as BufferEncoding;
    if (chunk && !this.headersSent && !this.hasHeader('content-length') && !this.hasHeader('transfer-encoding')) {
      this.setHeader('content-length', typeof chunk === 'string' ? Buffer.byteLength(chunk, charset) : chunk.length);
    }
    if (chunk) this.write(chunk, charset);
    else this.flushHeaders();
  }
}

/** RFC 6797: a year. Without `includeSubDomains`, as other hosts of the domain may not be ours. */
export const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/** Where players use https, every response tells browsers to use nothing else. */
class SecureAnswer<R extends IncomingMessage = IncomingMessage> extends Answer<R> {
  override writeHead(status: number, ...rest: [(string | Headers)?, Headers?]): this {
    this.setHeader('strict-transport-security', STRICT_TRANSPORT_SECURITY);
    return super.writeHead(status, ...rest);
  }
}

export function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/**
 * The response class for a server. While `isStopping`, every answer ends its connection, so that a client or proxy opens the next one
 * elsewhere. Otherwise the stop would cut connections that are used again and again.
 */
export function answersAt(publicUrl: string, isStopping: () => boolean): typeof ServerResponse {
  const UsualAnswer = isSecure(publicUrl) ? SecureAnswer : Answer;
  return class<R extends IncomingMessage = IncomingMessage> extends UsualAnswer<R> {
    override writeHead(status: number, ...rest: [(string | Headers)?, Headers?]): this {
      if (isStopping()) this.setHeader('connection', 'close');
      return super.writeHead(status, ...(rest as [Headers?]));
    }
  };
}

/**
 * We never switch to another protocol, but the parser of Node.js stops at such a request and drops what arrived with it. The client
 * must know that the rest has no response.
 */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined;
}

/** RFC 9112, section 6.3: without either header there is no body. */
function isShort({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= MOST_READ_OUT_BYTES;
}

/** Whether the whole body is here, or there is none. The parser says so a moment later than it hands over the last piece. */
function hasArrived({ complete, headers, readableLength }: IncomingMessage): boolean {
  if (complete) return true;
  return headers['transfer-encoding'] === undefined && readableLength === Number(headers['content-length'] ?? 0);
}

/** Reads and drops the rest of a body. Resolves to whether it ended within the limits. */
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
