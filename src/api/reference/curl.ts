import type { Call } from './read-document.ts';

const TOKENS: Readonly<Record<string, string>> = {
  accessToken: 'access token',
  guestToken: 'access token',
  serverKey: 'server API key',
};

/** The call as a curl command, with the example values of the description. */
export function curl(call: Call, base: string): string {
  let url = (call.servers?.[0]?.url ?? base) + call.path;
  for (const { name, in: place, example } of call.inputs) {
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(example)));
  }
  const body = call.requestBody?.required && call.requestBody.content['application/json'].example;
  const [scheme] = Object.keys(call.security[0] ?? {});
  return [
    `curl${call.method === 'GET' ? '' : ` -X ${call.method}`} ${url}`,
    ...(scheme ? [`-H 'Authorization: Bearer <${TOKENS[scheme]}>'`] : []),
    ...call.inputs.filter((i) => i.name === 'Idempotency-Key').map(({ name, example }) => `-H '${name}: ${example}'`),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`] : []),
  ].join(' \\\n  ');
}
