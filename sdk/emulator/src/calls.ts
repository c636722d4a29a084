import { request } from 'node:http';
import { type Fault, type Inputs, OPERATIONS, type Results } from './controls.generated.ts';
import { EmulatorError } from './errors.ts';

/** Where an emulator is controlled: `control` and `token` of its start line. */
export type ControlAddress = {
  readonly url: string;
  readonly token: string;
};

/** Runs one operation of the control API. */
export type Call = <Name extends keyof Inputs>(operation: Name, input: Inputs[Name]) => Promise<Results[Name]>;

export function callsTo({ url, token }: ControlAddress): Call {
  return async <Name extends keyof Inputs>(operation: Name, input: Inputs[Name]): Promise<Results[Name]> => {
    const [method, path] = OPERATIONS[operation];
    const body: Record<string, unknown> = { ...input };
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(body[name]);
      delete body[name];
      return encodeURIComponent(value);
    });
    const { status, text } = await send(new URL(`/emulator/v1${filled}`, url), method, token, body);
    const answer: unknown = text === '' ? undefined : JSON.parse(text);
    if (status >= 400) throw new EmulatorError(operation, status, answer as Fault);
    return answer as Results[Name];
  };
}

/** By node:http, because jest's jsdom has no fetch, and tests replace it. */
function send(url: URL, method: string, token: string, body: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = method === 'GET' ? '' : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      ...(sent && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
    };
    const call = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    call.on('error', (error) => reject(new Error(`The emulator at ${url.origin} does not answer: ${error.message}`)));
    call.end(sent);
  });
}
