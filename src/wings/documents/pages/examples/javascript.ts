import { EXAMPLES } from '../../../../base/example-values.ts';
import type { Call } from '../read-document.ts';
import { credentialOf, exampleBody, exampleOfKey, exampleUrl } from './credentials.ts';
import { awaited, literal } from './js-literal.ts';
import { SDK_CALLS } from './sdk-calls.ts';

/** The call in JavaScript, with the client library if it has a method for it. `api`: the API's address. */
export function javascriptExample(call: Call, api: string): string {
  const sdk = SDK_CALLS[call.operationId];
  if (!sdk) return fetchExample(call);
  const inputs = Object.fromEntries(call.inputs.map(({ name, example }) => [name, example]));
  const statement = sdk.write({ inputs, body: (exampleBody(call) ?? {}) as Readonly<Record<string, unknown>> });
  if (sdk.client === 'player') {
    const options = { url: api, appId: EXAMPLES.appId, accessToken: '<access token>' };
    return `import { QuartersPlayer } from 'quarters-sdk';\n\nconst player = new QuartersPlayer(${literal(options)});\n\n${statement}`;
  }
  const options = {
    url: api,
    // Guests may be created at another address.
    ...(call.server !== api && { guestsUrl: call.server }),
    serverKey: '<server API key>',
    appAddress: call.path.startsWith('/v1/accounts/') ? inputs.address : EXAMPLES.appAddress,
    ...(sdk.asks && { appId: EXAMPLES.appId }),
  };
  return `import { QuartersServer } from 'quarters-sdk';\n\nconst server = new QuartersServer(${literal(options)});\n\n${statement}`;
}

function fetchExample(call: Call): string {
  const [credential, key, body] = [credentialOf(call)?.placeholder, exampleOfKey(call), exampleBody(call)];
  const headers = {
    ...(credential && { authorization: `Bearer ${credential}` }),
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const hasHeaders = Object.keys(headers).length > 0;
  const fields = [
    ...(call.method === 'GET' ? [] : [`  method: '${call.method}',\n`]),
    ...(hasHeaders ? [`  headers: ${literal(headers, '  ', 10)},\n`] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, '  ', 24)}),\n`]),
  ];
  const url = literal(exampleUrl(call));
  const sent =
    fields.length > 0
      ? `const response = await fetch(${url}, {\n${fields.join('')}});`
      : awaited('const response = ', 'fetch', exampleUrl(call));
  return `${sent}\nconst answer = await response.json();`;
}
