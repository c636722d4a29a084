import { IncomingMessage, type ServerResponse } from 'node:http';
import { hasTooManyParameters, tooManyParameters } from '../../http/parameters.ts';
import { OAUTH_PATHS } from '../../oauth/clients.ts';
import type { OAuthHandler } from '../../oauth/provider.ts';

const MAX_BYTES = 16 * 1024;

/** A fault of the body, described for the client's developer. */
class BodyError extends Error {
  override readonly name = 'BodyError';
}

/**
 * Refuses forms with too many parameters before the provider reads them. The token endpoint accepts JSON too, as existing clients send it: the
 * flat object is passed on as a form. An unreadable body is refused with an OAuth error (RFC 6749, section 5.2).
 */
export function readingBodies(provider: OAuthHandler): OAuthHandler {
  return async (request, response) => {
    if (request.method !== 'POST') return provider(request, response);
    try {
      const body = await read(request);
      const isObject = request.url === OAUTH_PATHS.token && isJson(request);
      const form = isObject ? Buffer.from(formOf(body)) : body;
      if (hasTooManyParameters(form.toString('latin1'))) throw new BodyError(tooManyParameters('form').message);
      return await provider(withBody(request, form, isObject), response);
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      refuse(response, error.message);
    }
  };
}

function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new BodyError(`the body is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function formOf(body: Buffer): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parse(body))) {
    if (value === null) continue;
    if (typeof value === 'object') throw new BodyError('the body must be a flat JSON object');
    form.set(name, String(value));
  }
  return form.toString();
}

function parse(body: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new BodyError('the body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BodyError('the body must be a flat JSON object');
  }
  return value;
}

/** The same request with its body, or with another one in its place. */
function withBody({ socket, method, url, headers }: IncomingMessage, form: Buffer, isOther: boolean): IncomingMessage {
  const request = new IncomingMessage(socket);
  request.method = method;
  request.url = url;
  const { 'transfer-encoding': _encoding, ...others } = headers;
  request.headers = {
    ...others,
    ...(isOther && { 'content-type': 'application/x-www-form-urlencoded' }),
    'content-length': String(form.length),
  };
  request.complete = true;
  request.push(form);
  request.push(null);
  return request;
}

function refuse(response: ServerResponse, description: string): void {
  response.writeHead(400, { 'content-type': 'application/json; charset=utf-8', 'access-control-allow-origin': '*' });
  response.end(JSON.stringify({ error: 'invalid_request', error_description: description }));
}
