/** Response headers that pages of other origins may read. */
export const EXPOSED_HEADERS = [
  'request-id',
  'location',
  'retry-after',
  'www-authenticate',
  'idempotent-replayed',
  'ratelimit',
  'ratelimit-policy',
  'preference-applied',
  'deprecation',
  'sunset',
  'link',
].join(', ');

/** Pages of any origin may call. */
export const ANY_ORIGIN = '*';

/** Of every response. */
export const RESPONSE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // A browser that opens a response saves it under this name and does not render it (OWASP ASVS 4.0, 14.4.2).
  'content-disposition': 'attachment; filename="api.json"',
};

/** The same with those of CORS, for a response that is sent before the hooks that set them. */
export const API_HEADERS = {
  ...RESPONSE_HEADERS,
  'access-control-allow-origin': ANY_ORIGIN,
  'access-control-expose-headers': EXPOSED_HEADERS,
};
