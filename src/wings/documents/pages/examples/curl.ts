import type { Call } from '../read-document.ts';
import { credentialOf, exampleBody, exampleOfKey, exampleUrl } from './credentials.ts';

/** The call as a curl command, with the example values of the description. */
export function curlExample(call: Call): string {
  const [credential, key, body] = [credentialOf(call), exampleOfKey(call), exampleBody(call)];
  return [
    `curl${call.method === 'GET' ? '' : ` -X ${call.method}`} ${exampleUrl(call)}`,
    ...(credential ? [`-H "Authorization: Bearer $${credential.variable}"`] : []),
    ...(key ? [`-H 'Idempotency-Key: ${key}'`] : []),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ');
}
